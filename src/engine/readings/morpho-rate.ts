import { metaMorphoAbi, morphoAbi, rateModelAbi } from '../../calls/morpho.ts'
import type { Query, Rounds } from '../../calls/queue.ts'
import { type Address, nativeAddress } from '../../domain/address.ts'
import type { MorphoConstants } from '../../domain/market-constants.ts'
import type { Rate } from '../markets/market.ts'

/** How a lending market of Morpho stands, and what a vault has in it. `rate` is what it costs borrowers a second, by 1e18. */
export type Lent = {
  totalSupplyAssets: bigint
  totalSupplyShares: bigint
  totalBorrowAssets: bigint
  fee: bigint
  supplyShares: bigint
  rate: bigint
}

const wad = 10n ** 18n
const secondsAYear = 31_536_000n

/**
 * What a vault of Morpho pays: what each market pays its lenders, by what is in there, less the fee of the vault; compounded without a
 * pause. To the digit as the protocol's own SDK has it (`netApy` of `AccrualVault`, @morpho-org/blue-sdk 6.4.0).
 */
export function netRate(totalAssets: bigint, fee: bigint, lent: readonly Lent[]): Rate {
  const sum = lent.reduce((all, one) => all + supplyRate(one) * supplied(one), 0n)
  const each = totalAssets === 0n ? 0n : ((sum / totalAssets) * (wad - fee)) / wad
  const apr = Number(each * secondsAYear) / 1e18
  return { apr, apy: Math.expm1(apr) }
}

/** What a market pays its lenders a second, by 1e18. */
function supplyRate({ totalSupplyAssets, totalBorrowAssets, fee, rate }: Lent): bigint {
  if (totalSupplyAssets === 0n) return 0n
  const utilization = (totalBorrowAssets * wad) / totalSupplyAssets
  return (((rate * utilization) / wad) * (wad - fee) + wad - 1n) / wad
}

/** What the shares of the vault are worth. A market begins with a million shares that nobody has, and one unit. */
const supplied = ({ supplyShares, totalSupplyAssets, totalSupplyShares }: Lent): bigint =>
  (supplyShares * (totalSupplyAssets + 1n)) / (totalSupplyShares + 1_000_000n)

type Tuple = readonly bigint[]

/** Asks for the rate of a vault: which markets it has, how they stand, and what they cost. `null` where a contract does not answer. */
export function* morphoRate({ vault, morpho }: MorphoConstants): Rounds<Rate | null> {
  const own = (functionName: string, args: readonly unknown[] = []): Query => ({
    address: vault,
    abi: metaMorphoAbi,
    functionName,
    args,
  })
  const [assets, fee, count] = yield ['totalAssets', 'fee', 'withdrawQueueLength'].map((name) => own(name))
  if ([assets, fee, count].includes(undefined)) return null
  const ids = yield Array.from({ length: Number(count) }, (_, at) => own('withdrawQueue', [BigInt(at)]))
  const core = (functionName: string, ...args: unknown[]): Query => ({
    address: morpho,
    abi: morphoAbi,
    functionName,
    args,
  })
  const found = yield ids.flatMap((id) => [
    core('idToMarketParams', id),
    core('market', id),
    core('position', id, vault),
  ])
  if (found.includes(undefined)) return null
  const markets = ids.map((_, at) => {
    const [params, state, position] = found.slice(at * 3, at * 3 + 3) as [
      readonly [Address, Address, Address, Address, bigint],
      Tuple,
      Tuple,
    ]
    return { params, state, supplyShares: position[0]! }
  })
  // A market without a model costs nothing; one that the vault has nothing in does not count.
  const costing = markets.filter(
    ({ params, supplyShares }) => params[3] !== nativeAddress && supplyShares > 0n,
  )
  const rates = yield costing.map(({ params, state }) => ({
    address: params[3],
    abi: rateModelAbi,
    functionName: 'borrowRateView',
    args: [named(paramNames, params), named(stateNames, state)],
  }))
  if (rates.includes(undefined)) return null
  return netRate(
    assets as bigint,
    fee as bigint,
    costing.map(({ state, supplyShares }, at) => ({
      totalSupplyAssets: state[0]!,
      totalSupplyShares: state[1]!,
      totalBorrowAssets: state[2]!,
      fee: state[5]!,
      supplyShares,
      rate: rates[at] as bigint,
    })),
  )
}

const paramNames = ['loanToken', 'collateralToken', 'oracle', 'irm', 'lltv']
const stateNames = [
  'totalSupplyAssets',
  'totalSupplyShares',
  'totalBorrowAssets',
  'totalBorrowShares',
  'lastUpdate',
  'fee',
]
const named = (names: readonly string[], values: readonly unknown[]) =>
  Object.fromEntries(names.map((name, at) => [name, values[at]]))
