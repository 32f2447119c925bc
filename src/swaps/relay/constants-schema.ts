import { z } from 'zod'
import { CatalogAddress } from '../../domain/address.ts'
import { type RowOf, ServiceUrl, swapContracts } from '../swap-contracts.ts'

export const relayContracts = swapContracts('relay', {
  depository: CatalogAddress,
  chain: z.string().min(1),
  router: CatalogAddress,
  router32: CatalogAddress,
  solver: CatalogAddress,
  solverChain: z.string().min(1),
  api: ServiceUrl,
})

/**
 * Relay on a chain: tokens are deposited at the depository for an order. `chain` is its own name for the chain in orders, and `solver` on
 * `solverChain` the account that orders are made with, which pays coins out by the `router` or, since 2026-10-26, by
 * version 3.2 of it, `router32`. `api` is the base URL of its service; without one it is not asked.
 */
export type RelayConstants = RowOf<typeof relayContracts>
