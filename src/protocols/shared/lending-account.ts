import type { Address } from '../../domain/address.ts'
import type { Price } from '../../domain/usd.ts'

/** One reserve of a pool, as it is for as long as it is listed. `id` is its number in an account's bits. */
export type Reserve = {
  id: number
  asset: Address
  aToken: Address
  debtToken: Address
  symbol: string | null
  decimals: number
}

/**
 * What an account has in one reserve, as it is now. Rates in ray, thresholds in basis points; `price` is what its market counts it at, however old
 * that is, and `usd` what it is worth, both in USD with 8 decimals; `null` is not known.
 */
export type Holding = {
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
 * An account as its market counts it: USD with 8 decimals, the health factor with 18. `limit` is what may be owed, and `carried` the debt at which
 * it is liquidated, in basis points of USD units.
 */
export type Totals = {
  collateral: bigint
  debt: bigint
  limit: bigint
  carried: bigint
  healthFactor: bigint
}

/** An account in a market. There are no totals where it cannot be read whole: then there may be more than these holdings, or their worth is not known. */
export type Account = { holdings: Holding[]; totals: Totals | null }
