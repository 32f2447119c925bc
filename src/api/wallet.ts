import { z } from 'zod'

import { type Address, EvmAddress } from '../domain/address.ts'
import { Units } from '../domain/amount.ts'
import { noStats, Stats } from './lending-stats.ts'
import { Missing } from './missing.ts'
import { QueuedWire, type QueuedWithdrawal, readQueued, Unsearched } from './queued.ts'
import { type Strategy, StrategyComposite, StrategyDetail } from './strategy.ts'
import { Decimals, decimalText, maybe, Numeric, oneOf, orNull, ours } from './wire.ts'

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
export type RealisedProfit = z.output<typeof RealisedValue>

/**
 * The positions of a wallet. `totalValueUsd` is a decimal string: the sum of what is known in USD, of which `queuedUsd` is queued. `unread` are the strategies whose contracts
 * do not say what the wallet holds there, or what that is worth; it and `unsearched` are `null` where a deployment does not tell. `missing` are networks that do not answer:
 * nothing of theirs is in it.
 * `totalProfitUsd` is the profit of what is held and of what was closed (`realised`), as far as the history of both is known.
 */
export const WalletValue = z.object({
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
