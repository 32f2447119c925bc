import type { Address } from '../domain/address.ts'
import { AppError } from '../domain/errors.ts'
import { isEmbedded, type Network } from '../domain/networks.ts'
import { advice, sluice } from '../domain/text/next-step.ts'
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

/** A client whose errors carry `details.network`, which their next steps name. */
export const namingNetwork = (network: Network, client: ChainClient): ChainClient =>
  aroundCalls(client, async (_, __, send) => {
    try {
      return await send()
    } catch (error) {
      if (!(error instanceof AppError) || error.details?.network !== undefined) throw error
      const named = error.with({ details: { network: network.name } })
      if (!isEmbedded(network) || error.code !== 'RPC_UNREACHABLE') throw named
      throw named.with({ next: advice`${named.next} In the sandbox: ${sluice('sandbox status')}` })
    }
  })
