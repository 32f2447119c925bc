import type { ChainClient } from '../../chain/chain-client.ts'
import {
  findTransaction,
  type MinedTransaction,
  sentCallOf,
} from '../../chain/finality/find-mined-transaction.ts'
import { readLogsBack } from '../../chain/latest-log.ts'
import { type Hex, nativeAddress, sameAddress } from '../../domain/address.ts'
import type { Chains, Transfers } from './order-outcome.ts'
import { type TransactionWithCall, transferQuery } from './payments.ts'

export type PaymentTransaction = MinedTransaction & TransactionWithCall

/** Looks up payments since a time (Unix s) at nodes. `awaitRead` says what becomes of a node that does not answer. */
export const paymentsOnChain = (
  rpc: (chainId: number) => ChainClient,
  since: number,
  awaitRead: <T>(work: Promise<T>) => Promise<T | undefined>,
): Chains<PaymentTransaction> => ({
  transaction: (chainId, hash) => awaitRead(transactionWithCall(rpc(chainId), hash)),
  transfers: async (way): Promise<Transfers> => {
    if (sameAddress(way.token, nativeAddress)) return { logs: [], isAll: true }
    const logs: Transfers['logs'][number][] = []
    const note = (log: (typeof logs)[number]) => {
      logs.push(log)
      return false
    }
    const isAll = await awaitRead(readLogsBack(rpc(way.chainId), transferQuery(way), since, note))
    return { logs, isAll: isAll === true }
  },
})

/** A mined transaction with its call; `undefined` if it is in no block. */
async function transactionWithCall(rpc: ChainClient, hash: Hex): Promise<PaymentTransaction | undefined> {
  const [found, call] = await Promise.all([findTransaction(rpc, hash), sentCallOf(rpc, hash)])
  return found && call && { ...found, call }
}
