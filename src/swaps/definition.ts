import type { Rounds } from '../chain/call.ts'
import type { ChainClient } from '../chain/chain-client.ts'
import type { Address } from '../domain/address.ts'
import type { Token } from '../domain/token.ts'
import type { Transaction } from '../domain/transaction-types.ts'
import type { CalldataVerdict } from '../protocols/calldata-verdict.ts'
import type { Catalog } from '../protocols/catalog-types.ts'
import type { SwapIntent } from '../protocols/intent.ts'
import type { MovingPriceQuote as Exchanged } from '../protocols/moving-price-quotes.ts'
import type { ContractAssertion } from '../protocols/shared/contract-assertions.ts'
import type { FollowTransfer } from './bridge-delivery.ts'
import type { PoolShape } from './pool-recognition.ts'
import type { SwapProvider } from './provider.ts'
import type { SwapDependencies } from './provider-dependencies.ts'
import type { ServiceRefusals } from './service-answers/service-refusals.ts'
import type { SwapContracts } from './swap-contracts.ts'

/**
 * How each term of a swap is proved before signing: by its calldata, by simulation, or not at all. `deadline` is the latest execution time;
 * without a proof for it, the swap may execute later.
 */
export type SwapProof = Readonly<
  Record<'spender' | 'amount' | 'recipient' | 'minimum' | 'deadline', 'calldata' | 'simulation' | 'none'>
>

/** The calldata proves every term. */
export const provedByCalldata: SwapProof = {
  spender: 'calldata',
  amount: 'calldata',
  recipient: 'calldata',
  minimum: 'calldata',
  deadline: 'calldata',
}

/** The access of a check of orders: nodes, catalogue and the services of providers. */
export type OrderReads = {
  rpc: (chainId: number) => ChainClient
  catalog: Catalog
} & Pick<SwapDependencies, 'exchangeJson' | 'hasKey'>

/** A transaction that uses an order, with the terms of its swap that the call may not contain. */
export type OrderCall = {
  transaction: Transaction
  tokenIn: Pick<Token, 'chainId' | 'address'>
  tokenOut: Pick<Token, 'chainId' | 'address'>
  recipient: Address
}

/**
 * The orders of a provider. An order has one id, and one payment or one fill satisfies it, however often it is paid: it belongs to one
 * operation for ever.
 */
export type OrderRules = {
  /** The id of the order that a call uses, in lower case; `undefined` for a call that uses none. */
  idIn: (transaction: Transaction) => string | undefined
  /**
   * How the chains show that an order was used already, as the end of a sentence about it; `undefined` if they show nothing. An error of a
   * node means that it is not known.
   */
  findUse: (reads: OrderReads, call: OrderCall) => Promise<string | undefined>
  /** A fault of an order's terms that only a chain shows, as the end of a sentence about the order. */
  findFault?: (reads: OrderReads, call: OrderCall) => Promise<string | undefined>
  /**
   * Why the provider's own service does not vouch for an order that somebody else proposes, or how it was used by that service, as the end
   * of a sentence about the order. PROVIDER_API_ERROR if the service does not answer.
   */
  findDenial?: (
    reads: OrderReads,
    call: OrderCall,
  ) => Promise<{ denied: string } | { used: string } | undefined>
}

/** A swap provider, as `swap-provider-registry.ts` lists it. */
export type SwapDefinition<contracts extends SwapContracts = SwapContracts> = {
  name: string
  /** Its name in sentences, such as "Uniswap v2". */
  title: string
  /** What catalogues know of it, under its name. Nothing is paid to any address among its contracts. */
  contracts: contracts
  /** What its contracts on a chain must answer about themselves (`catalog:verify`); none without contracts there. */
  assertions: (catalog: Catalog, chainId: number) => readonly ContractAssertion[]
  /** How its pools are recognised, since nothing is paid to a pool; `none` if it has no pools, or none with an address of its own. */
  pools: PoolShape | 'none'
  reach: 'same-chain' | 'cross-chain' | 'both'
  proof: SwapProof
  /** What its service's refusals mean. */
  refusals: ServiceRefusals | 'asks no service'
  /** Whether its transaction only places an order, which a solver may fill later. */
  isOrder?: true
  /** Whether its transaction takes the tokens and the payout follows later on the same chain. */
  paysOutLater?: true
  /**
   * The orders that its transactions use, each of which may be used once. `none`: each transaction is a payment of its own, which the
   * called contract tells apart from an equal one.
   */
  orders: OrderRules | 'none'
  /** The contract that takes the tokens on a chain; `undefined` if there is none. */
  spender: (catalog: Catalog, chainId: number) => Address | undefined
  /** The contract to call on a chain, if it is not the spender; it takes the tokens through the spender. */
  callee?: (catalog: Catalog, chainId: number) => Address | undefined
  /** The contract on a chain that pays out transfers which arrive there, if anybody may call it. */
  payer?: (catalog: Catalog, chainId: number) => Address | undefined
  /** The targets and the check that the guard uses for a swap; `undefined` if the provider cannot execute it. */
  expect: (
    catalog: Catalog,
    intent: SwapIntent,
  ) => { targets: readonly Address[]; check: (transaction: Transaction) => CalldataVerdict } | undefined
  /**
   * Reads a swap's output now and at the spot price from our own node; `undefined` for a call of another provider. Bridges have no price
   * and no `exchange`.
   */
  exchange?: (catalog: Catalog, transaction: Transaction) => Rounds<Exchanged> | undefined
  /** Reads from the chains how far a transfer or a later payout is; a swap that ends with its transaction has none. */
  follow?: FollowTransfer
  /** Whether a transaction is one of its transfers, for a provider whose called contract does not tell. */
  isTransfer?: (catalog: Catalog, transaction: Transaction) => boolean
  /** Tries the key of its service with the call that the service documents for that; throws what it refuses. */
  checkKey?: (
    catalog: Catalog,
    network: Pick<SwapDependencies, 'exchangeJson'>,
    signal: AbortSignal,
  ) => Promise<void>
  /** Opens the provider for quotes; `undefined` if the catalogue has no contracts for it. */
  open: (catalog: Catalog, network: SwapDependencies) => SwapProvider | undefined
}

/** The catalogue rows that have a service URL. */
export const rowsWithService = <row extends { api: string | null }>(
  rows: readonly row[],
): (row & { api: string })[] => rows.flatMap((one) => (one.api === null ? [] : [{ ...one, api: one.api }]))
