import type { Address, Hex } from '../../domain/address.ts'
import type { Exit } from '../../domain/error-table.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import type { SeenDeposit } from './deposits.ts'
import type { Attempt, Inclusion, JournalEvent, NewOperation, Operation } from './operation-types.ts'
import type { SendAnswer } from './send-answer.ts'
import type { OperationState, StepState } from './states.ts'

/** The write-ahead journal: all of its parts. Every call is on disk when it returns. Take only the part that you need. */
export type Journal = OperationJournal &
  StepJournal &
  NonceJournal &
  ReorgJournal &
  DeliveryJournal &
  HeadJournal &
  LimitJournal &
  CodePinJournal &
  DepositJournal &
  OrderJournal &
  IntegrityJournal & { close: () => void }

/** Operations: stored, found, planned again, and their states. */
export type OperationJournal = {
  /** Records an operation; ORDER_USED if one of its orders belongs to another. */
  insert: (operation: NewOperation) => Operation
  find: (id: string) => Operation | undefined
  /** The operation under an idempotency key; IDEMPOTENCY_KEY_REUSED when it was for another request. */
  findForRequest: (idemKey: string, request: unknown) => Operation | undefined
  /** The operation under an idempotency key, for any request; a dropped one only if no other has the key. */
  findByIdempotencyKey: (idemKey: string) => Operation | undefined
  /** The id of the operation that signed a transaction of this hash, or that received a bridge delivery in it. */
  operationOfHash: (hash: Hex) => string | undefined
  /** The ids of at most `most` operations that begin with a text, newest first; dropped ones only if no other does. */
  idsBeginning: (start: string, most: number) => string[]
  /** Newest first. Damaged operations are left out; `unreadable` is called with their ids. */
  list: (
    filter?: { states?: readonly OperationState[]; wallet?: Address; limit?: number },
    unreadable?: (id: string) => void,
  ) => Operation[]
  /**
   * Replaces the unsigned steps of a leg by those of a new plan, appended after the rest; ORDER_USED if an order of it belongs to another
   * operation. The audit trail keeps the hashes of both plans.
   */
  replan: (id: string, leg: number, replacement: Replacement) => void
  /** Changes the state of an operation; `exit` and `result` are stored when it ends. */
  settle: (id: string, becomes: OperationState, why: string, exit?: Exit, result?: unknown) => void
  /** Closes an unsigned operation because a new plan under its key replaces it. */
  dropForReplan: (id: string, why: string) => void
  /** The audit trail of an operation, oldest first. */
  events: (id: string) => JournalEvent[]
}

/** Steps: what was signed and sent, and what became of it. */
export type StepJournal = {
  /** Records a signed transaction before anything else sees it. */
  recordSigned: (
    id: string,
    index: number,
    attempt: Omit<Attempt, 'created' | 'sends' | 'lastAnswer'>,
  ) => void
  /** Records that an attempt was sent, and the node's answer. */
  recordSent: (hash: Hex, answer: SendAnswer) => void
  /** Changes the state of a step; `ref` is how it became final, or the transaction that used its nonce. */
  moveStep: (
    id: string,
    index: number,
    becomes: StepState,
    why: string,
    inclusion?: Inclusion,
    ref?: string | null,
  ) => void
  /** Records that another transaction, `owner`, finally used the nonce of a step, and that the operation needs a decision: both or neither. */
  supersede: (id: string, index: number, owner: string, why: string, ref: string | null) => void
}

/** Nonces: which step holds which. */
export type NonceJournal = {
  /** One above the highest nonce that any step holds, or 0. */
  nextNonce: (chainId: number, wallet: Address) => number
  reserveNonce: (id: string, index: number, nonce: number, fromBlock: number) => void
  /** The step that holds a nonce, of any operation. */
  nonceHolder: (
    chainId: number,
    wallet: Address,
    nonce: number,
  ) => { operation: string; index: number } | undefined
  /**
   * The first step with a nonce from `from` and below `below` whose work may be done again: it was cancelled, it reverted, or it
   * lost its nonce to another transaction (`isLost`).
   */
  firstRepeatable: (
    chainId: number,
    wallet: Address,
    from: number,
    below: number,
  ) => { operation: string; nonce: number; isLost: boolean } | undefined
  /** Releases a nonce that no signature used. */
  releaseNonce: (id: string, index: number, why: string) => void
  /** Releases the nonces that other operations of a wallet reserved and never signed. Only for the holder of the wallet's lock. */
  releaseOtherNonces: (chainId: number, wallet: Address, id: string) => void
}

/** Reorganisations: final steps that are pending again. */
export type ReorgJournal = {
  /** Reopens final steps, and their operation, whose blocks left the chain. Steps that are open and operations that were abandoned stay as they are. */
  reopenSteps: (id: string, indexes: readonly number[], why: string) => void
  /** Returns superseded steps and their operation to pending. False if another process has continued the operation meanwhile. */
  reclaimNonces: (id: string, indexes: readonly number[], why: string) => boolean
}

/** Bridge deliveries. */
export type DeliveryJournal = {
  recordDelivery: (id: string, leg: number, hash: Hex) => void
  /** How many legs of other operations a transaction delivered to. */
  countDeliveries: (hash: Hex, exceptId: string) => number
}

/** The newest block that was seen of each chain. */
export type HeadJournal = {
  /** The highest recorded block of a chain; `seen` in epoch ms. */
  highestHead: (chainId: number) => { number: number; hash: Hex; seen: number } | undefined
  /** Records a block of a node. The highest one stays for a while, so that a node cannot go back step by step. */
  recordHead: (chainId: number, number: number, hash: Hex) => void
}

/** Amounts held against the limits of a policy. */
export type LimitJournal = {
  /**
   * Holds what an operation will move against limits, all of it or nothing. Returns the first row that exceeds its limit, with
   * the amount that is held already. `limit` is for all operations of the wallet since `since`; what this operation already holds
   * counts once.
   */
  holdAmounts: (id: string, rows: readonly LimitHold[]) => { row: LimitHold; held: bigint } | undefined
  /** The amount of an asset that other operations of a wallet hold since a time. */
  heldAmount: (wallet: Address, asset: string, since: number, exceptId: string) => bigint
}

/** The code of contracts at first use. */
export type CodePinJournal = {
  codePin: (chainId: number, address: Address) => CodePin | undefined
  /** Records the code of a contract. An existing pin stays, unless `again`. */
  pinCode: (chainId: number, address: Address, code: CodePin, again?: boolean) => void
}

/** The payments from other chains that operations wait for. Nothing is signed for them here. */
export type DepositJournal = {
  /** The operations that a payment names, by its hash or by its address, newest first: some addresses are shared. */
  operationsOfDeposit: (text: string) => string[]
  /** The ids of at most `most` operations whose deposit may still be paid or paid out, newest first. */
  openDeposits: (most: number) => string[]
  /** Records what was seen of the deposit of an operation. An end stays, but a payment opens one that ended unpaid; one without a deposit stays. */
  recordDeposit: (id: string, seen: SeenDeposit) => void
}

/** The orders of providers, and the payments that ended swaps. Each belongs to one operation. */
export type OrderJournal = {
  /** The operation that an order belongs to; `undefined` for an order that was never used. */
  ownerOfOrder: (order: string) => string | undefined
  /** Records that an order belongs to an operation; ORDER_USED if it belongs to another. */
  takeOrder: (order: string, owner: string) => void
}

/** Checks of the journal file against itself. */
export type IntegrityJournal = {
  /** JOURNAL_UNREADABLE unless plan, states and audit trail of an operation are stored as they were written. */
  verify: (id: string) => void
  /** The first line of the audit trail that does not follow from the one before it; `undefined` if the trail is intact. */
  firstBrokenEvent: () => number | undefined
}

/** An amount of an asset that one operation holds; `limit` null is no limit. `asset` is any stable name, such as `31337:0xabc`. */
export type LimitHold = { asset: string; amount: bigint; limit: bigint | null; since: number }

/** The steps that replace unsigned ones, and the plan that they belong to. */
type Replacement = {
  plan: unknown
  steps: readonly { role: string; text: string; transaction: Transaction }[]
  orders?: readonly string[]
  why: string
}

/** Hashes of the code at an address and, behind a proxy, of its implementation. */
export type CodePin = { codeHash: Hex; implementation: Address | null; implementationHash: Hex | null }
