import type { Address } from '../domain/address.ts'
import type { ErrorCode } from '../domain/errors.ts'
import type { Permit2Payment } from '../domain/transaction-types.ts'
import type { FeePayment } from './fee-payments.ts'

/** Why calldata does not match an intent. `unlisted`: what the catalogue does not have, and an exemption may name; `way` is none of both. */
export type Violation = {
  code: Extract<ErrorCode, `POLICY_${string}`>
  message: string
  unlisted?: { token: Address } | { contract: Address } | 'way'
}

/** What a call takes from the wallet by allowance, `by` another contract than the one that is called. */
export type Spends = { token: Address; amount: bigint; through?: Permit2Payment; by?: Address }

/**
 * A call that matches its intent: its name and arguments for people and JSON, the wei it
 * must carry, and the tokens that its contract may pull from the wallet through an allowance: its own, or with `through` that of
 * Permit2, which lets it for a time. `fees` are what the call pays of the input token to others than the swap's recipient, in its order;
 * `value` and `spends` contain them.
 */
type Bound = {
  name: string
  args: Record<string, string>
  text: string
  value: bigint
  spends?: Spends
  fees?: readonly FeePayment[]
}

/** A violation, or the matching call. */
export type CalldataVerdict = { violation: Violation } | { bound: Bound }

/** The verdict of a violation. */
export const refuse = (code: Violation['code'], message: string): { violation: Violation } => ({
  violation: { code, message },
})
