import type { Catalog, StrategyEntry } from '../protocols/catalog-types.ts'

type Written = Omit<Catalog, 'strategies'> & {
  strategies: readonly (Omit<StrategyEntry, 'fromBlock'> & { fromBlock: string })[]
}

/** A catalogue as JSON can carry it: block numbers are decimal strings. */
export const encodeCatalog = (catalog: Catalog): Written => ({
  ...catalog,
  strategies: catalog.strategies.map((entry) => ({ ...entry, fromBlock: entry.fromBlock.toString() })),
})

/** Reads back what `encodeCatalog` gave. */
export function decodeCatalog(json: unknown): Catalog {
  const written = json as Written
  return {
    ...written,
    // A world that an older version saved knows nothing of these.
    priceFeeds: written.priceFeeds ?? [],
    uniswapV2: written.uniswapV2 ?? [],
    kyberSwap: written.kyberSwap ?? [],
    uniswapV4: written.uniswapV4 ?? [],
    across: written.across ?? [],
    acrossApi: written.acrossApi ?? null,
    cow: written.cow ?? [],
    balancerV2: written.balancerV2 ?? [],
    pancakeSwapV3: written.pancakeSwapV3 ?? [],
    lifi: written.lifi ?? [],
    oneInch: written.oneInch ?? [],
    relay: (written.relay ?? []).map((one) => ({ ...one, router: one.router ?? one.solver })),
    strategies: written.strategies.map((entry) => ({ ...entry, fromBlock: BigInt(entry.fromBlock) })),
  }
}
