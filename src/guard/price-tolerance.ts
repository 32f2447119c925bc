import type { Amounts } from '../domain/accepted-amounts.ts'
import { sameAddress } from '../domain/address.ts'
import type { Token } from '../domain/token.ts'
import type { Catalog } from '../protocols/catalog-types.ts'
import { cctpV2Contracts } from '../swaps/cctp-v2/constants-schema.ts'
import { contractsOn } from '../swaps/swap-contracts.ts'
/** A reference price, and the largest accepted shortfall against it as a fraction; `null` if the person named a minimum. */
export type ReferencePrice = Amounts & { most: number | null }

/** The default limit of a swap's shortfall against the price of another engine, as a fraction. */
export const maxPriceShortfall = 0.03

/**
 * The price of a bridge that burns and mints: the output is the input less its fee of at most 0.14 % (Circle), and less the default
 * slippage of half a percent.
 */
export const burnBridgePrice = { amountIn: 1n, amountOut: 1n, most: 0.0075 } as const

/** Whether the burn-and-mint bridge carries a token. */
export const isBurntToken = (
  catalog: Pick<Catalog, 'swaps'>,
  { chainId, address }: Pick<Token, 'chainId' | 'address'>,
): boolean => sameAddress(contractsOn(catalog, cctpV2Contracts, chainId)?.token ?? '', address)

/** The shortfall of amounts against a price, as a fraction, to a unit of rounding; 0 if they are better. */
export function shortfallShare(given: Amounts, { amountIn, amountOut }: Amounts): number {
  const fair = given.amountIn * amountOut
  const short = fair - (given.amountOut + 1n) * amountIn
  // Rounded up, so that a shortfall slightly above the limit is above it.
  return short <= 0n ? 0 : Number((short * 1_000_000_000n + fair - 1n) / fair) / 1e9
}

/** Whether the shortfall of amounts against a price is accepted. */
export const isWithinTolerance = (given: Amounts, price: ReferencePrice): boolean =>
  price.most === null || shortfallShare(given, price) <= price.most
