import type { Address } from '../domain/address.ts'
import type { ErrorCode } from '../domain/errors.ts'

/** Why calldata is not what was asked for. */
export type Violation = { code: Extract<ErrorCode, `POLICY_${string}`>; message: string }

/**
 * What a call does, once it is known to be what was asked for: its name and arguments for people and JSON, the wei it
 * must carry, and the tokens that its contract may pull from the wallet through an allowance.
 */
type Bound = {
  name: string
  args: Record<string, string>
  text: string
  value: bigint
  spends?: { token: Address; amount: bigint }
}

/** A violation, or the call that it is. */
export type Verdict = { violation: Violation } | { bound: Bound }

/** Says no. */
export const refuse = (code: Violation['code'], message: string): { violation: Violation } => ({
  violation: { code, message },
})
