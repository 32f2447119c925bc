import type { Address, Hex } from '../domain/address.ts'
import { AppError } from '../domain/errors.ts'
import type { ChainClient } from './chain-client.ts'
import { blockHashAt, type Head } from './head.ts'
import { isUnsupportedMethod } from './rpc/errors.ts'
import { hexQuantity, quantity } from './rpc/quantities.ts'

/** A read-only call. */
export type ReadCall = { to: Address; data: Hex }

/**
 * The first words of several reads, in one exchange; `undefined` for a refused or non-numeric one. After a failure each is read
 * separately, so that one broken contract does not fail all.
 */
export async function readWords(
  rpc: ChainClient,
  reads: readonly ReadCall[],
): Promise<(bigint | undefined)[]> {
  const ask = (read: ReadCall) => ['eth_call', [read, 'latest']] as const
  const answers = await rpc.batch(reads.map(ask)).catch((error: unknown) => {
    if (!isRefused(error)) throw error
    return Promise.all(
      reads.map((read) =>
        rpc.request(...ask(read)).catch((own: unknown) => {
          if (isRefused(own)) return undefined
          throw own
        }),
      ),
    )
  })
  return answers.map((answer) =>
    typeof answer === 'string' && /^0x[0-9a-f]{64}/i.test(answer) ? BigInt(answer.slice(0, 66)) : undefined,
  )
}

const isRefused = (error: unknown) => error instanceof AppError && error.code === 'RPC_ERROR'

/** The number of the newest block. */
export const blockNumber = async (rpc: ChainClient): Promise<number> =>
  Number(quantity(await rpc.request('eth_blockNumber'), 'the block number'))

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
    `The node at ${rpc.host} has another block at height ${number} than it had`,
    { details: { host: rpc.host, block: Number(number), hash, now: now ?? null } },
  )
}
