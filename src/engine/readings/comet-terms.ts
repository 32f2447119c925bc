import { cometAbi as abi } from '../../calls/compound-v3.ts'
import { erc20Abi } from '../../calls/erc20.ts'
import type { Address } from '../../domain/address.ts'
import type { Token } from '../../domain/token.ts'
import { type Reading, together } from '../reading.ts'

/** A market of Compound v3 as a place to borrow: its base asset is what is owed. */
export type CometPlace = { chainId: number; comet: Address; base: Token }

/** What a market lists of a collateral: its feed, one whole of it, and how much of its value may be owed, scaled by 1e18. */
export type Collateral = {
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
  parse: ([baseFeed, ...infos]) => {
    // Past the last one the contract refuses, and between two it does not.
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
