import { sameAddress } from '../../domain/address.ts'
import { type Token, tokenAt, wrappedOn } from '../../domain/token.ts'
import type { Catalog } from '../../protocols/catalog-types.ts'
import { contractsOn } from '../swap-contracts.ts'
import { type AcrossConstants, acrossContracts } from './constants-schema.ts'

/** The contracts of Across on a chain; `undefined` if there are none. */
export const acrossOn = (catalog: Pick<Catalog, 'swaps'>, chainId: number): AcrossConstants | undefined =>
  contractsOn(catalog, acrossContracts, chainId)

/**
 * Whether Across can transfer a token to another: the same asset on both chains, by the token lists of both ends, with the same decimals.
 * Symbols do not tell: USDT is called USDT0 on Arbitrum and Polygon. The wrapped native coin cannot be the output: a pool pays it to
 * accounts without code as the native coin, so no token arrives.
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
  const [from, to] = [tokenIn, tokenOut].map(({ chainId, address }) =>
    tokenAt(catalog.tokens, chainId, address),
  )
  const asset = assetAt(here, tokenIn.address)
  if (!from || !to || from.decimals !== to.decimals) return false
  if (asset === undefined || asset !== assetAt(there, tokenOut.address)) return false
  const wrapped = wrappedOn(catalog, to.chainId)
  return wrapped === undefined || !sameAddress(wrapped, to.address)
}

/** The name that Across has for a token; `undefined` if it does not carry it. */
const assetAt = ({ tokens }: AcrossConstants, address: string): string | undefined =>
  Object.keys(tokens).find((name) => sameAddress(tokens[name]!, address))
