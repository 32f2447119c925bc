import type { Address } from '../domain/address.ts'
import type { Transaction } from '../domain/transaction.ts'
import type { Catalog } from '../protocols/catalog.ts'
import type { Verdict } from '../protocols/verdict.ts'
import { cctpV2 } from './cctp-v2/definition.ts'
import type { SwapDefinition, SwapIntent, SwapNetwork, SwapProof } from './definition.ts'
import type { SwapProvider } from './provider.ts'
import { uniswapV3 } from './uniswap-v3/definition.ts'

/** Every swap provider, in the order in which equal offers are preferred. */
const swapDefinitions: readonly SwapDefinition[] = [uniswapV3, cctpV2]

/** The names of all providers. */
export const swapProviderNames: readonly string[] = swapDefinitions.map(({ name }) => name)

/** How far the terms of a swap of a provider are proved; `undefined` for one that is not known here. */
export const swapProofOf = (provider: string): SwapProof | undefined =>
  swapDefinitions.find(({ name }) => name === provider)?.proof

/** What the guard expects of the action of a swap; `undefined` if no provider of the catalogue can carry it out. */
export function swapExpectation(
  catalog: Catalog,
  intent: SwapIntent,
): { targets: readonly Address[]; bind: (transaction: Transaction) => Verdict } | undefined {
  const reach = intent.tokenIn.chainId === intent.tokenOut.chainId ? 'same-chain' : 'cross-chain'
  for (const one of swapDefinitions) {
    const expected = one.reach === reach ? one.expect(catalog, intent) : undefined
    if (expected) return expected
  }
  return undefined
}

/** The contracts of a chain that take tokens for a swap, with the names of their providers. */
export const swapSpenders = (catalog: Catalog, chainId: number): { spender: Address; name: string }[] =>
  swapDefinitions.flatMap(({ name, spender }) => {
    const address = spender(catalog, chainId)
    return address ? [{ spender: address, name }] : []
  })

/** Opens every provider that the catalogue has contracts for. */
export const openSwapProviders = (catalog: Catalog, network: SwapNetwork): SwapProvider[] =>
  swapDefinitions.flatMap(({ open }) => open(catalog, network) ?? [])
