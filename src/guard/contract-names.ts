import { type Address, sameAddress } from '../domain/address.ts'
import { tokenAt } from '../domain/token.ts'
import type { Catalog } from '../protocols/catalog.ts'
import { bindingOf } from '../protocols/registry.ts'

/** The contracts of a chain that take tokens, by the catalogue, with their names. */
export function knownSpenders(
  { strategies, uniswapV3, cctpV2 }: Pick<Catalog, 'strategies' | 'uniswapV3' | 'cctpV2'>,
  chainId: number,
): { spender: Address; name: string }[] {
  return [
    ...strategies
      .filter((entry) => entry.chainId === chainId)
      .map((entry) => ({ spender: bindingOf(entry).targets[0], name: entry.protocol })),
    ...uniswapV3
      .filter((one) => one.chainId === chainId)
      .map(({ swapRouter02 }) => ({ spender: swapRouter02, name: 'uniswap-v3' })),
    ...cctpV2
      .filter((one) => one.chainId === chainId)
      .map(({ tokenMessenger }) => ({ spender: tokenMessenger, name: 'cctp-v2' })),
  ]
}

/** The catalogue's name of a contract: a protocol, or the symbol of a token; `null` if unknown. */
export const contractName = (catalog: Catalog, chainId: number, address: Address): string | null =>
  tokenAt(catalog.tokens, chainId, address)?.symbol ??
  knownSpenders(catalog, chainId).find(({ spender }) => sameAddress(spender, address))?.name ??
  catalog.strategies.find(
    ({ chainId: on, receipt }) => on === chainId && sameAddress(receipt.address, address),
  )?.receipt.symbol ??
  null
