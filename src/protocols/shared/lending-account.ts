import type { Address } from '../../domain/address.ts'
import type { Price } from '../../domain/usd.ts'

/** The constant data of a listed reserve of a pool. `id` is its number in an account's bits. */
export type Reserve = {
  id: number
  asset: Address
  aToken: Address
  debtToken: Address
  symbol: string | null
  decimals: number
}

/**
 * The current holding of an account in one reserve. Rates are in ray, thresholds in basis points. `price` is the price that its market uses, of any age,
 * and `usd` the current one, both in USD with 8 decimals; `null` is unknown.
 */
export type ReserveHolding = {
  reserve: Pick<Reserve, 'asset' | 'symbol' | 'decimals'>
  isCollateral: boolean
  lent: bigint
  borrowed: bigint
  borrowRate: bigint | null
  liquidationThreshold: bigint | null
  price: bigint | null
  usd: Price
}

/**
 * The totals of an account by its market: USD with 8 decimals, the health factor with 18. `limit` is the largest allowed debt, `carried` the debt at
 * which it is liquidated, in basis points of USD units.
 */
export type Totals = {
  collateral: bigint
  debt: bigint
  limit: bigint
  carried: bigint
  healthFactor: bigint
}

/** An account in a market. `totals` is `null` if it could not be read completely: there may be other holdings, or prices are unknown. */
export type Account = { holdings: ReserveHolding[]; totals: Totals | null }
