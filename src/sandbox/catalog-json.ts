import { emptyCatalog } from '../protocols/catalog-operations.ts'
import type { Catalog, StrategyEntry } from '../protocols/catalog-types.ts'

type CatalogJson = Omit<Catalog, 'strategies'> & {
  strategies: readonly (Omit<StrategyEntry, 'fromBlock'> & { fromBlock: string })[]
}

/** Converts a catalogue to its JSON form: block numbers are decimal strings. */
export const encodeCatalog = (catalog: Catalog): CatalogJson => ({
  ...catalog,
  strategies: catalog.strategies.map((entry) => ({ ...entry, fromBlock: entry.fromBlock.toString() })),
})

/** Parses the JSON form of a catalogue. */
export function decodeCatalog(json: unknown): Catalog {
  // A world saved by an older version lacks some fields.
  const written = { ...emptyCatalog, ...(json as CatalogJson) }
  return {
    ...written,
    relay: written.relay.map((one) => ({ ...one, router: one.router ?? one.solver })),
    strategies: written.strategies.map((entry) => ({ ...entry, fromBlock: BigInt(entry.fromBlock) })),
  }
}
