import { CatalogAddress } from '../../domain/address.ts'
import { type RowOf, ServiceUrl, swapContracts } from '../swap-contracts.ts'

/** The contracts of Across. */
export const acrossContracts = swapContracts('across', { spokePool: CatalogAddress, api: ServiceUrl })

/**
 * The contract of Across on a chain, which takes deposits and pays out fills. `api` is the base URL of the service that suggests fees. Ends
 * with different services form no bridge.
 */
export type AcrossConstants = RowOf<typeof acrossContracts>
