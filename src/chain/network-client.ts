import type { Address } from '../domain/address.ts'
import { AppError, type ErrorCode } from '../domain/errors.ts'
import { type Network, rpcVariable, sandboxNetworks } from '../domain/networks.ts'
import { type Advice, advice, partsOf, sluice } from '../domain/text/next-step.ts'
import { aroundCalls, type ChainClient } from './chain-client.ts'
import { type FreshestClient, readFromFreshest } from './freshest-node.ts'

/** A network with its client, and the wrapper of its coin if known. */
export type Chain = { network: Network; rpc: FreshestClient; wrapped?: Address | undefined }

/** Opens a network for reading, from a node that is not behind. Sends no request. */
export const openChain = (network: Network, client: ChainClient, wrapped?: Address): Chain => ({
  network,
  rpc: readFromFreshest(namingNetwork(network, client)),
  wrapped,
})

/** A client whose errors carry `details.network` and a hint that names the RPC setting of the network. */
export const namingNetwork = (network: Network, client: ChainClient): ChainClient =>
  aroundCalls(client, async (_, __, send) => {
    try {
      return await send()
    } catch (error) {
      if (!(error instanceof AppError) || error.details?.network !== undefined) throw error
      const { code, next } = error
      throw error.with({
        details: { network: network.name },
        ...(next !== undefined && { next: networkAdvice(network, code, next) }),
      })
    }
  })

/** Names the network's own RPC setting; an embedded chain has none. */
const networkAdvice = (network: Network, code: ErrorCode, next: Advice): Advice =>
  sandboxNetworks.some(({ chainId }) => chainId === network.chainId)
    ? code === 'RPC_UNREACHABLE'
      ? advice`${next} In the sandbox: ${sluice('sandbox status')}`
      : next
    : partsOf(next).map((part) =>
        typeof part === 'string' ? part.replace('SLUICE_RPC_<NETWORK>', rpcVariable(network)) : part,
      )
