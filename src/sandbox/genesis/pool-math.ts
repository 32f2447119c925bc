import type { Address } from '../../domain/address.ts'
import { type Asset, assetFacts } from './parameters.ts'

/** One side of a pool, in the smallest unit of its token. */
export type PoolSide = { token: Address; amount: bigint }

/** Returns the amount of an asset that is worth `usd` whole dollars. */
export const poolSide = (asset: Asset, token: Address, usd: bigint): PoolSide => ({
  token,
  amount: (usd * 10n ** BigInt(assetFacts[asset].decimals + 8)) / assetFacts[asset].usd,
})

/** Returns the integer part of a square root (Newton). */
export function squareRoot(n: bigint): bigint {
  if (n < 2n) return n
  let x = 1n << BigInt(Math.ceil(n.toString(2).length / 2))
  for (;;) {
    const next = (x + n / x) / 2n
    if (next >= x) return x
    x = next
  }
}
