import type { ChainClient } from '../../../src/chain/chain-client.ts'
import { AppError } from '../../../src/domain/errors.ts'

/** A proxy that rejects some methods as unknown; `overrides` means calls with state overrides. */
export const unableTo = (rpc: ChainClient, methods: readonly string[]): ChainClient => {
  const unknown = (method: string) =>
    new AppError('RPC_ERROR', 'no', {
      details: { code: -32601, message: `the method ${method} is not available` },
    })
  return {
    ...rpc,
    request: async (method, params = []) => {
      if (
        methods.includes(method) ||
        (method === 'eth_call' && methods.includes('overrides') && params.length > 2)
      )
        throw unknown(method)
      return rpc.request(method, params)
    },
  }
}
