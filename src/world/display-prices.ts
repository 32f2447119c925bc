import type { Place } from '../cli/world.ts'
import type { Catalog } from '../domain/catalog.ts'
import { AppError } from '../domain/errors.ts'
import { networkNamed } from '../domain/network-named.ts'
import type { Rpc } from '../net/rpc.ts'

/**
 * What tokens cost in USD as the oracles of their chain say, receipts by what they are worth, in one call. Prices are shown, and nothing that is signed is decided by
 * them: a chain that does not say them costs the prices alone.
 */
export const displayPrices =
  (opened: () => Promise<{ catalog: Catalog; rpc: (chainId: number) => Rpc }>): Place['prices'] =>
  async (chainId, tokens) => {
    try {
      const { catalog, rpc } = await opened()
      const [{ openChain, read }, { unitUsd }, { together }] = await Promise.all([
        import('../engine/chain.ts'),
        import('../engine/unit-usd.ts'),
        import('../engine/reading.ts'),
      ])
      const chain = openChain(networkNamed(catalog.networks, chainId), rpc(chainId))
      const found = await read(chain, together(tokens.map((token) => unitUsd(catalog, token))))
      return tokens.flatMap(({ address }, at) => {
        const usd = found[at]!
        return usd === null ? [] : [{ chainId, address, usd }]
      })
    } catch (error) {
      if (error instanceof AppError) return []
      throw error
    }
  }
