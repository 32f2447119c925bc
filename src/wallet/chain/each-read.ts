import { AppError } from '../../domain/errors.ts'
import type { Rpc } from '../../net/rpc.ts'
import type { Read } from './simulate-reads.ts'

/**
 * The first words of what contracts answer, in one exchange; `undefined` where one refuses, or gives no number: then each is asked by
 * itself, so that one broken contract is not all of them.
 */
export async function eachRead(rpc: Rpc, reads: readonly Read[]): Promise<(bigint | undefined)[]> {
  const ask = (read: Read) => ['eth_call', [read, 'latest']] as const
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
