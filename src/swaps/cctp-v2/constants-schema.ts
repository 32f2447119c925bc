import { z } from 'zod'
import { CatalogAddress } from '../../domain/address.ts'
import { type RowOf, ServiceUrl, swapContracts } from '../swap-contracts.ts'

/** The contracts of the burn-and-mint bridge (CCTP v2). */
export const cctpV2Contracts = swapContracts('cctp', {
  domain: z.int().min(0),
  token: CatalogAddress,
  tokenMessenger: CatalogAddress,
  messageTransmitter: CatalogAddress,
  attestation: ServiceUrl,
})

/**
 * The contracts of the burn-and-mint bridge (CCTP v2) on a chain. `domain` is the bridge's own number for the chain, `attestation` the
 * base URL of the attestation service of this end. Ends with different services form no bridge.
 */
export type CctpV2Constants = RowOf<typeof cctpV2Contracts>
