import type { Hex } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { hexQuantity } from '../../net/quantity.ts'
import { isNotOffered } from '../../net/refusal.ts'
import type { Rpc } from '../../net/rpc.ts'
import type { Head } from './fees.ts'
import { hashAt } from './heads.ts'

/** How a block is named in a question about it. */
export type At = { blockHash: Hex } | Hex

/**
 * What a node answers to a question about a block, named by its hash (EIP-1898). A node that does not take hashes is asked by the number, and once more
 * after it has answered whether that is still this block: another one is RPC_INCONSISTENT. Where both are refused, the first refusal is thrown.
 */
export async function atBlock<T>(
  rpc: Rpc,
  { number, hash }: Pick<Head, 'number' | 'hash'>,
  ask: (at: At) => Promise<T>,
): Promise<T> {
  let refusal: unknown
  try {
    return await ask({ blockHash: hash })
  } catch (error) {
    if (!isNotOffered(error)) throw error
    refusal = error
  }
  const answer = await ask(hexQuantity(number)).catch((error: unknown) => {
    throw isNotOffered(error) ? refusal : error
  })
  const now = await hashAt(rpc, number)
  if (now?.toLowerCase() === hash.toLowerCase()) return answer
  throw new AppError(
    'RPC_INCONSISTENT',
    `The node at ${rpc.host} has another block at height ${number} than it had`,
    { details: { host: rpc.host, block: Number(number), hash, now: now ?? null } },
  )
}
