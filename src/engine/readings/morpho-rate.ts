import { adaptiveModelAbi, metaMorphoAbi, morphoAbi, rateModelAbi } from '../../calls/morpho.ts'
import type { Query, Rounds } from '../../calls/queue.ts'
import { type Address, nativeAddress } from '../../domain/address.ts'
import type { MorphoConstants } from '../../domain/market-constants.ts'
import type { Moment, Rate } from '../markets/market.ts'
import { accrued, type LentMarket, utilization } from './morpho-accrual.ts'

/** A market and what a vault has in it, in shares of the market. */
export type Lent = LentMarket & { supplyShares: bigint }

/** A vault of Morpho: its `fee` of what it earns, by 1e18, and, where it counts what was lost as if it were there, how much it had at its last touch. */
export type LendingVault = {
  fee: bigint
  lent: readonly Lent[]
  lost?: { assets: bigint; lastTotalAssets: bigint } | undefined
}

const wad = 10n ** 18n
const secondsAYear = 31_536_000n

/**
 * What a vault of Morpho pays now: what each market pays its lenders from now on, by what is in there now, less the fee of the vault; compounded
 * without a pause. To the digit as the protocol's own SDK has it (`accrueInterest` and then `getNetApy` of `AccrualVault`,
 * @morpho-org/blue-sdk 6.4.0).
 */
export function netRate({ fee, lent, lost }: LendingVault, now: bigint): Rate {
  const all = lent.map((one) => ({ ...accrued(one, now), supplyShares: one.supplyShares }))
  const real = all.reduce((sum, one) => sum + supplied(one), 0n)
  const total = real + lostOf(lost, real)
  const sum = all.reduce((paid, one) => paid + supplyRate(one) * supplied(one), 0n)
  const each = total === 0n ? 0n : ((sum / total) * (wad - fee)) / wad
  const apr = Number(each * secondsAYear) / 1e18
  return { apr, apy: Math.expm1(apr) }
}

/** What a vault counts beside what is there: what it lost, now included. */
function lostOf(lost: LendingVault['lost'], real: bigint): bigint {
  if (!lost) return 0n
  const more = lost.lastTotalAssets - lost.assets - real
  return lost.assets + (more > 0n ? more : 0n)
}

/** What a market pays its lenders a second, by 1e18. */
const supplyRate = (market: LentMarket & { rate: bigint }): bigint =>
  (((market.rate * utilization(market)) / wad) * (wad - market.fee) + wad - 1n) / wad

/** What the shares of the vault are worth. A market begins with a million shares that nobody has, and one unit. */
const supplied = ({ supplyShares, totalSupplyAssets, totalSupplyShares }: Lent): bigint =>
  (supplyShares * (totalSupplyAssets + 1n)) / (totalSupplyShares + 1_000_000n)

type Params = readonly [Address, Address, Address, Address, bigint]

/** Asks for the rate of a vault: which markets it has, how they stand, and what they cost. `null` where a contract does not answer. */
export function* morphoRate({ vault, morpho }: MorphoConstants, { now }: Moment): Rounds<Rate | null> {
  const own = (functionName: string, args: readonly unknown[] = []): Query => ({
    address: vault,
    abi: metaMorphoAbi,
    functionName,
    args,
  })
  // Those of v1.0 lose what they lose, and know no such number.
  const [fee, count, last, lost] = yield ['fee', 'withdrawQueueLength', 'lastTotalAssets', 'lostAssets'].map(
    (name) => own(name),
  )
  if ([fee, count].includes(undefined)) return null
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
  const markets = ids.map((id, at) => {
    const [params, state, position] = found.slice(at * 3, at * 3 + 3) as [
      Params,
      readonly bigint[],
      readonly bigint[],
    ]
    return { id, params, state, supplyShares: position[0]! }
  })
  // A market without a model costs nothing.
  const hasModel = ({ params }: { params: Params }) => params[3] !== nativeAddress
  const said = yield markets.filter(hasModel).flatMap(({ id, params, state }): Query[] => [
    { address: params[3], abi: adaptiveModelAbi, functionName: 'rateAtTarget', args: [id] },
    {
      address: params[3],
      abi: rateModelAbi,
      functionName: 'borrowRateView',
      args: [named(paramNames, params), named(stateNames, state)],
    },
  ])
  const costs = new Map(
    markets.filter(hasModel).map(({ id }, at) => [id, said.slice(2 * at, 2 * at + 2)] as const),
  )
  if ([...costs.values()].some(([adaptive, rate]) => adaptive === undefined && rate === undefined))
    return null
  const lent = markets.map(({ id, state, supplyShares }): Lent => {
    const [rateAtTarget, rate] = (costs.get(id) ?? []) as (bigint | undefined)[]
    return {
      totalSupplyAssets: state[0]!,
      totalSupplyShares: state[1]!,
      totalBorrowAssets: state[2]!,
      lastUpdate: state[4]!,
      fee: state[5]!,
      supplyShares,
      rateAtTarget,
      rate,
    }
  })
  const counted =
    lost === undefined || last === undefined
      ? undefined
      : { assets: lost as bigint, lastTotalAssets: last as bigint }
  const rate = netRate({ fee: fee as bigint, lent, lost: counted }, BigInt(now))
  return { ...rate, protocolFee: Number(fee) / 1e18 }
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
