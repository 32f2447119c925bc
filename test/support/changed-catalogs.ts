import type { Catalog } from '../../src/protocols/catalog-types.ts'
import { acrossContracts } from '../../src/swaps/across/constants-schema.ts'
import { cctpV2Contracts } from '../../src/swaps/cctp-v2/constants-schema.ts'
import { withContracts } from '../../src/swaps/swap-contracts.ts'

/** A catalogue with another attestation service of the burn-and-mint bridge; `null` for none. */
export const withAttestation = (catalog: Catalog, attestation: string | null): Catalog =>
  withContracts(catalog, cctpV2Contracts, (rows) => rows.map((one) => ({ ...one, attestation })))

/** A catalogue with another service of Across; `null` for none. */
export const withAcrossApi = (catalog: Catalog, api: string | null): Catalog =>
  withContracts(catalog, acrossContracts, (rows) => rows.map((one) => ({ ...one, api })))

/** A catalogue without some swap providers. */
export const withoutProviders = (catalog: Catalog, ...names: readonly string[]): Catalog => ({
  ...catalog,
  swaps: Object.fromEntries(Object.entries(catalog.swaps).filter(([name]) => !names.includes(name))),
})
