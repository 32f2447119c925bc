import type { Address } from './address.ts'
import type { SandboxFault } from './sandbox-fault.ts'

/** The output of `sandbox status`. */
export type SandboxStatus = {
  running: boolean
  pid: number | null
  chains: { network: string; chainId: number; rpcUrl: string; blockNumber: number }[]
  accounts: { address: Address; default: boolean }[]
  tokens: { network: string; symbol: string; address: Address; decimals: number }[]
  /** The active faults; missing without any. */
  faults?: SandboxFault[]
  /** How far `stale-quote` has set the service's clock ahead, in ms; missing if it is not ahead. */
  aheadMs?: number
  /** Set if another version of this program made the world, whose contracts may differ. */
  outdated?: true
}
