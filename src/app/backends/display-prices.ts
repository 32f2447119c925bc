import type { ChainClient } from '../../chain/chain-client.ts'
import type { Backend } from '../../cli/backend-types.ts'
import { AppError } from '../../domain/errors.ts'
import { networkNamed } from '../../domain/networks.ts'
import type { TokenUsdPrice } from '../../planning/usd-value.ts'
import type { Catalog } from '../../protocols/catalog-types.ts'

/**
 * Reads USD prices of tokens from the oracles of their chain in one call; a receipt is priced by its underlying
 * value. Prices are for display only and decide nothing that is signed, so a chain that fails to answer yields no
 * prices. A command asks once for the price of a token: what its plan was shown with, its result is.
 */
export function displayPrices(
  opened: () => Promise<{ catalog: Catalog; rpc: (chainId: number) => ChainClient }>,
): Backend['prices'] {
  const known = new Map<string, TokenUsdPrice | null>()
  const nameOf = (chainId: number, address: string) => `${chainId} ${address.toLowerCase()}`
  return async (chainId, all) => {
    const tokens = all.filter(({ address }) => !known.has(nameOf(chainId, address)))
    const priced = () => all.flatMap(({ address }) => known.get(nameOf(chainId, address)) ?? [])
    if (tokens.length === 0) return priced()
    try {
      const { catalog, rpc } = await opened()
      const [{ openChain }, { ask }, { unitPriceUsd }, { together }] = await Promise.all([
        import('../../chain/network-client.ts'),
        import('../../chain/ask.ts'),
        import('../../engine/prices/token-price-usd.ts'),
        import('../../chain/call.ts'),
      ])
      const chain = openChain(networkNamed(catalog.networks, chainId), rpc(chainId))
      const found = await ask(chain, together(tokens.map((token) => unitPriceUsd(catalog, token))))
      for (const [at, { address }] of tokens.entries()) {
        const usd = found[at]!
        known.set(nameOf(chainId, address), usd === null ? null : { chainId, address, usd })
      }
    } catch (error) {
      if (!(error instanceof AppError)) throw error
    }
    return priced()
  }
}
