import { AppError } from '../domain/errors.ts'
import type { ChainClient } from './chain-client.ts'
import { maxHeadRegression, newestHeight } from './head.ts'
import { isExecutionError } from './rpc/errors.ts'
import { withTimeout } from './rpc/timeouts.ts'

/** A chain that is read from a node that is not behind; `refresh` chooses that node again, and never fails for a silent one. */
export type FreshestClient = ChainClient & { refresh: () => Promise<void> }

/**
 * The same, whose node is found beside a look: what `findFreshest` returns chooses it after the look. So what is compared with the other
 * nodes is of one node.
 */
export type FreshestReader = FreshestClient & { findFreshest: () => Promise<() => void> }

/** How long a node may take for its height, in ms; otherwise it is not chosen. */
const heightTimeoutMs = 2_000

/**
 * Reads a chain from its usual node, or from the most advanced one if the usual is more than a few blocks behind, since a node that
 * lags shows outdated state. Requests that the chosen node does not answer use the usual failover. Transactions are sent to all.
 */
export function readFromFreshest(rpc: ChainClient): FreshestReader {
  let front = rpc
  const ask = async <T>(work: (from: ChainClient) => Promise<T>): Promise<T> => {
    const asked = front
    try {
      return await work(asked)
    } catch (error) {
      const isOfNode = error instanceof AppError && error.code.startsWith('RPC_') && !isExecutionError(error)
      if (asked === rpc || !isOfNode) throw error
      return work(rpc)
    }
  }
  const findFreshest = async () => {
    const { peers } = rpc
    if (peers.length === 0) return () => undefined
    const [usual, ...others] = await Promise.all([rpc, ...peers].map(heightOf))
    const farthest = Math.max(...others)
    const next = farthest > (usual ?? -1) + maxHeadRegression ? peers[others.indexOf(farthest)]! : rpc
    return () => {
      front = next
    }
  }
  return {
    get host() {
      return front.host
    },
    get endpoint() {
      return front.endpoint
    },
    get peers() {
      return front === rpc ? rpc.peers : [rpc, ...rpc.peers]
    },
    request: (method, params) =>
      /^eth_send/.test(method) ? rpc.request(method, params) : ask((from) => from.request(method, params)),
    batch: (calls) => ask((from) => from.batch(calls)),
    refresh: async () => (await findFreshest())(),
    findFreshest,
  }
}

/** The height of a node; lower than any if it does not answer in time. */
const heightOf = async (rpc: ChainClient): Promise<number> => {
  const asked = withTimeout(newestHeight(rpc), heightTimeoutMs).catch((error: unknown) => {
    if (error instanceof AppError) return undefined
    throw error
  })
  return (await asked) ?? -1
}
