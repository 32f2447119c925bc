import type { Hex } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import type { ChainClient } from '../chain-client.ts'
import { blockHashAt, type Head } from '../head.ts'
import { isUnsupportedMethod } from './errors.ts'
import { hexQuantity } from './quantities.ts'

/** The block parameter of a request. */
type At = { blockHash: Hex } | Hex

/**
 * Sends a request at a block by its hash (EIP-1898). A node that does not accept hashes gets the number, and is asked afterwards
 * whether that is still this block; RPC_INCONSISTENT if not. If both are refused, the first refusal is thrown.
 */
export async function requestAtBlock<T>(
  rpc: ChainClient,
  { number, hash }: Pick<Head, 'number' | 'hash'>,
  ask: (at: At) => Promise<T>,
): Promise<T> {
  let refusal: unknown
  try {
    return await ask({ blockHash: hash })
  } catch (error) {
    if (!isUnsupportedMethod(error)) throw error
    refusal = error
  }
  const answer = await ask(hexQuantity(number)).catch((error: unknown) => {
    throw isUnsupportedMethod(error) ? refusal : error
  })
  const now = await blockHashAt(rpc, number)
  if (now?.toLowerCase() === hash.toLowerCase()) return answer
  throw new AppError(
    'RPC_INCONSISTENT',
    `The node at ${rpc.host} has another block at height ${number} than before`,
    { details: { host: rpc.host, block: Number(number), hash, now: now ?? null } },
  )
}
