import { CatalogAddress } from '../../domain/address.ts'
import { type FileOf, type RowOf, ServiceUrl, type SwapContracts, swapContracts } from '../swap-contracts.ts'

const contracts = swapContracts('1inch', { router: CatalogAddress, api: ServiceUrl })

/**
 * The router of 1inch's aggregator on a chain. `api` is the base URL of its service for the chain, and `keyFile` the file with the user's
 * key for it, which no catalogue file names; without both it is not asked.
 */
export type OneInchConstants = RowOf<typeof contracts> & { keyFile?: string | null }

/** The contracts of 1inch's aggregator. */
export const oneInchContracts: SwapContracts<OneInchConstants, '1inch', FileOf<typeof contracts>> = contracts
