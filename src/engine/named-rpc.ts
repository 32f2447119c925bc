import { AppError } from '../domain/errors.ts'
import type { Network } from '../domain/network.ts'
import type { Rpc } from '../net/rpc.ts'

/** The chain of a network, whose faults say in `details.network` which network it is. */
export function namedRpc({ name }: Network, rpc: Rpc): Rpc {
  const named = async <value>(work: Promise<value>): Promise<value> => {
    try {
      return await work
    } catch (error) {
      if (!(error instanceof AppError) || error.details?.network !== undefined) throw error
      const { code, message, details, cause, hint } = error
      throw new AppError(code, message, {
        details: { ...details, network: name },
        cause,
        ...(hint !== undefined && { hint }),
      })
    }
  }
  return {
    host: rpc.host,
    get peers() {
      return rpc.peers
    },
    request: (method, params) => named(rpc.request(method, params)),
    batch: (calls) => named(rpc.batch(calls)),
  }
}
