import type { Address } from '../domain/address.ts'
import type { Permit2Payment, Transaction } from '../domain/transaction-types.ts'

/**
 * One call, and the allowance that it needs; with `through`, the spender takes the token through Permit2, which needs the allowance. The
 * engine turns needs into exact approvals, so no market builds one.
 */
export type CallWithAllowance = {
  transaction: Transaction
  needs?: { token: Address; spender: Address; amount: bigint; through?: Permit2Payment }
}
