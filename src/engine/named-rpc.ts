import { AppError } from '../domain/errors.ts'
import { type Network, sandboxNetworks } from '../domain/network.ts'
import { rpcVariable } from '../domain/network-named.ts'
import type { Rpc } from '../net/rpc.ts'

/** The chain of a network, whose faults say in `details.network` which network it is, and name the setting of its RPC. */
export function namedRpc(network: Network, rpc: Rpc): Rpc {
  const { name } = network
  const named = async <value>(work: Promise<value>): Promise<value> => {
    try {
      return await work
    } catch (error) {
      if (!(error instanceof AppError) || error.details?.network !== undefined) throw error
      const { code, message, details, cause, hint } = error
      throw new AppError(code, message, {
        details: { ...details, network: name },
        cause,
        ...(hint !== undefined && { hint: hintOn(network, hint) }),
      })
    }
  }
  return {
    get host() {
      return rpc.host
    },
    get peers() {
      return rpc.peers
    },
    request: (method, params) => named(rpc.request(method, params)),
    batch: (calls) => named(rpc.batch(calls)),
  }
}

/** A next step that is for any network, as it is for this one. The chains of the sandbox have no setting. */
const hintOn = (network: Network, hint: string): string =>
  sandboxNetworks.some(({ chainId }) => chainId === network.chainId)
    ? hint
    : hint
        .replace('SLUICE_RPC_<NETWORK>', rpcVariable(network))
        .replace(' In the sandbox: sluice sandbox status', '')
