import { AppError } from '../../domain/errors.ts'
import type { Rpc } from '../../net/rpc.ts'
import { readHead } from './fees.ts'
import { within } from './within.ts'

/** How long an endpoint has to say what time it is on its chain, in ms. */
const longestMs = 3_000

/**
 * The other endpoint for which a time, in Unix seconds, is not over yet, though it answers: one alone that names a late block must not end anything.
 * One whose newest block is older than `maxAgeMs` by this clock, in epoch ms, has stopped, and says nothing.
 */
export async function notYetPast(
  rpc: Rpc,
  { chainId, time }: { chainId: number; time: number },
  { now, maxAgeMs = Number.POSITIVE_INFINITY }: { now: number; maxAgeMs?: number | undefined },
): Promise<string | undefined> {
  const heads = await Promise.all(
    rpc.peers.map(async (peer) => ({
      host: peer.host,
      head: await within(readHead(peer, chainId), longestMs).catch((error: unknown) => {
        if (error instanceof AppError) return undefined
        throw error
      }),
    })),
  )
  return heads.find(({ head }) => head && head.timestamp <= time && now - head.timestamp * 1_000 <= maxAgeMs)
    ?.host
}
