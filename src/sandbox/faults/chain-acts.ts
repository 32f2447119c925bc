import type { Hex } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import type { FaultRequest } from '../../domain/sandbox-fault.ts'
import type { Rpc } from '../../net/rpc.ts'

type Block = { hash: Hex; number: Hex }

/** Replaces the newest blocks by empty ones; gives the hashes of those that are gone. */
export async function reorganise(rpc: Rpc, depth: number): Promise<Hex[]> {
  const head = Number(await rpc.request<Hex>('eth_blockNumber'))
  if (depth > head)
    throw new AppError('USAGE', `The chain has only ${head} blocks above its first`, {
      hint: `sluice sandbox fault reorg ${head}`,
    })
  const blocks = await rpc.batch(
    Array.from({ length: depth }, (_, at) => [
      'eth_getBlockByNumber',
      [`0x${(head - at).toString(16)}`, false],
    ]),
  )
  await rpc.request('anvil_reorg', [depth, []])
  return blocks.map((block) => (block as Block).hash)
}

type Pool = Record<'pending' | 'queued', Record<string, Record<string, { hash: Hex }>>>

/** Makes the node forget what waits in its mempool: all, or what has one nonce. */
export async function forgetWaiting(rpc: Rpc, { amount: nonce }: FaultRequest): Promise<void> {
  if (nonce === null) return void (await rpc.request('anvil_dropAllTransactions'))
  const { pending, queued } = await rpc.request<Pool>('txpool_content')
  for (const byNonce of [...Object.values(pending), ...Object.values(queued)]) {
    const waits = byNonce[String(nonce)]
    if (waits) await rpc.request('anvil_dropTransaction', [waits.hash])
  }
}

/** Stops making blocks. */
export const stopMining = (rpc: Rpc): Promise<unknown> => rpc.request('evm_setAutomine', [false])

/** Makes blocks again, and one at once when something waits. */
export async function goOnMining(rpc: Rpc): Promise<void> {
  await rpc.request('evm_setAutomine', [true])
  const { pending } = await rpc.request<{ pending: Hex }>('txpool_status')
  if (Number(pending) > 0) await rpc.request('evm_mine')
}
