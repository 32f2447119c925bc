import type { Address } from '../domain/address.ts'
import { askOtherNodes } from './ask-all-nodes.ts'
import type { ChainClient } from './chain-client.ts'
import type { NodeRequest } from './eth-call.ts'
import { hexQuantity, quantity } from './rpc/quantities.ts'
import { undefinedIfUnanswered, withTimeout } from './rpc/timeouts.ts'

/**
 * The request of a wallet's nonce count, for a batch with other requests: the mined transactions by default, with `pending` those
 * in the mempool too, and at a height or another block of the past those up to it.
 */
export const nonceCountRequest = (wallet: string, at: unknown = 'latest'): NodeRequest => [
  'eth_getTransactionCount',
  [wallet, typeof at === 'number' ? hexQuantity(at) : at],
]

/** The nonce count in a node's answer; RPC_INCONSISTENT if it is none. */
export const nonceCountIn = (answer: unknown, what = 'the nonce'): number => Number(quantity(answer, what))

/** Reads a wallet's nonce count, which is the nonce of its next transaction. */
export const readNonceCount = async (
  rpc: ChainClient,
  wallet: Address,
  at: 'latest' | 'pending' | number = 'latest',
): Promise<number> => nonceCountIn(await rpc.request(...nonceCountRequest(wallet, at)))

/** How long another node may take for the pending count, in ms. */
const pendingTimeoutMs = 3_000

/** Whether an answer is a nonce count: some nodes answer the pending one with something else. */
export const isNonceCount = (answer: unknown): boolean =>
  typeof answer === 'string' && /^0x[0-9a-f]{1,64}$/i.test(answer)

/** The highest pending nonce count of the other nodes; 0 if none serves it. */
export async function pendingCountOfOthers(client: ChainClient, wallet: Address): Promise<number> {
  const answers = await askOtherNodes(client, (node) =>
    undefinedIfUnanswered(
      withTimeout(node.request(...nonceCountRequest(wallet, 'pending')), pendingTimeoutMs),
    ),
  )
  return Math.max(0, ...answers.filter(isNonceCount).map((count) => nonceCountIn(count, 'the pending nonce')))
}
