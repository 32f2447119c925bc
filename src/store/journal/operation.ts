import type { Address, Hex } from '../../domain/address.ts'
import type { Exit } from '../../domain/exit-codes.ts'
import type { Transaction } from '../../domain/transaction.ts'
import type { OperationState, StepState } from './schema.ts'

/** One signed transaction of a step. All attempts of a step share its nonce. `raw` is as good as the payment itself. */
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
  lastAnswer: string | null
}

/** Where a step stands on chain. */
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
  /** The newest block when the nonce was reserved: whoever uses it does so after this. */
  fromBlock: number | null
  state: StepState
  inclusion: Inclusion | null
}

/** What an earlier leg must have brought to the recipient on this chain, and the transaction that did. */
export type Arrival = { token: Address; minimum: bigint; recipient: Address; hash: Hex | null }

/** The steps on one chain; one without steps only waits for its arrival. */
export type Leg = { leg: number; chainId: number; arrival: Arrival | null }

/** One command that signs: all that must survive of it. `id` is the action id of the service. */
export type Operation = {
  id: string
  idemKey: string
  requestHash: string
  request: unknown
  /** What the steps are for, in the words of whoever planned them: JSON. */
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

/** What a new operation is made of. The steps are in order, and leg by leg. */
export type NewOperation = {
  id: string
  idemKey: string
  request: unknown
  plan?: unknown
  kind: string
  wallet: Address
  legs: readonly {
    chainId: number
    arrival?: Omit<Arrival, 'hash'>
    steps: readonly { role: string; text: string; transaction: Transaction }[]
  }[]
}

/** A line of the audit trail. Each line's hash covers the line before it. */
export type JournalEvent = {
  seq: number
  operation: string
  index: number | null
  was: string
  becomes: string
  why: string
  at: number
}
