import type { Address } from '../domain/address.ts'
import type { FaultRequest, SandboxFault } from '../domain/sandbox-fault.ts'
import type { SandboxStatus } from '../domain/sandbox-status-type.ts'

/** The embedded chains, as commands see them. */
export type Sandbox = {
  up: () => Promise<SandboxStatus>
  down: () => Promise<SandboxStatus>
  /** Does not start it. */
  status: () => Promise<SandboxStatus>
  reset: () => Promise<SandboxStatus>
  fund: (
    to: Address,
    what?: { symbol: string; amount?: bigint },
  ) => Promise<
    { network: string; token: { symbol: string; decimals: number; address: Address }; amount: bigint }[]
  >
  warp: (seconds: number) => Promise<SandboxStatus>
  /** Pays on the sandbox's Bitcoin (`amount` in satoshi), and gives the hash of the transaction. */
  payBitcoin: (payment: {
    address: string
    amount: bigint
    memo?: string | undefined
    replaces?: string | undefined
  }) => Promise<string>
  /** Sets a fault, or does it at once when it is of that kind. */
  fault: (request: FaultRequest) => Promise<SandboxFault>
  clearFaults: () => Promise<SandboxFault[]>
}
