import { z } from 'zod'
import { CatalogAddress } from '../../domain/address.ts'
import { type RowOf, ServiceUrl, swapContracts } from '../swap-contracts.ts'

/** The contracts of Across, and the tokens that it carries. */
export const acrossContracts = swapContracts('across', {
  spokePool: CatalogAddress,
  tokens: z.record(z.string().min(1), CatalogAddress),
  api: ServiceUrl,
})

/**
 * The contract of Across on a chain, which takes deposits and pays out fills. `tokens` are the large assets that it carries, by the name
 * that Across has for them on every chain, whatever their symbols. `api` is the base URL of the service that suggests fees. Ends with
 * different services form no bridge.
 */
export type AcrossConstants = RowOf<typeof acrossContracts>
