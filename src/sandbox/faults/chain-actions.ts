import type { ChainClient } from '../../chain/chain-client.ts'
import { readHeaders } from '../../chain/head.ts'
import { hexQuantity } from '../../chain/rpc/quantities.ts'
import type { Hex } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import type { FaultRequest } from '../../domain/sandbox-fault.ts'

/** Replaces the newest blocks by empty ones and returns the hashes of the removed blocks. */
export async function reorganise(rpc: ChainClient, depth: number): Promise<Hex[]> {
  const head = await heightOf(rpc)
  const blocks = await readHeaders(
    rpc,
    Array.from({ length: depth }, (_, at) => head - at),
  )
  await rpc.request('anvil_reorg', [depth, []])
  return blocks.map((block) => block!.hash!)
}

const heightOf = async (rpc: ChainClient): Promise<number> =>
  Number(await rpc.request<Hex>('eth_blockNumber'))

/**
 * Returns the chains whose newest `depth` blocks can be replaced. If there is none, USAGE with the possible maximum.
 */
export async function replaceableChains<T extends { rpc: ChainClient; network: { name: string } }>(
  chains: readonly T[],
  depth: number,
): Promise<T[]> {
  const all = await Promise.all(
    chains.map(async (chain) => ({ chain, most: await replaceable(chain.rpc, depth) })),
  )
  const able = all.filter(({ most }) => most === depth)
  if (able.length > 0) return able.map(({ chain }) => chain)
  const { chain, most } = all.reduce((best, one) => (one.most > best.most ? one : best))
  const { name } = chain.network
  throw most > 0
    ? new AppError(
        'USAGE',
        `On ${name}, at most the newest ${most === 1 ? 'block' : `${most} blocks`} can be replaced: older states are not kept`,
        { hint: `sluice sandbox fault reorg ${most} --network ${name}` },
      )
    : new AppError(
        'USAGE',
        'No block was made since the sandbox started, and older blocks cannot be replaced',
        {
          hint: 'Make a block first: sluice sandbox warp 1m, or send a transaction',
        },
      )
}

/**
 * Returns how many of the newest blocks of a chain can be replaced, at most `depth`. The node needs the state before
 * them, and a loaded state file has only the last one.
 */
async function replaceable(rpc: ChainClient, depth: number): Promise<number> {
  const head = await heightOf(rpc)
  let [least, most] = [0, Math.min(depth, head)]
  while (least < most) {
    const middle = Math.ceil((least + most) / 2)
    if (await hasState(rpc, head - middle)) least = middle
    else most = middle - 1
  }
  return least
}

async function hasState(rpc: ChainClient, block: number): Promise<boolean> {
  try {
    await rpc.request('eth_getBalance', [`0x${'0'.repeat(40)}`, hexQuantity(block)])
    return true
  } catch (error) {
    if (error instanceof AppError && error.code === 'RPC_ERROR') return false
    throw error
  }
}

type Pool = Record<'pending' | 'queued', Record<string, Record<string, { hash: Hex }>>>

/** Drops pending transactions: all, or those with a given nonce. */
export async function dropPending(rpc: ChainClient, { amount: nonce }: FaultRequest): Promise<void> {
  if (nonce === null) return void (await rpc.request('anvil_dropAllTransactions'))
  const { pending, queued } = await rpc.request<Pool>('txpool_content')
  for (const byNonce of [...Object.values(pending), ...Object.values(queued)]) {
    const waits = byNonce[String(nonce)]
    if (waits) await rpc.request('anvil_dropTransaction', [waits.hash])
  }
}

/** Stops making blocks. */
export const stopMining = (rpc: ChainClient): Promise<unknown> => rpc.request('evm_setAutomine', [false])

/** Resumes mining, and mines a block at once if transactions are pending. */
export async function resumeMining(rpc: ChainClient): Promise<void> {
  await rpc.request('evm_setAutomine', [true])
  const { pending } = await rpc.request<{ pending: Hex }>('txpool_status')
  if (Number(pending) > 0) await rpc.request('evm_mine')
}
