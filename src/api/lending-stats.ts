import { z } from 'zod'

import { EvmAddress } from '../domain/address.ts'
import { Decimals, maybe, Numeric, ours } from './wire.ts'

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
export const noStats: Stats = {
  underlying: [],
  debt: [],
  healthFactor: null,
  ltv: null,
  liquidationPrice: null,
  maxBorrowValue: null,
  markets: null,
  unread: null,
}
