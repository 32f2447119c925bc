import type { ChainClient } from '../chain/chain-client.ts'
import type { Network } from '../domain/networks.ts'
import type { Catalog } from '../protocols/catalog-types.ts'

export type SandboxNode = { network: Network; rpc: ChainClient }

/** Inputs that all service stand-ins share. The nodes hold the keys of their accounts. */
export type StandInOptions = {
  catalog: Catalog
  chains: readonly SandboxNode[]
  now: () => number
  /** Whether a chain makes blocks: nothing is sent to a chain that does not. */
  makesBlocks: (chainId: number) => boolean
}
