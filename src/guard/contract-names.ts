import { type Address, sameAddress } from '../domain/address.ts'
import { tokenAt } from '../domain/token.ts'
import type { Catalog } from '../protocols/catalog-types.ts'
import { calldataRulesOf } from '../protocols/registry.ts'
import { swapCallees, swapSpenders } from '../swaps/swap-provider-registry.ts'

/** The contracts of a chain that take tokens, by the catalogue, with their names. */
export function knownSpenders(catalog: Catalog, chainId: number): { spender: Address; name: string }[] {
  return [
    ...catalog.strategies
      .filter((entry) => entry.chainId === chainId)
      .map((entry) => ({ spender: calldataRulesOf(entry).targets[0], name: entry.protocol })),
    ...swapSpenders(catalog, chainId),
  ]
}

/** The catalogue's name of a contract: a protocol, or the symbol of a token; `null` if unknown. */
export const contractName = (catalog: Catalog, chainId: number, address: Address): string | null =>
  tokenAt(catalog.tokens, chainId, address)?.symbol ??
  knownSpenders(catalog, chainId).find(({ spender }) => sameAddress(spender, address))?.name ??
  swapCallees(catalog, chainId).find(({ callee }) => sameAddress(callee, address))?.name ??
  catalog.strategies.find(
    ({ chainId: on, receipt }) => on === chainId && sameAddress(receipt.address, address),
  )?.receipt.symbol ??
  null
