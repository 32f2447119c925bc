import type { Transaction } from '../domain/transaction-types.ts'
import type { Intent } from '../protocols/intent.ts'

/** A leg, or the rest of one, that has passed the guard. `until` (Unix seconds) is when its calldata expires. */
export type CheckedLeg = {
  chainId: number
  intent: Intent
  transactions: readonly Transaction[]
  until?: number
}
