import type { ChainClient } from '../chain/chain-client.ts'
import type { LoadedPolicy } from '../guard/policy/policy-file.ts'
import type { Catalog } from '../protocols/catalog-types.ts'
import type { Journal } from '../store/journal/journal-interface.ts'
import type { Operation } from '../store/journal/operation-types.ts'
import type { ServiceAccess } from '../swaps/service-access.ts'

/**
 * The dependencies of planning and execution: journal, chains, catalogue, the directory of the wallet locks, and the time in epoch
 * ms.
 */
export type ExecutionContext = {
  journal: Journal
  rpc: (chainId: number) => ChainClient
  catalog: Catalog
  locks: string
  now: () => number
  /** The machine's current policy, read again each time; CONFIG_INVALID if it cannot be parsed. */
  policy?: () => Promise<LoadedPolicy | null>
  /** How the services of swap providers are asked: without keys, unless set. */
  services?: ServiceAccess
}

/** An operation of the journal, named for rooms that may not import the store. */
export type JournalOperation = Operation
