import type { ChainClient } from '../src/chain/chain-client.ts'
import { openEndpoint } from '../src/chain/rpc/endpoint.ts'
import { isRecord, unwrap } from '../src/chain/rpc/envelope.ts'
import { failoverRpc, type RpcOptions } from '../src/chain/rpc/failover.ts'
import { AppError } from '../src/domain/errors.ts'

/** Opens the chain of a cell. */
export type Open = (urls: readonly string[], options: RpcOptions) => ChainClient

/** A client that accepts any reply for its call. */
const careless: Open = (urls, { deadlineMs = 1_000 }) => {
  const { host, exchange } = openEndpoint(urls[0]!, {})
  const ask = async (method: string, params: readonly unknown[]): Promise<unknown> => {
    const call = { jsonrpc: '2.0', id: 1, method, params } as const
    const reply = await exchange(call, deadlineMs)
    return unwrap(host, isRecord(reply) ? { ...reply, id: call.id } : reply, call)
  }
  return {
    host,
    peers: [],
    request: async <T>(method: string, params: readonly unknown[] = []) => (await ask(method, params)) as T,
    batch: (calls) => Promise.all(calls.map(([method, params]) => ask(method, params))),
  }
}

/** A client that resends transactions after a failure. */
const insistent: Open = (urls, options) => {
  const rpc = failoverRpc(urls, options)
  return {
    ...rpc,
    request: async <T>(method: string, params: readonly unknown[] = []) => {
      try {
        return await rpc.request<T>(method, params)
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'RPC_UNREACHABLE') throw error
        return rpc.request<T>(method, params)
      }
    },
  }
}

/** A client without a timeout. */
const endless: Open = (urls, options) =>
  failoverRpc(urls, { ...options, deadlineMs: 3_600_000, budgetMs: 3_600_000 })

/** Deliberately broken clients, by the check they omit: the campaign must detect each of them. */
export const sabotages: Readonly<Record<string, Open>> = {
  'no-id-check': careless,
  'retry-writes': insistent,
  'no-deadline': endless,
}
