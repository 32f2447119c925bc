import type { Catalog } from '../domain/catalog.ts'
import type { Rpc } from '../net/rpc.ts'
import type { Journal } from '../store/journal-words.ts'
import type { KeptPolicy } from './policy/policy.ts'

/** What signing stands on: the journal, the chains, what is known of them, where the wallets' locks are, and the time in epoch ms. */
export type Ground = {
  journal: Journal
  rpc: (chainId: number) => Rpc
  catalog: Catalog
  locks: string
  now: () => number
  /** The policy of this machine as it is now, read anew each time; CONFIG_INVALID where it cannot be understood. */
  policy?: () => Promise<KeptPolicy | null>
}
