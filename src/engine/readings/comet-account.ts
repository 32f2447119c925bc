import { cometAbi as abi } from '../../calls/compound-v3.ts'
import type { Address } from '../../domain/address.ts'
import type { Token } from '../../domain/token.ts'
import { ageOfFeed } from '../price-ages.ts'
import { isFresh, type Price, type Prices } from '../prices.ts'
import { type Answer, both, optional, type Reading, together } from '../reading.ts'
import type { Account, Holding, Totals } from './account.ts'
import type { Collateral, CometPlace, CometTerms } from './comet-terms.ts'
import { kinkedRate } from './kinked.ts'
import { amountSaid } from './reserve.ts'

/**
 * What an account owes to a market and has given it for that. The market may count in another currency than USD (its base is one there):
 * `baseUsd` is what the base is worth, and all prices are counted by it: by the last of it what the market counts, as that counts by
 * feeds of its own, and by the fresh one what something is worth. Without that, or without a price of what was given, there are no
 * totals; and without `terms` the debt alone is known.
 */
export function cometAccountIn(
  { comet, base }: CometPlace,
  terms: CometTerms | undefined,
  owner: Address,
  baseUsd: Reading<Prices>,
): Reading<Account> {
  const ask = (functionName: string, ...args: unknown[]) =>
    amountSaid({ address: comet, abi, functionName, args })
  const rate = optional(together(curve.map((name) => ask(name) as Reading<bigint>)))
  const inside = together([
    ask('borrowBalanceOf', owner),
    ...(terms ? [ask('getPrice', terms.baseFeed)] : []),
    ...(terms?.collaterals ?? []).flatMap(({ asset, priceFeed }) => [
      ask('collateralBalanceOf', owner, asset),
      ask('getPrice', priceFeed),
    ]),
  ])
  const ages: Reading<readonly Answer[]> = {
    reads: (terms?.collaterals ?? []).map(({ priceFeed }) => ageOfFeed(priceFeed)),
    parse: (answers) => answers,
  }
  const all = both(both(baseUsd, rate), both(inside, ages))
  return {
    reads: all.reads,
    parse: (answers) => {
      const [[usd, said], [[owed, basePrice, ...rest], old]] = all.parse(answers)
      const held = (terms?.collaterals ?? []).map((one, at): Held => {
        const price = rest[2 * at + 1]
        const by = (base: Price) =>
          price !== undefined && basePrice && base !== null ? (price * base) / basePrice : null
        return { one, lent: rest[2 * at], price: by(usd.last), usd: isFresh(old[at]) ? by(usd.fresh) : null }
      })
      return counted(base, { usd, owed, borrowRate: said ? yearly(said) : null, isListed: !!terms }, held)
    },
  }
}

/** A rate a year, linear, in ray. */
function yearly([used, kink, base, low, high]: readonly bigint[]): bigint {
  const aSecond = kinkedRate({ used: used!, kink: kink!, base: base!, low: low!, high: high! })
  return aSecond * year * 10n ** 9n
}

const year = 31_536_000n
const curve = [
  'getUtilization',
  'borrowKink',
  'borrowPerSecondInterestRateBase',
  'borrowPerSecondInterestRateSlopeLow',
  'borrowPerSecondInterestRateSlopeHigh',
]

/** What was given of one collateral, and its price; what is not said is `undefined`, and what has no price `null`. */
type Held = { one: Collateral; lent: bigint | undefined; price: bigint | null; usd: Price }

/** What is owed of the base at which price and rate, and whether what can be given for it is known. */
type Owed = {
  usd: Prices
  owed: bigint | undefined
  borrowRate: bigint | null
  isListed: boolean
}

function counted(base: Token, { usd, owed, borrowRate, isListed }: Owed, held: readonly Held[]): Account {
  const holdings: Holding[] = [
    ...held.map(({ one: { asset, symbol, decimals, liquidateCollateralFactor }, lent = 0n, price, usd }) => ({
      reserve: { asset, symbol, decimals },
      isCollateral: lent > 0n,
      lent,
      borrowed: 0n,
      borrowRate: 0n,
      liquidationThreshold: liquidateCollateralFactor / 10n ** 14n,
      price,
      usd,
    })),
    {
      reserve: { asset: base.address, symbol: base.symbol, decimals: base.decimals },
      isCollateral: false,
      lent: 0n,
      borrowed: owed ?? 0n,
      borrowRate,
      liquidationThreshold: 0n,
      price: usd.last,
      usd: usd.fresh,
    },
  ]
  const given = held.filter(({ lent }) => lent !== 0n)
  if (!isListed || owed === undefined || (owed > 0n && given.length === 0)) return { holdings, totals: null }
  const debt = owed === 0n ? 0n : usd.last === null ? null : (owed * usd.last) / 10n ** BigInt(base.decimals)
  const worth = given.map(({ one, lent, price }) =>
    lent === undefined || price === null ? null : { one, usd: (lent * price) / one.scale },
  )
  const all = worth.filter((each) => each !== null)
  if (debt === null || all.length < worth.length) return { holdings, totals: null }
  return { holdings, totals: totalsOf(debt, all) }
}

/** The totals of a debt in USD and the worth of what was given for it. */
function totalsOf(debt: bigint, all: readonly { one: Collateral; usd: bigint }[]): Totals {
  const one = 10n ** 18n
  const sum = (of: (each: (typeof all)[number]) => bigint) =>
    all.reduce((total, each) => total + of(each), 0n)
  const carried = sum(
    ({ usd, one: { liquidateCollateralFactor } }) => (usd * liquidateCollateralFactor) / one,
  )
  return {
    collateral: sum(({ usd }) => usd),
    debt,
    carried: carried * 10_000n,
    limit: sum(({ usd, one: { borrowCollateralFactor } }) => (usd * borrowCollateralFactor) / one),
    healthFactor: debt === 0n ? 2n ** 256n - 1n : (carried * one) / debt,
  }
}
