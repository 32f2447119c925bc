import { type Hex, sameAddress } from '../domain/address.ts'
import { answersOfNodes } from './ask-all-nodes.ts'
import type { ChainClient } from './chain-client.ts'

/** Whether any node shows a transaction, pending or mined: it may have accepted it although its answer was lost. */
export async function isKnownToNodes(client: ChainClient, hash: Hex): Promise<boolean> {
  const answers = await answersOfNodes(client, (node) =>
    node.request<{ hash?: unknown } | null>('eth_getTransactionByHash', [hash]),
  )
  return answers.some((one) => typeof one?.hash === 'string' && sameAddress(one.hash, hash))
}
