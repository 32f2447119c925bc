import type { Rpc } from '../chain/rpc/rpc.ts'
import type { LoadedPolicy } from '../guard/policy/policy.ts'
import type { Catalog } from '../protocols/catalog.ts'
import type { Journal } from '../store/journal/types.ts'

/** What signing stands on: the journal, the chains, what is known of them, where the wallets' locks are, and the time in epoch ms. */
export type ExecutionContext = {
  journal: Journal
  rpc: (chainId: number) => Rpc
  catalog: Catalog
  locks: string
  now: () => number
  /** The policy of this machine as it is now, read anew each time; CONFIG_INVALID where it cannot be understood. */
  policy?: () => Promise<LoadedPolicy | null>
}
