import { cometAbi as abi } from '../../calls/compound-v3.ts'
import { erc20Abi } from '../../calls/erc20.ts'
import type { Address } from '../../domain/address.ts'
import type { Token } from '../../domain/token.ts'
import { optional, type Reading, together } from '../reading.ts'
import type { Account, Holding } from './account.ts'
import { kinkedRate } from './kinked.ts'

/** A market of Compound v3 as a place to borrow: its base asset is what is owed. */
export type CometPlace = { chainId: number; comet: Address; base: Token }

/** What a market lists of a collateral: its feed, one whole of it, and how much of its value may be owed, scaled by 1e18. */
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

/** What is listed in a market, and no more than `count`; `undefined` where it does not say. None is ever taken from the list. */
export const cometListed = ({ comet }: CometPlace, count = mostAssets): Reading<CometTerms | undefined> => ({
  reads: [
    { address: comet, abi, functionName: 'baseTokenPriceFeed' },
    ...Array.from({ length: count }, (_, at) => ({
      address: comet,
      abi,
      functionName: 'getAssetInfo',
      args: [at],
    })),
  ],
  parse: ([baseFeed, ...infos]) =>
    baseFeed === undefined
      ? undefined
      : {
          baseFeed: baseFeed as Address,
          // Past the last one the contract refuses.
          collaterals: infos.flatMap((info) =>
            info === undefined
              ? []
              : [
                  {
                    ...(info as Omit<Collateral, 'decimals' | 'symbol'>),
                    symbol: null,
                    decimals: digitsOf(info as never),
                  },
                ],
          ),
        },
})

/** Whether two say the same of a market: those who govern it change feeds and factors, and list more. */
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

/** The symbols of what is listed, in the order of the list. */
export const symbolsOf = ({ collaterals }: CometTerms): Reading<(string | null)[]> =>
  together(
    collaterals.map(
      ({ asset }): Reading<string | null> => ({
        reads: [{ address: asset, abi: erc20Abi, functionName: 'symbol' }],
        parse: ([symbol]) => (typeof symbol === 'string' ? symbol : null),
      }),
    ),
  )

/**
 * What an account owes to a market and has given it for that. The market may count in another currency than USD (its base is one there):
 * `baseUsd` is what the base is worth, and all prices are counted by it. Without that, or without an answer, nothing is known.
 */
export function cometAccountIn(
  { comet, base }: CometPlace,
  { baseFeed, collaterals }: CometTerms,
  owner: Address,
  baseUsd: Reading<bigint | null>,
): Reading<Account | undefined> {
  const ask = (functionName: string, args: readonly unknown[]): Reading<bigint> => ({
    reads: [{ address: comet, abi, functionName, args }],
    parse: ([answer]) => answer as bigint,
  })
  const inside = optional(
    together([
      ask('getPrice', [baseFeed]),
      ask('borrowBalanceOf', [owner]),
      ...curve.map((name) => ask(name, [])),
      ...collaterals.flatMap(({ asset, priceFeed }) => [
        ask('collateralBalanceOf', [owner, asset]),
        ask('getPrice', [priceFeed]),
      ]),
    ]),
  )
  return {
    reads: [...baseUsd.reads, ...inside.reads],
    parse: (answers) => {
      const usd = baseUsd.parse(answers.slice(0, baseUsd.reads.length))
      const said = inside.parse(answers.slice(baseUsd.reads.length))
      if (usd === null || !said || said[0] === 0n) return undefined
      const [basePrice, owed, used, kink, first, low, high, ...rest] = said as [
        bigint,
        ...[bigint, bigint, bigint, bigint, bigint, bigint],
        ...bigint[],
      ]
      const held = collaterals.map((one, at) => ({
        one,
        lent: rest[2 * at]!,
        price: (rest[2 * at + 1]! * usd) / basePrice,
      }))
      const aSecond = kinkedRate({ used, kink, base: first, low, high })
      return counted(base, { usd, owed, borrowRate: aSecond * year * 10n ** 9n }, held)
    },
  }
}

const year = 31_536_000n
const curve = [
  'getUtilization',
  'borrowKink',
  'borrowPerSecondInterestRateBase',
  'borrowPerSecondInterestRateSlopeLow',
  'borrowPerSecondInterestRateSlopeHigh',
]

type Held = { one: Collateral; lent: bigint; price: bigint }

/** `borrowRate` is linear a year, in ray. */
function counted(
  base: Token,
  { usd, owed, borrowRate }: { usd: bigint; owed: bigint; borrowRate: bigint },
  held: readonly Held[],
): Account {
  const worth = ({ one, lent, price }: Held) => (lent * price) / one.scale
  const sum = (of: (held: Held) => bigint) => held.reduce((total, one) => total + of(one), 0n)
  const one = 10n ** 18n
  const collateral = sum(worth)
  const debt = (owed * usd) / 10n ** BigInt(base.decimals)
  const carried = sum((each) => (worth(each) * each.one.liquidateCollateralFactor) / one)
  const holdings: Holding[] = [
    ...held.map(({ one: { asset, symbol, decimals, liquidateCollateralFactor }, lent, price }) => ({
      reserve: { asset, symbol, decimals },
      isCollateral: lent > 0n,
      lent,
      borrowed: 0n,
      borrowRate: 0n,
      liquidationThreshold: liquidateCollateralFactor / 10n ** 14n,
      price,
    })),
    {
      reserve: { asset: base.address, symbol: base.symbol, decimals: base.decimals },
      isCollateral: false,
      lent: 0n,
      borrowed: owed,
      borrowRate,
      liquidationThreshold: 0n,
      price: usd,
    },
  ]
  return {
    collateral,
    debt,
    carried: carried * 10_000n,
    limit: sum((each) => (worth(each) * each.one.borrowCollateralFactor) / one),
    healthFactor: debt === 0n ? 2n ** 256n - 1n : (carried * one) / debt,
    holdings,
  }
}
