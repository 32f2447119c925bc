import { catalogOn } from '../protocols/catalog-operations.ts'
import type { Catalog } from '../protocols/catalog-types.ts'

/**
 * The part of the catalogue an API key may see: testnets or not, and the slugs of its customer's active
 * strategies; `null` means all.
 */
export type AccessScope = { testnets: boolean; strategies: readonly string[] | null }

/** The scope of an engine that runs in the user's own process. */
export const fullAccess: AccessScope = { testnets: true, strategies: null }

/** Returns the part of a catalogue that is in scope. Everything else is treated as nonexistent. */
export function catalogInScope(catalog: Catalog, { testnets, strategies }: AccessScope): Catalog {
  const networks = catalog.networks.filter((network) => testnets || !network.testnet)
  const known = new Set(networks.map(({ chainId }) => chainId))
  const visible = catalogOn(catalog, (chainId) => known.has(chainId))
  return strategies === null
    ? visible
    : { ...visible, strategies: visible.strategies.filter(({ slug }) => strategies.includes(slug)) }
}
