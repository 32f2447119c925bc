import { AppError } from '../../domain/errors.ts'
import type { Rpc } from '../../net/rpc.ts'
import { readHead } from './fees.ts'
import { within } from './within.ts'

/** How long an endpoint has to say what time it is on its chain, in ms. */
const longestMs = 3_000

/** Whether a time, in Unix seconds, is over for the other endpoints that answer, too: one alone that names a late block must not end anything. */
export async function isPast(rpc: Rpc, chainId: number, time: number): Promise<boolean> {
  const heads = await Promise.all(
    rpc.peers.map((peer) =>
      within(readHead(peer, chainId), longestMs).catch((error: unknown) => {
        if (error instanceof AppError) return undefined
        throw error
      }),
    ),
  )
  return heads.every((head) => head === undefined || head.timestamp > time)
}
