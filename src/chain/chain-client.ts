import type { AppError } from '../domain/errors.ts'

/**
 * One network seen as one chain, whatever number of nodes serve it: reads fail over to the next node, signed bytes go to all. Answers
 * are validated only to the envelope: parse them at use.
 */
export type ChainClient = {
  /** The only part of the URL that may be shown; of several nodes, the current one's. */
  readonly host: string
  /** The same object for as long as the same node answers, to tell whether another one has answered in between. */
  readonly endpoint?: object | undefined
  /** The other nodes of the chain, each usable by itself; empty for a single one. Only files of `chain/` use them. */
  peers: readonly ChainClient[]
  /** One call. RPC_ERROR with `{ code, message, data }` for an error; RPC_UNREACHABLE without an answer. */
  request: <T = unknown>(method: string, params?: readonly unknown[]) => Promise<T>
  /** Several reads in as few HTTP exchanges as the node allows; the first error is thrown. */
  batch: (calls: readonly (readonly [method: string, params: readonly unknown[]])[]) => Promise<unknown[]>
}

/** The most calls of one exchange; a node may take fewer. */
export const callsPerBatch = 100

/** What is done around each exchange with a node: it sends, and returns the answer or throws. */
export type AroundCall = <T>(
  node: ChainClient,
  methods: readonly string[],
  send: () => Promise<T>,
) => Promise<T>

/** The same chain, asked in another way. */
export const withCalls = (
  client: ChainClient,
  calls: Pick<ChainClient, 'request' | 'batch'>,
): ChainClient => ({
  get host() {
    return client.host
  },
  get endpoint() {
    return client.endpoint
  },
  get peers() {
    return client.peers
  },
  ...calls,
})

/** The same chain with something done around each exchange, with whichever of its nodes. */
export const aroundCalls = (client: ChainClient, around: AroundCall): ChainClient => ({
  get host() {
    return client.host
  },
  get endpoint() {
    return client.endpoint
  },
  get peers() {
    return client.peers.map((peer) => aroundCalls(peer, around))
  },
  request: (method, params) => around(client, [method], () => client.request(method, params)),
  batch: (calls) =>
    around(
      client,
      calls.map(([method]) => method),
      () => client.batch(calls),
    ),
})

/** A chain whose client may change between two calls, as when a sandbox node moves to another port. */
export const clientOf = (current: () => ChainClient): ChainClient => ({
  get host() {
    return current().host
  },
  get endpoint() {
    return current().endpoint
  },
  get peers() {
    return current().peers
  },
  request: (method, params) => current().request(method, params),
  batch: (calls) => current().batch(calls),
})

/** A chain without a node: each call throws this error. */
export function unreachableClient(host: string, error: AppError): ChainClient {
  const refuse = async (): Promise<never> => {
    throw error
  }
  return { host, peers: [], request: refuse, batch: refuse }
}

/** Whether a node runs on this machine, where requests cost little. */
export const isLocal = ({ host }: Pick<ChainClient, 'host'>): boolean =>
  /^(127\.\d+\.\d+\.\d+|localhost|\[::1\])(:\d+)?$/.test(host)
