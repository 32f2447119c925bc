import { aveniaOf, type Catalog } from '../protocols/catalog-types.ts'

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
  const isThere = ({ chainId }: { chainId: number }) => known.has(chainId)
  const isActive = ({ slug }: { slug: string }) => strategies === null || strategies.includes(slug)
  return {
    networks,
    tokens: catalog.tokens.filter(isThere),
    strategies: catalog.strategies.filter((entry) => isThere(entry) && isActive(entry)),
    uniswapV3: catalog.uniswapV3.filter(isThere),
    uniswapV2: catalog.uniswapV2.filter(isThere),
    kyberSwap: catalog.kyberSwap.filter(isThere),
    uniswapV4: catalog.uniswapV4.filter(isThere),
    cctpV2: catalog.cctpV2.filter(isThere),
    attestation: catalog.attestation,
    across: catalog.across.filter(isThere),
    acrossApi: catalog.acrossApi,
    cow: catalog.cow.filter(isThere),
    balancerV2: catalog.balancerV2.filter(isThere),
    pancakeSwapV3: catalog.pancakeSwapV3.filter(isThere),
    lifi: catalog.lifi.filter(isThere),
    oneInch: catalog.oneInch.filter(isThere),
    relay: catalog.relay.filter(isThere),
    priceFeeds: catalog.priceFeeds.filter(isThere),
    priceOracles: Object.fromEntries(
      Object.entries(catalog.priceOracles).filter(([chainId]) => known.has(Number(chainId))),
    ),
    ...aveniaOf((catalog.avenia ?? []).filter(isThere)),
    ...(catalog.bitcoin && { bitcoin: catalog.bitcoin }),
  }
}
