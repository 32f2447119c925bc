import { type Call, contract, type Rounds } from '../../chain/call.ts'
import { type Address, nativeAddress } from '../../domain/address.ts'
import type { Moment, Rate } from '../market-adapter.ts'
import { adaptiveModelAbi, metaMorphoAbi, morphoAbi, rateModelAbi } from './abi.ts'
import type { MorphoConstants } from './constants-schema.ts'

/**
 * A lending market of Morpho at its last update, `lastUpdate` in Unix seconds. `rateAtTarget` is the borrow rate of the adaptive model per second at
 * the target, scaled by 1e18, at that time; for another model only `rate` is known. A market without a model has a rate of zero.
 */
type LentMarket = {
  totalSupplyAssets: bigint
  totalSupplyShares: bigint
  totalBorrowAssets: bigint
  lastUpdate: bigint
  fee: bigint
  rateAtTarget?: bigint | undefined
  rate?: bigint | undefined
}

const wad = 10n ** 18n
const secondsAYear = 31_536_000n

/** The constants of the adaptive model, per second and scaled by 1e18 (source: morpho-org/morpho-blue-irm, ConstantsLib). */
const curve = {
  steepness: 4n * wad,
  target: (9n * wad) / 10n,
  first: (4n * wad) / 100n / secondsAYear,
  speed: (50n * wad) / secondsAYear,
  least: wad / 1000n / secondsAYear,
  most: (2n * wad) / secondsAYear,
}

/**
 * A market with the interest since its last update accrued, and its borrow rate per second from now on. Equal to the digit to the protocol's own
 * SDK (`accrueInterest` and `getEndBorrowRate` of `Market`, @morpho-org/blue-sdk 6.4.0).
 */
function accrued(market: LentMarket, now: bigint): LentMarket & { rate: bigint } {
  const elapsed = now > market.lastUpdate ? now - market.lastUpdate : 0n
  const { average, rateAtTarget } = modelled(market, elapsed)
  const interest = (market.totalBorrowAssets * compounded(average, elapsed)) / wad
  const kept = (interest * market.fee) / wad
  const [assets, shares] = [market.totalSupplyAssets + interest, market.totalSupplyShares]
  const grown = {
    ...market,
    totalSupplyAssets: assets,
    totalBorrowAssets: market.totalBorrowAssets + interest,
    totalSupplyShares: shares + (kept * (shares + 1_000_000n)) / (assets - kept + 1n),
    lastUpdate: market.lastUpdate + elapsed,
    rateAtTarget,
  }
  return { ...grown, rate: modelled(grown, 0n).average }
}

/** The utilization of a market, scaled by 1e18. */
const utilization = ({ totalSupplyAssets, totalBorrowAssets }: LentMarket): bigint =>
  totalSupplyAssets === 0n ? 0n : (totalBorrowAssets * wad) / totalSupplyAssets

/** e^(rate x seconds) - 1, by the first three terms of its series (source: morpho-blue, MathLib.wTaylorCompounded). */
function compounded(rate: bigint, seconds: bigint): bigint {
  const first = rate * seconds
  const second = (first * first) / (2n * wad)
  return first + second + (second * first) / (3n * wad)
}

/** The average borrow rate over some seconds, and the rate at target after them (source: AdaptiveCurveIrm._borrowRate). */
function modelled(
  market: LentMarket,
  elapsed: bigint,
): { average: bigint; rateAtTarget?: bigint | undefined } {
  const { rateAtTarget: start, rate } = market
  if (start === undefined) return { average: rate ?? 0n }
  const used = utilization(market)
  const error = ((used - curve.target) * wad) / (used > curve.target ? wad - curve.target : curve.target)
  const slope = error < 0n ? wad - (wad * wad) / curve.steepness : curve.steepness - wad
  const at = (rateAtTarget: bigint) => (((slope * error) / wad + wad) * rateAtTarget) / wad
  if (start === 0n) return { average: at(curve.first), rateAtTarget: curve.first }
  const moved = ((curve.speed * error) / wad) * elapsed
  if (moved === 0n) return { average: at(start), rateAtTarget: start }
  const after = (by: bigint) => bounded((start * exponential(by)) / wad)
  const end = after(moved)
  return { average: at((start + end + 2n * after(moved / 2n)) / 4n), rateAtTarget: end }
}

const bounded = (rate: bigint): bigint =>
  rate < curve.least ? curve.least : rate > curve.most ? curve.most : rate

const ln2 = 693_147_180_559_945_309n

/** e^x, scaled by 1e18 (source: morpho-blue-irm, ExpLib.wExp). */
function exponential(x: bigint): bigint {
  if (x < -41_446_531_673_892_822_312n) return 0n
  if (x >= 93_859_467_695_000_404_319n) return 57716089161558943949701069502944508345128422502756744429568n
  const q = (x + (x < 0n ? -(ln2 / 2n) : ln2 / 2n)) / ln2
  const r = x - q * ln2
  const part = wad + r + (r * r) / wad / 2n
  return q >= 0n ? part << q : part >> -q
}

/** A market and the shares of a vault in it. */
type Lent = LentMarket & { supplyShares: bigint }

/** A vault of Morpho: its `fee`, scaled by 1e18, and, if it counts lost assets as present, how many it had at its last update. */
type LendingVault = {
  fee: bigint
  lent: readonly Lent[]
  lost?: { assets: bigint; lastTotalAssets: bigint } | undefined
}

const fixedPoint = 10n ** 18n
const yearSeconds = 31_536_000n

/**
 * The current rate of a vault of Morpho: the supply rates of its markets from now on, weighted by its deposits, less its fee, compounded
 * continuously. Equal to the digit to the protocol's own SDK (`accrueInterest` and then `getNetApy` of `AccrualVault`,
 * @morpho-org/blue-sdk 6.4.0).
 */
export function netRate({ fee, lent, lost }: LendingVault, now: bigint): Rate {
  const all = lent.map((one) => ({ ...accrued(one, now), supplyShares: one.supplyShares }))
  const real = all.reduce((sum, one) => sum + supplied(one), 0n)
  const total = real + lostOf(lost, real)
  const sum = all.reduce((paid, one) => paid + supplyRate(one) * supplied(one), 0n)
  const each = total === 0n ? 0n : ((sum / total) * (fixedPoint - fee)) / fixedPoint
  const apr = Number(each * yearSeconds) / 1e18
  return { apr, apy: Math.expm1(apr) }
}

/** The lost assets that a vault counts, including new losses. */
function lostOf(lost: LendingVault['lost'], real: bigint): bigint {
  if (!lost) return 0n
  const more = lost.lastTotalAssets - lost.assets - real
  return lost.assets + (more > 0n ? more : 0n)
}

/** The supply rate of a market per second, scaled by 1e18. */
const supplyRate = (market: LentMarket & { rate: bigint }): bigint =>
  (((market.rate * utilization(market)) / fixedPoint) * (fixedPoint - market.fee) + fixedPoint - 1n) /
  fixedPoint

/** The value of the vault's shares. A market begins with a million virtual shares and one virtual unit. */
const supplied = ({ supplyShares, totalSupplyAssets, totalSupplyShares }: Lent): bigint =>
  (supplyShares * (totalSupplyAssets + 1n)) / (totalSupplyShares + 1_000_000n)

type Params = readonly [Address, Address, Address, Address, bigint]

/** The rate of a vault, from its markets, their state and their rates; `null` if a contract does not answer. */
export function* morphoRate({ vault, morpho }: MorphoConstants, { now }: Moment): Rounds<Rate | null> {
  const own = contract(vault, metaMorphoAbi)
  // Vaults of v1.0 have no lost assets.
  const [fee, count, last, lost] = yield ['fee', 'withdrawQueueLength', 'lastTotalAssets', 'lostAssets'].map(
    (name) => own(name),
  )
  if ([fee, count].includes(undefined)) return null
  const ids = yield Array.from({ length: Number(count) }, (_, at) => own('withdrawQueue', BigInt(at)))
  const core = contract(morpho, morphoAbi)
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
  // A market without a model has no rate.
  const hasModel = ({ params }: { params: Params }) => params[3] !== nativeAddress
  const said = yield markets
    .filter(hasModel)
    .flatMap(({ id, params, state }): Call[] => [
      contract(params[3], adaptiveModelAbi)('rateAtTarget', id),
      contract(params[3], rateModelAbi)(
        'borrowRateView',
        named(paramNames, params),
        named(stateNames, state),
      ),
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
