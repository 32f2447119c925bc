import { z } from 'zod'
import { type Address, EvmAddress } from '../domain/address.ts'
import { Units } from '../domain/amount.ts'
import { Missing } from './missing-networks.ts'
import { type Strategy, StrategyComposite, StrategyDetail } from './strategy.ts'
import { Decimals, decimalText, maybe, Numeric, oneOf, orNull, ours } from './wire-fields.ts'

const StatsAsset = z.object({
  address: EvmAddress,
  decimals: Decimals,
  symbol: z.string(),
  name: maybe(z.string()),
})
const StatsBalance = z.object({ raw: z.string(), humanized: Numeric, decimals: Decimals })

const counted = {
  healthFactor: maybe(Numeric),
  ltv: maybe(Numeric),
  liquidationPrice: maybe(Numeric),
  maxBorrowValue: maybe(Numeric),
}
const market = { protocol: z.string(), network: z.string(), address: EvmAddress }

/**
 * Shape C: collateral and debt of a lending account. Amounts in USD (`price` of one whole token, `balanceUSD`, `liquidationPrice`,
 * `maxBorrowValue`) are decimals; `liquidationThreshold`, `borrowRate` (linear, a year) and `ltv` (debt by collateral) are fractions.
 * A health factor below 1 can be liquidated. `maxBorrowValue` is what can still be borrowed, below zero where too much is. Markets do not help
 * each other: over several, the health factor is the worst, what can be borrowed adds up, and `ltv` and `liquidationPrice` are `null`. `markets`
 * is ours: the same of each. So is `unread`: the markets in which the account cannot be read whole; then the health factor and what follows it are
 * `null`.
 */
export const Stats = z.object({
  underlying: z.array(
    z.object({
      asset: StatsAsset,
      balance: StatsBalance,
      balanceUSD: maybe(Numeric),
      price: maybe(Numeric),
      liquidationThreshold: maybe(Numeric),
    }),
  ),
  debt: z.array(
    z.object({
      asset: StatsAsset,
      balance: StatsBalance,
      balanceUSD: maybe(Numeric),
      borrowRate: maybe(Numeric),
    }),
  ),
  ...counted,
  markets: ours(z.array(z.object({ ...market, ...counted }))),
  unread: ours(z.array(z.object(market))),
})
export type Stats = z.output<typeof Stats>

/** The lending account of a wallet that has none. */
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
 * A withdrawal that is queued, on the wire: how much it pays, when it was asked for and when it can be claimed, as far as a contract says, and
 * until when, where it lapses then. `back` names the function that gives back what was let pass, and is `null` where nothing was.
 */
const QueuedWire = z.object({
  id: z.string(),
  amount: Units,
  requestedAt: maybe(z.string()),
  availableAt: maybe(z.string()),
  until: maybe(z.string()),
  back: maybe(z.string()),
})

/** A withdrawal that is queued: `amount` is in the smallest unit of the asset, times are ISO 8601. */
export type QueuedWithdrawal = {
  id: string
  amount: bigint
  requestedAt: string | null
  availableAt: string | null
  until: string | null
  back: string | null
}

/** Queued withdrawals off the wire; a deployment that does not send them is `null`. */
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

/** A strategy in whose queue it was not looked for what a wallet asked for elsewhere, and when it was last, as ISO 8601; `null` is never. */
const Unsearched = z.object({ strategy: z.string(), searchedAt: z.string().nullable() })

/** What a wallet holds in one strategy. Amounts are in the smallest unit of the strategy's asset; `null` is unknown. */
export type Position = {
  strategy: Strategy
  balance: bigint | null
  principal: bigint | null
  profit: bigint | null
  balanceUsd: string | null
  profitUsd: string | null
  apy: number | null
  /** Queued withdrawals that wait, and those that can be claimed; they are no part of the balance, and `queuedUsd` is what all of them are worth. */
  pending: QueuedWithdrawal[] | null
  claimable: QueuedWithdrawal[] | null
  queuedUsd: string | null
}

/** The profit that came out of a strategy with what was closed there; below zero is a loss. Units are the smallest of the asset. */
const RealisedValue = z.object({
  strategy: z.string(),
  asset: z.object({ symbol: z.string(), address: z.custom<Address>(), decimals: Decimals }),
  realised: z.custom<bigint>(),
  realisedUsd: z.string().nullable(),
})
/** The realised profit of one strategy. */
export type RealisedProfit = z.output<typeof RealisedValue>

/**
 * The positions of a wallet. `totalValueUsd` is a decimal string: the sum of what is known in USD, of which `queuedUsd` is queued. `unread` are the strategies whose contracts
 * do not say what the wallet holds there, or what that is worth; it and `unsearched` are `null` where a deployment does not tell. `missing` are networks that do not answer:
 * nothing of theirs is in it.
 * `totalProfitUsd` is the profit of what is held and of what was closed (`realised`), as far as the history of both is known.
 */
const WalletValue = z.object({
  address: z.custom<z.output<typeof EvmAddress>>().nullable(),
  positions: z.array(z.custom<Position>()),
  totalValueUsd: z.string().nullable(),
  queuedUsd: z.string().nullable(),
  realised: z.array(RealisedValue).nullable(),
  totalProfitUsd: z.string().nullable(),
  stats: z.custom<Stats>().nullable(),
  unread: z.array(z.string()).nullable(),
  unsearched: z.array(Unsearched).nullable(),
  missing: Missing,
})
export type Wallet = z.output<typeof WalletValue>

/** A profit can be a loss: a whole number with a sign. */
const Signed = z.codec(z.string().regex(/^-?[0-9]{1,78}$/, 'expected a whole number'), z.bigint(), {
  decode: BigInt,
  encode: String,
})

/** Shape A (reference); `principal`, `apyFraction`, `pending`, `claimable`, `queuedUSD`, `realised`, `totalProfitUSD`, `stats`, `unread` and `unsearched` are ours. */
const ShapeA = z.object({
  address: EvmAddress,
  positions: z.array(
    z.object({
      strategy: StrategyDetail,
      balance: maybe(Units),
      balanceUSD: maybe(Numeric),
      earned: maybe(Signed),
      earnedUSD: maybe(Numeric),
      principal: ours(Units),
      apyFraction: ours(z.number()),
      pending: ours(z.array(QueuedWire)),
      claimable: ours(z.array(QueuedWire)),
      queuedUSD: ours(Numeric),
    }),
  ),
  totalValueUSD: maybe(Numeric),
  queuedUSD: ours(Numeric),
  realised: ours(
    z.array(
      z.object({
        strategy: z.string(),
        asset: z.object({ symbol: z.string(), address: EvmAddress, decimals: Decimals }),
        realised: Signed,
        realisedUSD: maybe(Numeric),
      }),
    ),
  ),
  totalProfitUSD: ours(Numeric),
  stats: ours(Stats),
  unread: ours(z.array(z.string())),
  unsearched: ours(z.array(Unsearched)),
})

const humanized = <inner extends z.ZodType>(value: inner) =>
  z.object({ value, decimals: Decimals, humanized: maybe(Numeric), symbol: maybe(z.string()) })

/** Shape B (quickstart). */
const ShapeB = z.object({
  address: ours(EvmAddress),
  positions: z.array(
    z.object({
      strategy: StrategyComposite,
      spotPosition: z.object({
        currentPosition: maybe(humanized(Units)),
        profit: maybe(humanized(Signed)),
        principal: maybe(humanized(Units)),
        underlyingBalanceUSD: maybe(Numeric),
        apy: maybe(z.number()),
      }),
    }),
  ),
  summary: z.object({ totalUnderlyingBalanceUSD: maybe(Numeric) }),
})

/** Shape C (the older lending and borrowing page). */
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
        balanceUsd: decimal(spot.underlyingBalanceUSD),
        profitUsd: null,
        apy: orNull(spot.apy),
        pending: null,
        claimable: null,
        queuedUsd: null,
      })),
      totalValueUsd: decimal(wire.summary.totalUnderlyingBalanceUSD),
      queuedUsd: null,
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
      balanceUsd: decimal(position.balanceUSD),
      profitUsd: decimal(position.earnedUSD),
      apy: orNull(position.apyFraction),
      pending: readQueued(position.pending),
      claimable: readQueued(position.claimable),
      queuedUsd: decimal(position.queuedUSD),
    })),
    totalValueUsd: decimal(wire.totalValueUSD),
    queuedUsd: decimal(wire.queuedUSD),
    realised:
      wire.realised?.map(({ realisedUSD, ...same }) => ({ ...same, realisedUsd: decimal(realisedUSD) })) ??
      null,
    totalProfitUsd: decimal(wire.totalProfitUSD),
    stats: orNull(wire.stats),
    unread: orNull(wire.unread),
    unsearched: orNull(wire.unsearched),
  }
}

/** A wallet on the wire: shapes A, B and C are read; shape A is written. */
export const Wallet = z.codec(oneOf(shapes, 1), WalletValue, {
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
    realised:
      value.realised?.map(({ realisedUsd, ...same }) => ({ ...same, realisedUSD: realisedUsd })) ?? null,
    totalProfitUSD: value.totalProfitUsd,
    stats: value.stats,
    unread: value.unread,
    unsearched: value.unsearched,
  }),
})

/** A wallet on the older page: shapes A, B and C are read; shape C is written. */
export const OlderWallet = z.codec(oneOf(shapes, 2), WalletValue, {
  decode: read,
  encode: ({ address, stats }) => ({ address: address!, stats: stats ?? noStats }),
})
