import type { Rounds } from '../chain/contract-query.ts'
import { type Address, sameAddress } from '../domain/address.ts'
import type { Transaction } from '../domain/transaction.ts'
import type { Verdict } from '../protocols/calldata-verdict.ts'
import type { Catalog } from '../protocols/catalog-types.ts'
import type { SwapIntent } from '../protocols/intent.ts'
import type { Offer as Exchanged } from '../protocols/moving-price-quotes.ts'
import { across } from './across/definition.ts'
import { avenia } from './avenia/definition.ts'
import { balancerV2 } from './balancer-v2/definition.ts'
import { cctpV2 } from './cctp-v2/definition.ts'
import { cow } from './cow/definition.ts'
import type { SwapDefinition, SwapProof } from './definition.ts'
import { kyberSwap } from './kyberswap/definition.ts'
import { lifi } from './lifi/definition.ts'
import { oneInch } from './oneinch/definition.ts'
import type { SwapProvider } from './provider.ts'
import type { SwapDependencies } from './provider-dependencies.ts'
import { relay } from './relay/definition.ts'
import { uniswapV2 } from './uniswap-v2/definition.ts'
import { pancakeSwapV3, uniswapV3 } from './uniswap-v3/definition.ts'
import { uniswapV4 } from './uniswap-v4/definition.ts'

/** Every swap provider, in the order in which equal offers are preferred. */
export const swapDefinitions: readonly SwapDefinition[] = [
  uniswapV3,
  uniswapV2,
  kyberSwap,
  uniswapV4,
  cctpV2,
  across,
  cow,
  balancerV2,
  pancakeSwapV3,
  avenia,
  lifi,
  oneInch,
  relay,
]

/** The names of all providers. */
export const swapProviderNames: readonly string[] = swapDefinitions.map(({ name }) => name)

/** The names of those that our own node can price: nobody else is asked for what they bring. */
export const nodePricedProviderNames: readonly string[] = swapDefinitions.flatMap(({ name, exchange }) =>
  exchange ? [name] : [],
)

/** How far the terms of a swap of a provider are proved; `undefined` for one that is not known here. */
export const swapProofOf = (provider: string): SwapProof | undefined =>
  swapDefinitions.find(({ name }) => name === provider)?.proof

/** Whether a swap by this provider is an order, which is filled after its transaction, or never. */
export const isOrderProvider = (provider: string | null): boolean =>
  swapDefinitions.some(({ name, isOrder }) => name === provider && isOrder === true)

/** Whether a swap by this provider brings nothing by its transaction, and is paid out later, or never. */
export const isLaterProvider = (provider: string | null): boolean =>
  isOrderProvider(provider) || swapDefinitions.some(({ name, isLater }) => name === provider && isLater)

/**
 * What the guard expects of the action of a swap: by the provider of that name, else, as a service may name its providers otherwise, by
 * the one whose contract is called. `undefined` if no provider of the catalogue can carry it out, or the named one cannot.
 */
export function swapExpectation(
  catalog: Catalog,
  intent: SwapIntent,
): { targets: readonly Address[]; check: (transaction: Transaction) => Verdict } | undefined {
  const reach = intent.tokenIn.chainId === intent.tokenOut.chainId ? 'same-chain' : 'cross-chain'
  const able = swapDefinitions.filter((one) => one.reach === reach || one.reach === 'both')
  const named = able.filter(({ name }) => name === intent.provider)
  if (named.length === 0 && swapProviderNames.includes(intent.provider ?? '')) return undefined
  const expected = (named.length > 0 ? named : able).flatMap(({ expect }) => expect(catalog, intent) ?? [])
  const [first] = expected
  if (!first || expected.length === 1) return first
  const isCalled = ({ to }: Transaction, { targets }: (typeof expected)[number]) =>
    targets.some((target) => sameAddress(target, to))
  return {
    targets: expected.flatMap(({ targets }) => targets),
    check: (transaction) => (expected.find((one) => isCalled(transaction, one)) ?? first).check(transaction),
  }
}

/** What a swap on one chain brings now and at the spot price, as our own node is to be asked; `undefined` if no provider knows the call. */
export function swapExchange(catalog: Catalog, transaction: Transaction): Rounds<Exchanged> | undefined {
  for (const { exchange } of swapDefinitions) {
    const rounds = exchange?.(catalog, transaction)
    if (rounds) return rounds
  }
  return undefined
}

/** The contracts of a chain that take tokens for a swap, with the names of their providers; Permit2, which is none of theirs, by its own. */
export const swapSpenders = (catalog: Catalog, chainId: number): { spender: Address; name: string }[] =>
  swapDefinitions.flatMap(({ name, spender, callee, isOrder }) => {
    const address = spender(catalog, chainId)
    return address ? [{ spender: address, name: callee && !isOrder ? 'permit2' : name }] : []
  })

/** The contracts of a chain that are called for a swap and are not the ones that tokens are allowed to, with both. */
export const swapCallees = (
  catalog: Catalog,
  chainId: number,
): { callee: Address; spender: Address; name: string }[] =>
  swapDefinitions.flatMap(({ name, spender, callee }) => {
    const [called, allowed] = [callee?.(catalog, chainId), spender(catalog, chainId)]
    return called && allowed ? [{ callee: called, spender: allowed, name }] : []
  })

/** The contract that a token must allow for an action: the one that is called, or Permit2 where that takes tokens through it. */
export const allowedFor = (catalog: Catalog, { chainId, to }: Pick<Transaction, 'chainId' | 'to'>): Address =>
  swapCallees(catalog, chainId).find(({ callee }) => sameAddress(callee, to))?.spender ?? to

/** Opens every provider that the catalogue has contracts for. */
export const openSwapProviders = (catalog: Catalog, network: SwapDependencies): SwapProvider[] =>
  swapDefinitions.flatMap(({ open }) => open(catalog, network) ?? [])
