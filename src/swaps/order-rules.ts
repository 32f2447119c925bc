import type { ChainClient } from '../chain/chain-client.ts'
import type { Address } from '../domain/address.ts'
import type { Token } from '../domain/token.ts'
import type { Transaction } from '../domain/transaction-types.ts'
import type { Catalog } from '../protocols/catalog-types.ts'
import type { SwapDependencies } from './provider-dependencies.ts'

/** The access of a check of orders: nodes, catalogue and the services of providers. */
export type OrderReads = {
  rpc: (chainId: number) => ChainClient
  catalog: Catalog
  exchangeJson: SwapDependencies['exchangeJson']
}

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
