import { CatalogAddress } from '../../domain/address.ts'
import { type RowOf, ServiceUrl, swapContracts } from '../swap-contracts.ts'

/** The contracts of KyberSwap's aggregator. */
export const kyberSwapContracts = swapContracts('kyberswap', { router: CatalogAddress, api: ServiceUrl })

/** The router of KyberSwap's aggregator on a chain. `api` is the base URL of its service for the chain; without one it is not asked. */
export type KyberSwapConstants = RowOf<typeof kyberSwapContracts>
