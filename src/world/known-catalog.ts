import type { Catalog } from '../domain/catalog.ts'
import type { Directories } from './directories.ts'

type Env = Readonly<Record<string, string | undefined>>

/** Everything that is known in advance about networks that an RPC can be given for. Other networks are added here. */
export async function knownCatalog({ cache }: Directories, env: Env): Promise<Catalog> {
  const [{ genesis }, { findAnvil }] = await Promise.all([
    import('../sandbox/genesis/cache.ts'),
    import('../sandbox/anvil.ts'),
  ])
  const { SLUICE_ANVIL: explicit, PATH: path } = env
  const { catalog } = await genesis(cache, {
    // Only looked for where the world was never built before.
    get binary() {
      return findAnvil({ ...(explicit && { explicit }), ...(path && { path }) })
    },
  })
  return { ...catalog, attestation: null }
}

/** The part of a catalogue that is about some chains. */
export function catalogOn(catalog: Catalog, has: (chainId: number) => boolean): Catalog {
  const here = ({ chainId }: { chainId: number }) => has(chainId)
  return {
    networks: catalog.networks.filter(here),
    tokens: catalog.tokens.filter(here),
    strategies: catalog.strategies.filter(here),
    uniswapV3: catalog.uniswapV3.filter(here),
    cctpV2: catalog.cctpV2.filter(here),
    attestation: catalog.attestation,
    priceOracles: Object.fromEntries(
      Object.entries(catalog.priceOracles).filter(([chainId]) => has(Number(chainId))),
    ),
  }
}
