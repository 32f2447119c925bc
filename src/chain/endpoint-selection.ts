import { AppError } from '../domain/errors.ts'
import { maxHeadRegression } from './heads.ts'
import { blockNumber } from './reads.ts'
import { isExecutionError } from './rpc/errors.ts'
import type { Rpc } from './rpc/rpc.ts'
import { withTimeout } from './rpc/timeouts.ts'

/** A chain by the endpoint that is not behind the others; `look` finds out anew which of them that is. */
export type SelectedEndpoint = Rpc & { look: () => Promise<void> }

/** How long an endpoint has to say where it is, in ms: who does not is not the foremost. */
const longestMs = 2_000

/**
 * Several endpoints of a chain, read from the one that answers as always, and where that is more than a few blocks behind another one from the one that
 * is farthest: what who fell behind shows was so before, and is not so any more. What the farthest does not answer is asked as always. All of them are its peers, and
 * what is sent goes to all of them.
 */
export function selectEndpoint(rpc: Rpc): SelectedEndpoint {
  let front = rpc
  const ask = async <T>(work: (from: Rpc) => Promise<T>): Promise<T> => {
    const asked = front
    try {
      return await work(asked)
    } catch (error) {
      const isOfNode = error instanceof AppError && error.code.startsWith('RPC_') && !isExecutionError(error)
      if (asked === rpc || !isOfNode) throw error
      return work(rpc)
    }
  }
  return {
    get host() {
      return front.host
    },
    get peers() {
      return front === rpc ? rpc.peers : [rpc, ...rpc.peers]
    },
    request: (method, params) =>
      /^eth_send/.test(method) ? rpc.request(method, params) : ask((from) => from.request(method, params)),
    batch: (calls) => ask((from) => from.batch(calls)),
    look: async () => {
      const { peers } = rpc
      if (peers.length === 0) return
      const [usual, ...others] = await Promise.all([rpc, ...peers].map(placeOf))
      const farthest = Math.max(...others)
      front = farthest > (usual ?? -1) + maxHeadRegression ? peers[others.indexOf(farthest)]! : rpc
    },
  }
}

/** The newest block of an endpoint, and less than any where it does not say so in time: what it says instead is for who asks it more. */
const placeOf = async (rpc: Rpc): Promise<number> => {
  const asked = withTimeout(blockNumber(rpc), longestMs).catch((error: unknown) => {
    if (error instanceof AppError) return undefined
    throw error
  })
  return (await asked) ?? -1
}
