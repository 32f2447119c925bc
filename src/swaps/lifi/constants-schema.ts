import { CatalogAddress } from '../../domain/address.ts'
import { type RowOf, ServiceUrl, swapContracts } from '../swap-contracts.ts'

/** The contracts of LI.FI. */
export const lifiContracts = swapContracts('lifi', { diamond: CatalogAddress, api: ServiceUrl })

/** The diamond of LI.FI on a chain. `api` is the base URL of its service; without one it is not asked. */
export type LifiConstants = RowOf<typeof lifiContracts>
