import type { Address } from '../domain/address.ts'
import type { Network } from '../domain/networks.ts'
import type { ChainClient } from './chain-client.ts'
import { type FreshestClient, readFromFreshest } from './freshest-node.ts'
import { namingNetwork } from './network-named-errors.ts'

/** A network with its client, and the wrapper of its coin if known. */
export type Chain = { network: Network; rpc: FreshestClient; wrapped?: Address | undefined }

/** Opens a network for reading, from a node that is not behind. Sends no request. */
export const openChain = (network: Network, client: ChainClient, wrapped?: Address): Chain => ({
  network,
  rpc: readFromFreshest(namingNetwork(network, client)),
  wrapped,
})
