import { sameAddress } from '../../domain/address.ts'
import { type Token, wrappedOn } from '../../domain/token.ts'
import type { Catalog } from '../../protocols/catalog-types.ts'
import { contractsOn } from '../swap-contracts.ts'
import { type AcrossConstants, acrossContracts } from './constants-schema.ts'

/** The contracts of Across on a chain; `undefined` if there are none. */
export const acrossOn = (catalog: Pick<Catalog, 'swaps'>, chainId: number): AcrossConstants | undefined =>
  contractsOn(catalog, acrossContracts, chainId)

/** The supported assets, by their symbols in our catalogue: the large ones with Across liquidity on most networks. */
const supportedSymbols: readonly string[] = ['USDC', 'USDT', 'DAI', 'WETH', 'WBTC']

/**
 * Whether Across can transfer a token to another: the same asset on both chains. Our catalogue must list both under one symbol of
 * `supportedSymbols`, unique on its chain, with the same decimals. The wrapped native coin cannot be the output: a pool pays it to accounts
 * without code as the native coin, so no token arrives.
 */
export function isSupportedPair(
  catalog: Pick<Catalog, 'networks' | 'tokens' | 'swaps'>,
  tokenIn: Pick<Token, 'chainId' | 'address'>,
  tokenOut: Pick<Token, 'chainId' | 'address'>,
): boolean {
  const [here, there] = [tokenIn, tokenOut].map(({ chainId }) => acrossOn(catalog, chainId))
  // Mainnets and testnets have different services, and no relayer connects them.
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

/** The catalogue token at an address, if its symbol is one of `supportedSymbols` and unique on its chain. */
function assetAt(
  { tokens }: Pick<Catalog, 'tokens'>,
  { chainId, address }: Pick<Token, 'chainId' | 'address'>,
): Token | undefined {
  const here = tokens.filter((token) => token.chainId === chainId)
  const found = here.find((token) => sameAddress(token.address, address))
  if (!found || !supportedSymbols.includes(found.symbol)) return undefined
  return here.filter(({ symbol }) => symbol === found.symbol).length === 1 ? found : undefined
}
