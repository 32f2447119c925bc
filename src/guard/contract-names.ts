import { type Address, sameAddress } from '../domain/address.ts'
import { tokenAt } from '../domain/token.ts'
import type { Catalog, StrategyEntry } from '../protocols/catalog-types.ts'
import { calldataRulesOf, queueOf } from '../protocols/registry.ts'
import { swapCallees, swapPayers, swapSpenders } from '../swaps/swap-provider-registry.ts'

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
  swapPayers(catalog, chainId).find(({ payer }) => sameAddress(payer, address))?.name ??
  catalog.strategies.find(
    ({ chainId: on, receipt }) => on === chainId && sameAddress(receipt.address, address),
  )?.receipt.symbol ??
  catalog.strategies.find(
    (entry) =>
      entry.chainId === chainId && marketContracts(entry).some((contract) => sameAddress(contract, address)),
  )?.protocol ??
  null

/** The contracts of a market that steps call: for deposits, withdrawals and claims. */
const marketContracts = (entry: StrategyEntry): Address[] => {
  const queue = queueOf(entry)
  return [
    ...calldataRulesOf(entry).targets,
    ...(queue ? [queue.place, ...(queue.lapses ? [queue.lapses.takeBack.to] : [])] : []),
  ]
}
