import type { Token } from '../domain/token.ts'
import type { Catalog } from '../protocols/catalog.ts'

/** Every token of a chain that a wallet may hold by this program: those of the catalogue, and what positions are held in. */
export function trackedTokens({ tokens, strategies }: Catalog, chainId: number): Token[] {
  const all = [...tokens, ...strategies.map(({ receipt }) => receipt)]
  const byAddress = new Map(
    all
      .filter((token) => token.chainId === chainId)
      .map((token) => [token.address.toLowerCase(), token] as const),
  )
  return [...byAddress.values()]
}
