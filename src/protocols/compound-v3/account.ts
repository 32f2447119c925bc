import { both, contract, optional, type Reading, together } from '../../chain/call.ts'
import { erc20 } from '../../chain/erc20.ts'
import { feedAge } from '../../chain/read-oracle-price-age.ts'
import type { Address } from '../../domain/address.ts'
import type { Token } from '../../domain/token.ts'
import type { Price } from '../../domain/usd.ts'
import { isFresh, type Prices } from '../oracle-prices.ts'
import { readAmount } from '../shared/amount-reads.ts'
import type { Account, ReserveHolding, Totals } from '../shared/lending-account.ts'
import { cometAbi as abi } from './abi.ts'
import { kinkedRate } from './market-adapter.ts'

/** A market of Compound v3 as a place to borrow its base asset. */
export type CometPlace = { chainId: number; comet: Address; base: Token }

/** A collateral of a market: its feed, one whole unit, and the share of its value that can be borrowed, scaled by 1e18. */
type Collateral = {
  asset: Address
  symbol: string | null
  decimals: number
  priceFeed: Address
  scale: bigint
  borrowCollateralFactor: bigint
  liquidateCollateralFactor: bigint
}

/** The feed of the base and every collateral of a market. */
export type CometTerms = { baseFeed: Address; collaterals: readonly Collateral[] }

/** More than any market lists (source: comet, MAX_ASSETS, and the extended asset list). */
const mostAssets = 24

/** The listed collaterals of a market, at most `count`; `undefined` if it does not answer. None is ever removed from the list. */
export const cometListed = ({ comet }: CometPlace, count = mostAssets): Reading<CometTerms | undefined> => ({
  reads: [
    contract(comet, abi)('baseTokenPriceFeed'),
    ...Array.from({ length: count }, (_, at) => contract(comet, abi)('getAssetInfo', at)),
  ],
  parse: ([baseFeed, ...infos]) => {
    // The contract reverts only past the last one.
    const count = infos.findLastIndex((info) => info !== undefined) + 1
    const said = infos.slice(0, count)
    if (baseFeed === undefined || said.includes(undefined)) return undefined
    return {
      baseFeed: baseFeed as Address,
      collaterals: (said as Omit<Collateral, 'decimals' | 'symbol'>[]).map((info) => ({
        ...info,
        symbol: null,
        decimals: digitsOf(info),
      })),
    }
  },
})

/** Whether two readings of a market are equal: its governance changes feeds and factors, and lists more collaterals. */
export const sameTerms = (one: CometTerms, other: CometTerms): boolean => saidBy(one) === saidBy(other)

const saidBy = ({ baseFeed, collaterals }: CometTerms): string =>
  [
    baseFeed,
    ...collaterals.map((one) => [
      one.asset,
      one.priceFeed,
      one.scale,
      one.borrowCollateralFactor,
      one.liquidateCollateralFactor,
    ]),
  ].join(' ')

const digitsOf = ({ scale }: { scale: bigint }): number => String(scale).length - 1

/** The symbols of the collaterals, in the order of the list. */
export const collateralSymbols = ({ collaterals }: CometTerms): Reading<(string | null)[]> =>
  together(
    collaterals.map(
      ({ asset }): Reading<string | null> => ({
        reads: [erc20.symbol(asset)],
        parse: ([symbol]) => (typeof symbol === 'string' ? symbol : null),
      }),
    ),
  )

/**
 * The debt and the collateral of an account in a market. The market may count in units of its base instead of USD: `baseUsd` is the price of the base,
 * and all prices are multiplied by it. Its last price gives the market's own prices, its fresh one the current values. Without it, or without the
 * price of a collateral, there are no totals; without `terms` only the debt is known.
 */
export function cometAccountIn(
  { comet, base }: CometPlace,
  terms: CometTerms | undefined,
  owner: Address,
  baseUsd: Reading<Prices>,
): Reading<Account> {
  const ask = (functionName: string, ...args: unknown[]) =>
    readAmount(contract(comet, abi)(functionName, ...args))
  const rate = optional(together(curve.map((name) => ask(name) as Reading<bigint>)))
  const inside = together([
    ask('borrowBalanceOf', owner),
    ...(terms ? [ask('getPrice', terms.baseFeed)] : []),
    ...(terms?.collaterals ?? []).flatMap(({ asset, priceFeed }) => [
      ask('collateralBalanceOf', owner, asset),
      ask('getPrice', priceFeed),
    ]),
  ])
  const ages: Reading<readonly unknown[]> = {
    reads: (terms?.collaterals ?? []).map(({ priceFeed }) => feedAge(priceFeed)),
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

/** A linear yearly rate, in ray. */
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

/** The deposit of one collateral and its price; `undefined` without an answer, and a `null` price is unknown. */
type Held = { one: Collateral; lent: bigint | undefined; price: bigint | null; usd: Price }

/** The debt in the base, its price and rate, and whether the list of collaterals is known. */
type Owed = {
  usd: Prices
  owed: bigint | undefined
  borrowRate: bigint | null
  isListed: boolean
}

function counted(base: Token, { usd, owed, borrowRate, isListed }: Owed, held: readonly Held[]): Account {
  const holdings: ReserveHolding[] = [
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

/** The totals of a debt and the value of its collateral, in USD. */
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
