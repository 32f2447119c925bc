import type { ChainClient } from '../chain/chain-client.ts'
import type { Network } from '../domain/networks.ts'
import type { Catalog } from '../protocols/catalog-types.ts'

/** A chain of the sandbox, and its node. */
export type SandboxNode = { network: Network; rpc: ChainClient }

/** What a stand-in for a service works with. The nodes have the keys of its accounts. */
export type StandInOptions = {
  catalog: Catalog
  chains: readonly SandboxNode[]
  now: () => number
  /** Whether a chain makes blocks: nothing is sent to one that does not. */
  makesBlocks: (chainId: number) => boolean
}
