import { formatUnits } from 'viem/utils'
import { z } from 'zod'
import { type Address, EvmAddress } from '../domain/address.ts'
import { Units } from '../domain/amount.ts'
import { sumUsd } from '../domain/usd.ts'
import { Missing } from './missing-networks.ts'
import { type Strategy, StrategyComposite, StrategyDetail } from './strategy.ts'
import { anyShape, Decimals, decimalText, extension, Numeric, nullish, orNull } from './wire-fields.ts'

const StatsAsset = z.object({
  address: EvmAddress,
  decimals: Decimals,
  symbol: z.string(),
  name: nullish(z.string()),
})
const StatsBalance = z.object({ raw: z.string(), humanized: Numeric, decimals: Decimals })

const counted = {
  healthFactor: nullish(Numeric),
  ltv: nullish(Numeric),
  liquidationPrice: nullish(Numeric),
  maxBorrowValue: nullish(Numeric),
}
const market = { protocol: z.string(), network: z.string(), address: EvmAddress }

/**
 * Shape C: collateral and debt of a lending account. Amounts in USD (`price` of one whole token, `balanceUSD`, `liquidationPrice`,
 * `maxBorrowValue`) are decimals; `liquidationThreshold`, `borrowRate` (linear, per year) and `ltv` (debt over collateral) are fractions. A
 * position with a health factor below 1 can be liquidated. `maxBorrowValue` is the remaining borrowing capacity, negative if exceeded.
 * Collateral in one market does not secure another: over several markets, `healthFactor` is the lowest, `maxBorrowValue` the sum, and `ltv`
 * and `liquidationPrice` are `null`. Extensions: `markets`, the values per market, and `unread`, the markets that could not be read
 * completely; if there are any, `healthFactor` and the fields after it are `null`.
 */
export const Stats = z.object({
  underlying: z.array(
    z.object({
      asset: StatsAsset,
      balance: StatsBalance,
      balanceUSD: nullish(Numeric),
      price: nullish(Numeric),
      liquidationThreshold: nullish(Numeric),
    }),
  ),
  debt: z.array(
    z.object({
      asset: StatsAsset,
      balance: StatsBalance,
      balanceUSD: nullish(Numeric),
      borrowRate: nullish(Numeric),
    }),
  ),
  ...counted,
  markets: extension(z.array(z.object({ ...market, ...counted }))),
  unread: extension(z.array(z.object(market))),
})
export type Stats = z.output<typeof Stats>

/** The stats of a wallet without a lending account. */
const noStats: Stats = {
  underlying: [],
  debt: [],
  healthFactor: null,
  ltv: null,
  liquidationPrice: null,
  maxBorrowValue: null,
  markets: null,
  unread: null,
}

/**
 * A queued withdrawal on the wire: its amount, its request time, its claim time if a contract states it, and `until`, the time when it
 * lapses, if it can. `back` names the function that returns a lapsed request's shares; `null` if it has not lapsed.
 */
const QueuedWire = z.object({
  id: z.string(),
  amount: Units,
  requestedAt: nullish(z.string()),
  availableAt: nullish(z.string()),
  until: nullish(z.string()),
  back: nullish(z.string()),
})

/** A queued withdrawal: `amount` is in the smallest unit of the asset, times are ISO 8601. */
export type QueuedWithdrawal = {
  id: string
  amount: bigint
  requestedAt: string | null
  availableAt: string | null
  until: string | null
  back: string | null
}

/** Reads queued withdrawals; `null` if the deployment does not send them. */
const readQueued = (
  wire: readonly z.output<typeof QueuedWire>[] | null | undefined,
): QueuedWithdrawal[] | null =>
  wire?.map(({ requestedAt, availableAt, until, back, ...rest }) => ({
    ...rest,
    requestedAt: orNull(requestedAt),
    availableAt: orNull(availableAt),
    until: orNull(until),
    back: orNull(back),
  })) ?? null

/**
 * A strategy whose queue was not searched for the wallet's requests from other clients, and the time of the last search (ISO 8601); `null`
 * is never.
 */
const Unsearched = z.object({ strategy: z.string(), searchedAt: z.string().nullable() })

/** Staked receipts on the wire: the contract, the receipts, and their value in the asset. */
const StakedWire = z.object({ at: EvmAddress, shares: Units, amount: Units })

/** A wallet's position in one strategy. Amounts are in the smallest unit of the strategy's asset; `null` is unknown. */
export type Position = {
  strategy: Strategy
  balance: bigint | null
  principal: bigint | null
  /** The balance less the principal and less `performanceFee`: what a withdrawal of everything would earn now. */
  profit: bigint | null
  /** The fee of the service that a withdrawal of everything would pay now; `null` is unknown. */
  performanceFee: bigint | null
  balanceUsd: string | null
  profitUsd: string | null
  apy: number | null
  /** The part of the balance whose receipts (`shares`) are staked in the contract `at`: it cannot be withdrawn before it is unstaked there. `null` if nothing is staked. */
  staked: { at: Address; shares: bigint; amount: bigint } | null
  /** Queued withdrawals that wait, and those that can be claimed. The balance does not include them; `queuedUsd` is their total value. */
  pending: QueuedWithdrawal[] | null
  claimable: QueuedWithdrawal[] | null
  queuedUsd: string | null
}

/**
 * The realised profit of a strategy, negative for a loss. Amounts are in the smallest unit of the asset. `feesPaid` are the payments to
 * the service that it saw, which `realised` no longer has; `null` if the deployment does not state them.
 */
const RealisedValue = z.object({
  strategy: z.string(),
  asset: z.object({ symbol: z.string(), address: z.custom<Address>(), decimals: Decimals }),
  realised: z.custom<bigint>(),
  feesPaid: z.custom<bigint>().nullable(),
  realisedUsd: z.string().nullable(),
})
/** The realised profit of one strategy. */
export type RealisedProfit = z.output<typeof RealisedValue>

/**
 * The positions of a wallet. `totalValueUsd` is a decimal string: the sum of all known values, including `queuedUsd` for queued
 * withdrawals and `collateralUsd` for collateral that is no position, less `debtUsd`, the debt of its lending accounts; `debtUsd` is
 * `null` if a debt or its price is unknown. `unread` lists strategies whose contracts did not return the balance or its value. `unread` and `unsearched` are `null` if
 * the deployment does not send them. `missing` names networks that did not answer; nothing of them is included. `totalProfitUsd` is the
 * profit of open and closed positions (`realised`), as far as their history is known.
 */
const WalletValue = z.object({
  address: z.custom<z.output<typeof EvmAddress>>().nullable(),
  positions: z.array(z.custom<Position>()),
  totalValueUsd: z.string().nullable(),
  queuedUsd: z.string().nullable(),
  collateralUsd: z.string().nullable(),
  debtUsd: z.string().nullable(),
  realised: z.array(RealisedValue).nullable(),
  totalProfitUsd: z.string().nullable(),
  stats: z.custom<Stats>().nullable(),
  unread: z.array(z.string()).nullable(),
  unsearched: z.array(Unsearched).nullable(),
  missing: Missing,
})
export type Wallet = z.output<typeof WalletValue>

/** A profit in the smallest unit: a whole number with a sign. */
const Signed = z.codec(z.string().regex(/^-?[0-9]{1,78}$/, 'expected a whole number'), z.bigint(), {
  decode: BigInt,
  encode: String,
})

/**
 * Shape A (reference). Extensions: `principal`, `performanceFee`, `apyFraction`, `staked`, `pending`, `claimable`, `queuedUSD`, `collateralUSD`, `debtUSD`,
 * `realised`, `totalProfitUSD`, `stats`, `unread` and `unsearched`.
 */
const ShapeA = z.object({
  address: EvmAddress,
  positions: z.array(
    z.object({
      strategy: StrategyDetail,
      balance: nullish(Units),
      balanceUSD: nullish(Numeric),
      earned: nullish(Signed),
      earnedUSD: nullish(Numeric),
      principal: extension(Units),
      performanceFee: extension(Units),
      apyFraction: extension(z.number()),
      staked: extension(StakedWire),
      pending: extension(z.array(QueuedWire)),
      claimable: extension(z.array(QueuedWire)),
      queuedUSD: extension(Numeric),
    }),
  ),
  totalValueUSD: nullish(Numeric),
  queuedUSD: extension(Numeric),
  collateralUSD: extension(Numeric),
  debtUSD: extension(Numeric),
  realised: extension(
    z.array(
      z.object({
        strategy: z.string(),
        asset: z.object({ symbol: z.string(), address: EvmAddress, decimals: Decimals }),
        realised: Signed,
        feesPaid: extension(Units),
        realisedUSD: nullish(Numeric),
      }),
    ),
  ),
  totalProfitUSD: extension(Numeric),
  stats: extension(Stats),
  unread: extension(z.array(z.string())),
  unsearched: extension(z.array(Unsearched)),
})

const humanized = <inner extends z.ZodType>(value: inner) =>
  z.object({ value, decimals: Decimals, humanized: nullish(Numeric), symbol: nullish(z.string()) })

/** Shape B (quickstart). */
const ShapeB = z.object({
  address: extension(EvmAddress),
  positions: z.array(
    z.object({
      strategy: StrategyComposite,
      spotPosition: z.object({
        currentPosition: nullish(humanized(Units)),
        profit: nullish(humanized(Signed)),
        principal: nullish(humanized(Units)),
        underlyingBalanceUSD: nullish(Numeric),
        apy: nullish(z.number()),
      }),
    }),
  ),
  summary: z.object({ totalUnderlyingBalanceUSD: nullish(Numeric) }),
})

/** Shape C (the older lending and borrowing endpoint). */
const ShapeC = z.object({ address: EvmAddress, stats: Stats })

const decimal = (value: string | number | null | undefined) =>
  value === null || value === undefined ? null : decimalText(value)

const shapes = [ShapeB, ShapeA, ShapeC] as const
const AnyShape = z.union(shapes)

function read(wire: z.output<typeof AnyShape>): Wallet {
  if ('summary' in wire)
    return {
      address: orNull(wire.address),
      positions: wire.positions.map(({ strategy, spotPosition: spot }) => ({
        strategy,
        balance: orNull(spot.currentPosition?.value),
        principal: orNull(spot.principal?.value),
        profit: orNull(spot.profit?.value),
        performanceFee: null,
        balanceUsd: decimal(spot.underlyingBalanceUSD),
        profitUsd: null,
        apy: orNull(spot.apy),
        staked: null,
        pending: null,
        claimable: null,
        queuedUsd: null,
      })),
      totalValueUsd: decimal(wire.summary.totalUnderlyingBalanceUSD),
      queuedUsd: null,
      collateralUsd: null,
      debtUsd: null,
      realised: null,
      totalProfitUsd: null,
      stats: null,
      unread: null,
      unsearched: null,
    }
  if (!('positions' in wire))
    return {
      address: wire.address,
      positions: [],
      totalValueUsd: null,
      queuedUsd: null,
      collateralUsd: null,
      debtUsd: null,
      realised: null,
      totalProfitUsd: null,
      stats: wire.stats,
      unread: null,
      unsearched: null,
    }
  return {
    address: wire.address,
    positions: wire.positions.map((position) => ({
      strategy: position.strategy,
      balance: orNull(position.balance),
      principal: orNull(position.principal),
      profit: orNull(position.earned),
      performanceFee: orNull(position.performanceFee),
      balanceUsd: decimal(position.balanceUSD),
      profitUsd: decimal(position.earnedUSD),
      apy: orNull(position.apyFraction),
      staked: orNull(position.staked),
      pending: readQueued(position.pending),
      claimable: readQueued(position.claimable),
      queuedUsd: decimal(position.queuedUSD),
    })),
    totalValueUsd: decimal(wire.totalValueUSD),
    queuedUsd: decimal(wire.queuedUSD),
    collateralUsd: decimal(wire.collateralUSD),
    debtUsd: decimal(wire.debtUSD),
    realised:
      wire.realised?.map(({ realisedUSD, feesPaid, ...same }) => ({
        ...same,
        feesPaid: orNull(feesPaid),
        realisedUsd: decimal(realisedUSD),
      })) ?? null,
    totalProfitUsd: decimal(wire.totalProfitUSD),
    stats: orNull(wire.stats),
    unread: orNull(wire.unread),
    unsearched: orNull(wire.unsearched),
  }
}

/** A wallet on the wire: reads shapes A, B and C and writes shape A. */
export const Wallet = z.codec(anyShape(shapes, 1), WalletValue, {
  decode: read,
  encode: (value) => ({
    address: value.address!,
    positions: value.positions.map(({ profit, balanceUsd, profitUsd, apy, queuedUsd, ...same }) => ({
      ...same,
      balanceUSD: balanceUsd,
      earned: profit,
      earnedUSD: profitUsd,
      apyFraction: apy,
      queuedUSD: queuedUsd,
    })),
    totalValueUSD: value.totalValueUsd,
    queuedUSD: value.queuedUsd,
    collateralUSD: value.collateralUsd,
    debtUSD: value.debtUsd,
    realised:
      value.realised?.map(({ realisedUsd, ...same }) => ({ ...same, realisedUSD: realisedUsd })) ?? null,
    totalProfitUSD: value.totalProfitUsd,
    stats: value.stats,
    unread: value.unread,
    unsearched: value.unsearched,
  }),
})

/** A wallet in the shape of the quickstart: reads shapes A, B and C and writes shape B. Its total is that of the positions; it has no debts. */
export const QuickstartWallet = z.codec(anyShape(shapes, 0), WalletValue, {
  decode: read,
  encode: ({ address, positions }) => ({
    address,
    positions: positions.map(({ strategy, balance, profit, principal, balanceUsd, apy }) => {
      const { decimals, symbol } = strategy.asset
      const amount = (value: bigint | null) =>
        value === null ? null : { value, decimals, humanized: formatUnits(value, decimals), symbol }
      return {
        strategy,
        spotPosition: {
          currentPosition: amount(balance),
          profit: amount(profit),
          principal: amount(principal),
          underlyingBalanceUSD: balanceUsd === null ? null : Number(balanceUsd),
          apy,
        },
      }
    }),
    summary: { totalUnderlyingBalanceUSD: Number(sumUsd(positions.map(({ balanceUsd }) => balanceUsd))) },
  }),
})

/** A wallet at the older endpoint: reads shapes A, B and C and writes shape C. */
export const OlderWallet = z.codec(anyShape(shapes, 2), WalletValue, {
  decode: read,
  encode: ({ address, stats }) => ({ address: address!, stats: stats ?? noStats }),
})
