import { AppError } from '../../domain/errors.ts'
import type { ChainClient } from '../chain-client.ts'
import { readHead } from '../head.ts'
import { withTimeout } from '../rpc/timeouts.ts'

/** How long an endpoint may take for its time, in ms. */
const peerTimeoutMs = 3_000

/**
 * The answering endpoint whose newest block is not past a time (Unix seconds): one endpoint alone with a late block must not end
 * anything. The first one is asked too: the late block may be of one that has failed since. An endpoint whose newest block is older
 * than `maxAgeMs` by this clock (epoch ms) has stalled and is ignored.
 */
export async function nodeBeforeTime(
  rpc: ChainClient,
  { chainId, time }: { chainId: number; time: number },
  { now, maxAgeMs = Number.POSITIVE_INFINITY }: { now: number; maxAgeMs?: number | undefined },
): Promise<string | undefined> {
  const heads = await Promise.all(
    [rpc, ...rpc.peers].map(async (node) => ({
      host: node.host,
      head: await withTimeout(readHead(node, chainId), peerTimeoutMs).catch((error: unknown) => {
        if (error instanceof AppError) return undefined
        throw error
      }),
    })),
  )
  return heads.find(({ head }) => head && head.timestamp <= time && now - head.timestamp * 1_000 <= maxAgeMs)
    ?.host
}
