import { z } from 'zod'
import type { Rounds } from '../chain/call.ts'
import { type Address, sameAddress } from '../domain/address.ts'
import type { Transaction } from '../domain/transaction-types.ts'
import type { CalldataVerdict } from '../protocols/calldata-verdict.ts'
import type { Catalog } from '../protocols/catalog-types.ts'
import type { SwapIntent } from '../protocols/intent.ts'
import type { MovingPriceQuote as Exchanged } from '../protocols/moving-price-quotes.ts'
import { whyLost } from '../protocols/unrecoverable-recipients.ts'
import { across } from './across/definition.ts'
import { avenia } from './avenia/definition.ts'
import { balancerV2 } from './balancer-v2/definition.ts'
import { type FollowTransfer, isEarlier } from './bridge-delivery.ts'
import { cctpV2 } from './cctp-v2/definition.ts'
import { followBurn } from './cctp-v2/follow.ts'
import { cow } from './cow/definition.ts'
import type { OrderRules, SwapDefinition, SwapProof } from './definition.ts'
import { kyberSwap } from './kyberswap/definition.ts'
import { lifi } from './lifi/definition.ts'
import { oneInch } from './oneinch/definition.ts'
import { poolAt } from './pool-recognition.ts'
import type { SwapProvider } from './provider.ts'
import type { SwapDependencies } from './provider-dependencies.ts'
import { relay } from './relay/definition.ts'
import type { FileOf } from './swap-contracts.ts'
import { likeUniswapV2, uniswapV2 } from './uniswap-v2/definition.ts'
import { likeUniswapV3, uniswapV3 } from './uniswap-v3/definition.ts'
import { uniswapV4 } from './uniswap-v4/definition.ts'

const all = [
  uniswapV3,
  uniswapV2,
  likeUniswapV2('sushiswap-v2', 'SushiSwap v2'),
  kyberSwap,
  uniswapV4,
  cctpV2,
  across,
  cow,
  balancerV2,
  // Its SmartRouter has the functions of SwapRouter02, its quoter those of QuoterV2 (source: the ABIs of
  // `@pancakeswap/smart-router` 7.7.3 and `@pancakeswap/v3-sdk` 3.10.2).
  likeUniswapV3('pancakeswap-v3', 'PancakeSwap v3', [2500, 50]),
  avenia,
  lifi,
  oneInch,
  relay,
] as const satisfies readonly SwapDefinition[]

/** All swap providers, in order of preference for equal offers. */
export const swapDefinitions: readonly SwapDefinition[] = all

/** The contracts of swap providers in the file of a network, by provider name; a provider that is not there has none. */
export type SwapsOfFile = {
  [one in (typeof all)[number] as one['contracts']['name']]?: FileOf<one['contracts']>
}

/** The schema of `SwapsOfFile`. */
export const swapsOfFile = z.strictObject(
  Object.fromEntries(all.map(({ contracts: { name, file } }) => [name, file.optional()])),
) as unknown as z.ZodType<SwapsOfFile>

export const swapProviderNames: readonly string[] = swapDefinitions.map(({ name }) => name)

/** The names of the providers whose output our own node can price, without their services. */
export const nodePricedProviderNames: readonly string[] = swapDefinitions.flatMap(({ name, exchange }) =>
  exchange ? [name] : [],
)

/** How the terms of a provider's swap are proved; `undefined` for an unknown provider. */
export const swapProofOf = (provider: string): SwapProof | undefined =>
  swapDefinitions.find(({ name }) => name === provider)?.proof

/** Whether a provider's swap is an order, which may be filled after its transaction. */
export const isOrderProvider = (provider: string | null): boolean =>
  swapDefinitions.some(({ name, isOrder }) => name === provider && isOrder === true)

/** Whether a provider's swap pays out after its transaction, on the same chain, if at all. */
export const isLaterPayoutProvider = (provider: string | null): boolean =>
  isOrderProvider(provider) ||
  swapDefinitions.some(({ name, paysOutLater }) => name === provider && paysOutLater)

/**
 * What the guard expects of a swap's transaction: by the named provider, else, because a service may use other names, by the called
 * contract. `undefined` if no provider of the catalogue, or not the named one, can execute it.
 */
export function swapExpectation(
  catalog: Catalog,
  intent: SwapIntent,
): { targets: readonly Address[]; check: (transaction: Transaction) => CalldataVerdict } | undefined {
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

/** Reads a swap's output now and at the spot price from our own node; `undefined` for an unknown call. */
export function swapExchange(catalog: Catalog, transaction: Transaction): Rounds<Exchanged> | undefined {
  for (const { exchange } of swapDefinitions) {
    const rounds = exchange?.(catalog, transaction)
    if (rounds) return rounds
  }
  return undefined
}

/**
 * Follows a transfer by the provider whose contract was called; any other contract is CCTP v2. A payment or refund before the transfer was
 * for another one and is left out, whatever provider found it.
 */
export const followTransfer: FollowTransfer = async (context, awaited, reportedHash) => {
  const { catalog } = context
  const { transaction } = awaited.sent
  const { chainId, to } = transaction
  const sender = swapDefinitions.find(({ follow, isTransfer, callee, spender }) => {
    if (!follow || isTransfer) return isTransfer?.(catalog, transaction)
    return sameAddress((callee ?? spender)(catalog, chainId) ?? '', to)
  })
  const delivery = await (sender?.follow ?? followBurn)(context, awaited, reportedHash)
  const { brought, order, sentAt } = delivery
  const isOld = (payment: { chainId: number; found: { blockNumber: number } } | undefined) =>
    payment !== undefined &&
    isEarlier(context, awaited.sent, sentAt, { chainId: payment.chainId, ...payment.found })
  const [isBroughtOld, isReturnOld] = await Promise.all([
    isOld(brought && { chainId: awaited.arrival.chainId, ...brought }),
    isOld(order?.returned),
  ])
  return {
    ...delivery,
    ...(isBroughtOld && { brought: undefined, isDelivered: undefined }),
    ...(order && isReturnOld && { order: { ...order, returned: undefined } }),
  }
}

/** The order that a transaction of a swap uses: its rules and its id, which holds for all providers; `undefined` if it uses none. */
export function swapOrderOf(
  catalog: Catalog,
  transaction: Transaction,
): { rules: OrderRules; id: string } | undefined {
  for (const { name, orders, callee, spender } of swapDefinitions) {
    const called = (callee ?? spender)(catalog, transaction.chainId)
    if (orders === 'none' || !called || !sameAddress(called, transaction.to)) continue
    const id = orders.idIn(transaction)
    if (id !== undefined) return { rules: orders, id: `${name}:${id}` }
  }
  return undefined
}

/** The contracts that take tokens for swaps on a chain, with their provider names; Permit2, which several providers share, as `permit2`. */
export const swapSpenders = (catalog: Catalog, chainId: number): { spender: Address; name: string }[] =>
  swapDefinitions.flatMap(({ name, spender, callee, isOrder }) => {
    const address = spender(catalog, chainId)
    return address ? [{ spender: address, name: callee && !isOrder ? 'permit2' : name }] : []
  })

/** The contract that takes the tokens of each provider on a chain, by the provider's name. */
export const swapSpendersByProvider = (
  catalog: Catalog,
  chainId: number,
): { spender: Address; name: string }[] =>
  swapDefinitions.flatMap(({ name, spender }) => {
    const address = spender(catalog, chainId)
    return address ? [{ spender: address, name }] : []
  })

/** The contracts that swaps call on a chain without an allowance of their own, each with the spender that it uses. */
export const swapCallees = (
  catalog: Catalog,
  chainId: number,
): { callee: Address; spender: Address; name: string }[] =>
  swapDefinitions.flatMap(({ name, spender, callee }) => {
    const [called, allowed] = [callee?.(catalog, chainId), spender(catalog, chainId)]
    return called && allowed ? [{ callee: called, spender: allowed, name }] : []
  })

/** The contracts on a chain that pay out arriving transfers and that anybody may call, with the name of their provider. */
export const swapPayers = (catalog: Catalog, chainId: number): { payer: Address; name: string }[] =>
  swapDefinitions.flatMap(({ name, payer }) => {
    const address = payer?.(catalog, chainId)
    return address ? [{ payer: address, name }] : []
  })

/** The contract that needs the token allowance for a transaction: the called contract, or the Permit2 that it uses. */
export const allowanceSpender = (
  catalog: Catalog,
  { chainId, to }: Pick<Transaction, 'chainId' | 'to'>,
): Address => swapCallees(catalog, chainId).find(({ callee }) => sameAddress(callee, to))?.spender ?? to

/** Opens every provider that the catalogue has contracts for. */
export const openSwapProviders = (catalog: Catalog, network: SwapDependencies): SwapProvider[] =>
  swapDefinitions.flatMap(({ open }) => open(catalog, network) ?? [])

/**
 * Why tokens paid to an address are lost, as the end of a sentence: `whyLost`, or a pool, which no list has, so that it is recognised on
 * the chain. `undefined` for wallets, with or without code. An account without code takes one round of reads. Coins (`isCoin`) may be sent
 * to contracts.
 */
export function* whyRecipientLost(
  catalog: Catalog,
  { chainId, to, isCoin = false }: { chainId: number; to: Address; isCoin?: boolean },
): Rounds<string | undefined> {
  const known = whyLost(catalog, chainId, to, isCoin)
  if (known !== undefined || isCoin) return known
  const exchange = yield* poolAt(swapDefinitions, catalog, to)
  return exchange === undefined ? undefined : `a pool of ${exchange}`
}
