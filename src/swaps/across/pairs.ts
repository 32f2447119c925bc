import { sameAddress } from '../../domain/address.ts'
import { type Token, wrappedOn } from '../../domain/token.ts'
import type { AcrossConstants, Catalog } from '../../protocols/catalog-types.ts'

/** The contracts of Across on a chain. */
export const acrossOn = ({ across }: Pick<Catalog, 'across'>, chainId: number): AcrossConstants | undefined =>
  across.find((entry) => entry.chainId === chainId)

/** The assets that are carried, by the symbols of our own catalogue: the large ones for which Across keeps liquidity on most networks. */
const carried: readonly string[] = ['USDC', 'USDT', 'DAI', 'WETH', 'WBTC']

/**
 * Whether a token can be carried to another by Across: it is the same asset on both chains. That is so if our own catalogue knows both by
 * one symbol of `carried`, which nothing else on its chain has, and they have the same decimals. The wrapped native coin cannot be
 * carried to: a pool pays it out as the coin to whoever has no code, so that no token arrives.
 */
export function isCarried(
  catalog: Pick<Catalog, 'networks' | 'tokens' | 'across'>,
  tokenIn: Pick<Token, 'chainId' | 'address'>,
  tokenOut: Pick<Token, 'chainId' | 'address'>,
): boolean {
  const [here, there] = [tokenIn, tokenOut].map(({ chainId }) => acrossOn(catalog, chainId))
  // Main networks and test networks have different services, and no relayer carries anything between them.
  if (!here || !there || here.chainId === there.chainId || here.api !== there.api) return false
  const [networkHere, networkThere] = [tokenIn, tokenOut].map((token) =>
    catalog.networks.find(({ chainId }) => chainId === token.chainId),
  )
  if (networkHere?.testnet !== networkThere?.testnet) return false
  const [from, to] = [tokenIn, tokenOut].map((token) => assetAt(catalog, token))
  if (!from || !to || from.symbol !== to.symbol || from.decimals !== to.decimals) return false
  const wrapped = wrappedOn(catalog, to.chainId)
  return wrapped === undefined || !sameAddress(wrapped, to.address)
}

/** The token of the catalogue at an address, if it is one of `carried` and the only one of its symbol on its chain. */
function assetAt(
  { tokens }: Pick<Catalog, 'tokens'>,
  { chainId, address }: Pick<Token, 'chainId' | 'address'>,
): Token | undefined {
  const here = tokens.filter((token) => token.chainId === chainId)
  const found = here.find((token) => sameAddress(token.address, address))
  if (!found || !carried.includes(found.symbol)) return undefined
  return here.filter(({ symbol }) => symbol === found.symbol).length === 1 ? found : undefined
}
