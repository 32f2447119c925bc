import { type Address, type Hex, sameAddress } from '../domain/address.ts'
import { answersOfNodes, askOtherNodes } from './ask-all-nodes.ts'
import type { ChainClient } from './chain-client.ts'
import { quantity } from './rpc/quantities.ts'
import { undefinedIfUnanswered, withTimeout } from './rpc/timeouts.ts'

/** Whether any node shows a transaction, pending or mined: it may have accepted it although its answer was lost. */
export async function isKnownToNodes(client: ChainClient, hash: Hex): Promise<boolean> {
  const answers = await answersOfNodes(client, (node) =>
    node.request<{ hash?: unknown } | null>('eth_getTransactionByHash', [hash]),
  )
  return answers.some((one) => typeof one?.hash === 'string' && sameAddress(one.hash, hash))
}

/** How long another node may take for the pending count, in ms. */
const pendingTimeoutMs = 3_000

/** Whether an answer is a nonce count. */
export const isCount = (answer: unknown): boolean =>
  typeof answer === 'string' && /^0x[0-9a-f]{1,64}$/i.test(answer)

/** The highest pending nonce count of the other nodes; 0 if none serves it. */
export async function pendingCountOfOthers(client: ChainClient, wallet: Address): Promise<number> {
  const answers = await askOtherNodes(client, (node) =>
    undefinedIfUnanswered(
      withTimeout(node.request('eth_getTransactionCount', [wallet, 'pending']), pendingTimeoutMs),
    ),
  )
  return Math.max(0, ...answers.filter(isCount).map((count) => Number(quantity(count, 'the pending nonce'))))
}
