import type { Address, Hex } from '../../domain/address.ts'
import type { Exit } from '../../domain/error-table.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import type { SendAnswer } from './send-answer.ts'
import type { OperationState, StepState } from './states.ts'

/** One signed transaction of a step. All attempts of a step share its nonce. `raw` can be sent by anyone who has it. */
export type Attempt = {
  hash: Hex
  raw: Hex
  kind: 'run' | 'bump' | 'cancel'
  nonce: number
  transaction: Transaction
  gas: bigint
  maxFeePerGas: bigint
  maxPriorityFeePerGas: bigint
  created: number
  sends: number
  lastAnswer: SendAnswer | null
}

/** The block that included a step, and its cost. */
export type Inclusion = { hash: Hex; blockNumber: number; blockHash: Hex; gasUsed: bigint; gasPrice: bigint }

/** One transaction of an operation. It keeps its nonce for life once it is signed. */
export type Step = {
  index: number
  leg: number
  role: string
  text: string
  wallet: Address
  transaction: Transaction
  nonce: number | null
  /** The newest block when the nonce was reserved: it cannot have been used before. */
  fromBlock: number | null
  state: StepState
  inclusion: Inclusion | null
  /** What was signed for it, in the order of the audit trail: the clock may have been set back in between. */
  attempts: readonly Attempt[]
  /** It was once final as reverted or cancelled: the same was safe to repeat then, and may have been, whatever became of its block. */
  endedBefore: boolean
}

/** The bridge delivery that a leg needs: token, minimum, recipient, and the delivering transaction. */
export type Arrival = { token: Address; minimum: bigint; recipient: Address; hash: Hex | null }

/**
 * A payment on Bitcoin by any wallet, which is not signed here: `amount` in satoshi, `until` epoch ms, and the transaction that paid it.
 * Of some that an earlier version recorded the address is not known.
 */
export type BitcoinDeposit = {
  address: string | null
  memo: string | null
  amount: bigint
  until: number
  hash: string | null
}

/** The steps on one chain; a leg without steps only waits for its delivery, or for its deposit. */
export type Leg = { leg: number; chainId: number; arrival: Arrival | null; deposit?: BitcoinDeposit }

/** One command that signs, with everything that must survive a crash. `id` is the action id of the service. */
export type Operation = {
  id: string
  idemKey: string
  requestHash: string
  request: unknown
  /** The stored plan, as JSON. */
  plan: unknown
  kind: string
  wallet: Address
  state: OperationState
  exit: Exit | null
  result: unknown
  created: number
  updated: number
  legs: Leg[]
  steps: Step[]
}

/** The data of a new operation. The steps are in order, leg by leg. */
export type NewOperation = {
  id: string
  idemKey: string
  request: unknown
  plan?: unknown
  kind: string
  wallet: Address
  /** The orders that its transactions use, by ids that hold for all providers. Each belongs to one operation. */
  orders?: readonly string[]
  legs: readonly {
    chainId: number
    arrival?: Omit<Arrival, 'hash'>
    deposit?: Omit<BitcoinDeposit, 'hash'>
    steps: readonly { role: string; text: string; transaction: Transaction }[]
  }[]
}

/** What a line of the audit trail records. */
export type EventKind =
  | 'planned'
  | 'replanned'
  | 'reserved'
  | 'signed'
  | 'superseded'
  | 'final'
  | 'reopened'
  | 'replaced'
  | 'moved'

/**
 * A line of the audit trail. `why` is for people only. `ref` is the hash of the plan (planned, replanned) or of the stored attempt (signed), the nonce
 * (reserved), the transaction that used the nonce (superseded), or how a step became final. Each line's hash covers the line before it.
 */
export type JournalEvent = {
  seq: number
  operation: string
  index: number | null
  was: string
  becomes: string
  why: string
  kind: EventKind
  ref: string | null
  at: number
}
