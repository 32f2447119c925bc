import { AppError } from '../domain/errors.ts'
import { maxHeadRegression } from './heads.ts'
import { blockNumber } from './reads.ts'
import { isExecutionError } from './rpc/errors.ts'
import type { Rpc } from './rpc/rpc.ts'
import { withTimeout } from './rpc/timeouts.ts'

/** A chain through its most advanced endpoint; `look` selects it again. */
export type SelectedEndpoint = Rpc & { look: () => Promise<void> }

/** How long an endpoint may take for its height, in ms; otherwise it is not selected. */
const heightTimeoutMs = 2_000

/**
 * Reads a chain from its usual endpoint, or from the most advanced one if the usual is more than a few blocks behind, since an
 * endpoint that lags shows outdated state. Requests that the selected one does not answer use the usual failover. All endpoints are
 * its peers; transactions are sent to all.
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
      const [usual, ...others] = await Promise.all([rpc, ...peers].map(heightOf))
      const farthest = Math.max(...others)
      front = farthest > (usual ?? -1) + maxHeadRegression ? peers[others.indexOf(farthest)]! : rpc
    },
  }
}

/** The height of an endpoint; lower than any if it does not answer in time. */
const heightOf = async (rpc: Rpc): Promise<number> => {
  const asked = withTimeout(blockNumber(rpc), heightTimeoutMs).catch((error: unknown) => {
    if (error instanceof AppError) return undefined
    throw error
  })
  return (await asked) ?? -1
}
