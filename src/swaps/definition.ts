import type { Rounds } from '../chain/contract-query.ts'
import type { Address } from '../domain/address.ts'
import type { Transaction } from '../domain/transaction.ts'
import type { Verdict } from '../protocols/calldata-verdict.ts'
import type { Catalog } from '../protocols/catalog-types.ts'
import type { SwapIntent } from '../protocols/intent.ts'
import type { Offer as Exchanged } from '../protocols/moving-price-quotes.ts'
import type { SwapProvider } from './provider.ts'
import type { SwapDependencies } from './provider-dependencies.ts'

/**
 * How far the terms of a swap are proved before it is signed: by its calldata, by the simulation of it, or not at all. `deadline`: until
 * when it may be executed; a provider without one may be late.
 */
export type SwapProof = Readonly<
  Record<'spender' | 'amount' | 'recipient' | 'minimum' | 'deadline', 'calldata' | 'simulation' | 'none'>
>

/** Every term stands in the calldata. */
export const provedByCalldata: SwapProof = {
  spender: 'calldata',
  amount: 'calldata',
  recipient: 'calldata',
  minimum: 'calldata',
  deadline: 'calldata',
}

/** A swap provider as the program knows it; one line of `swap-provider-registry.ts`. */
export type SwapDefinition = {
  name: string
  /** Whether it swaps on one chain, or carries tokens to another. */
  reach: 'same-chain' | 'cross-chain' | 'both'
  proof: SwapProof
  /** Whether its action only places an order, which somebody else fills later, or nobody does. */
  isOrder?: true
  /** Whether its action takes the tokens, and somebody pays out on the same chain later. */
  isLater?: true
  /** The contract of a chain that takes the tokens; `undefined` without one. */
  spender: (catalog: Catalog, chainId: number) => Address | undefined
  /** The contract of a chain that is called, where that is another one: it takes the tokens through the spender. */
  callee?: (catalog: Catalog, chainId: number) => Address | undefined
  /** What the guard expects of the action of a swap; `undefined` if it cannot carry it out. */
  expect: (
    catalog: Catalog,
    intent: SwapIntent,
  ) => { targets: readonly Address[]; check: (transaction: Transaction) => Verdict } | undefined
  /**
   * What the action of a swap brings now and at the spot price, by our own node; `undefined` if it is no swap of this provider. Not for
   * a bridge, which has no price.
   */
  exchange?: (catalog: Catalog, transaction: Transaction) => Rounds<Exchanged> | undefined
  /** Opens the provider for quotes; `undefined` if the catalogue has no contracts for it. */
  open: (catalog: Catalog, network: SwapDependencies) => SwapProvider | undefined
}

/** The rows of a catalogue whose service is known. */
export const served = <row extends { api: string | null }>(rows: readonly row[]): (row & { api: string })[] =>
  rows.flatMap((one) => (one.api === null ? [] : [{ ...one, api: one.api }]))
