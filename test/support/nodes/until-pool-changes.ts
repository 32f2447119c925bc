import type { ChainClient } from '../../../src/chain/chain-client.ts'

/** The transactions that wait in the pool of a node, as one text. */
const pooled = async (rpc: ChainClient): Promise<string> =>
  JSON.stringify(await rpc.request('txpool_content'))

/** Starts some work, and waits until it has sent a transaction or replaced one in the pool of a node that mines none. */
export async function untilPoolChanges<value>(
  rpc: ChainClient,
  start: () => Promise<value>,
): Promise<{ started: Promise<value> }> {
  const before = await pooled(rpc)
  const started = start()
  let isOver = false
  const over = () => {
    isOver = true
  }
  started.then(over, over)
  while (!isOver && (await pooled(rpc)) === before) await new Promise((resolve) => setTimeout(resolve, 10))
  return { started }
}
