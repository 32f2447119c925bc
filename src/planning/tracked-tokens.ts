import type { Token } from '../domain/token.ts'
import type { Catalog } from '../protocols/catalog-types.ts'

/** Every token of a chain that a wallet may hold through this program: the catalogue's, and the receipts of positions. */
export function trackedTokens({ tokens, strategies }: Catalog, chainId: number): Token[] {
  const all = [...tokens, ...strategies.map(({ receipt }) => receipt)]
  const byAddress = new Map(
    all
      .filter((token) => token.chainId === chainId)
      .map((token) => [token.address.toLowerCase(), token] as const),
  )
  return [...byAddress.values()]
}
