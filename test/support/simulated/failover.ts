import type { ChainClient } from '../../../src/chain/chain-client.ts'
import { firstAcceptance } from '../../../src/chain/rpc/failover.ts'
import { AppError } from '../../../src/domain/errors.ts'

/**
 * One chain behind several simulated endpoints, like `failoverRpc`, but each is asked only once: a read uses the endpoint that
 * answered last, and the next one if that is unreachable; signed bytes go to all.
 */
export function simulatedFailover(endpoints: readonly ChainClient[]): ChainClient {
  if (endpoints.length === 1) return endpoints[0]!
  const order = [...endpoints]
  const read = async <T>(ask: (endpoint: ChainClient) => Promise<T>): Promise<T> => {
    for (let tried = 1; ; tried++) {
      const endpoint = order[0]!
      try {
        return await ask(endpoint)
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'RPC_UNREACHABLE') throw error
        if (order[0] === endpoint) order.push(order.shift()!)
        if (tried === endpoints.length) throw error
      }
    }
  }
  return {
    get host() {
      return order[0]!.host
    },
    get peers() {
      return order.slice(1)
    },
    request: async <T>(method: string, params: readonly unknown[] = []) =>
      /^eth_send/.test(method)
        ? ((await firstAcceptance(endpoints.map((one) => one.request(method, params)))) as T)
        : read((one) => one.request<T>(method, params)),
    batch: (calls) => read((one) => one.batch(calls)),
  }
}
