import type { Address, Hex } from '../domain/address.ts'
import { AppError } from '../domain/errors.ts'
import type { ChainClient } from './chain-client.ts'
import { quantity } from './rpc/quantities.ts'

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
