import type { ChainClient } from '../../chain/chain-client.ts'
import type { Backend } from '../../cli/backend-types.ts'
import { AppError } from '../../domain/errors.ts'
import { networkNamed } from '../../domain/networks.ts'
import type { Catalog } from '../../protocols/catalog-types.ts'

/**
 * Reads USD prices of tokens from the oracles of their chain in one call; a receipt is priced by its underlying
 * value. Prices are for display only and decide nothing that is signed, so a chain that fails to answer yields no
 * prices.
 */
export const displayPrices =
  (opened: () => Promise<{ catalog: Catalog; rpc: (chainId: number) => ChainClient }>): Backend['prices'] =>
  async (chainId, tokens) => {
    try {
      const { catalog, rpc } = await opened()
      const [{ openChain }, { read }, { unitPriceUsd }, { together }] = await Promise.all([
        import('../../chain/network-client.ts'),
        import('../../chain/run-readings.ts'),
        import('../../engine/prices/token-price-usd.ts'),
        import('../../chain/composable-reading.ts'),
      ])
      const chain = openChain(networkNamed(catalog.networks, chainId), rpc(chainId))
      const found = await read(chain, together(tokens.map((token) => unitPriceUsd(catalog, token))))
      return tokens.flatMap(({ address }, at) => {
        const usd = found[at]!
        return usd === null ? [] : [{ chainId, address, usd }]
      })
    } catch (error) {
      if (error instanceof AppError) return []
      throw error
    }
  }
