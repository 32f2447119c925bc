import { CatalogAddress } from '../../domain/address.ts'
import { type RowOf, ServiceUrl, swapContracts } from '../swap-contracts.ts'

/** The contracts of CoW Protocol. */
export const cowContracts = swapContracts('cow', {
  settlement: CatalogAddress,
  vaultRelayer: CatalogAddress,
  api: ServiceUrl,
})

/**
 * The contracts of CoW Protocol on a chain: orders are pre-signed at the settlement, and the relayer takes what they sell. `api` is the base
 * URL of the order book of the chain; without one it is not asked.
 */
export type CowConstants = RowOf<typeof cowContracts>
