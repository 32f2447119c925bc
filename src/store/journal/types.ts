import type { Address, Hex } from '../../domain/address.ts'
import type { Exit } from '../../domain/exit-codes.ts'
import type { Transaction } from '../../domain/transaction.ts'
import type { Attempt, Inclusion, JournalEvent, NewOperation, Operation } from './operation.ts'
import type { OperationState, StepState } from './schema.ts'

/** So much of an asset for one operation; `limit` null is no limit. `asset` is any stable name, such as `31337:0xabc`. */
export type LimitHold = { asset: string; amount: bigint; limit: bigint | null; since: number }

/** The steps that replace unsigned ones, and the plan that they belong to. */
type Replacement = {
  plan: unknown
  steps: readonly { role: string; text: string; transaction: Transaction }[]
  why: string
}

/** Hashes of the code at an address and, behind a proxy, of its implementation. */
export type CodePin = { codeHash: Hex; implementation: Address | null; implementationHash: Hex | null }

/** The write-ahead journal. Every call is on disk when it returns. */
export type Journal = {
  insert: (operation: NewOperation) => Operation
  find: (id: string) => Operation | undefined
  /** The operation under an idempotency key; IDEMPOTENCY_KEY_REUSED when it was for another request. */
  findByKey: (idemKey: string, request: unknown) => Operation | undefined
  /** The operation under an idempotency key, whatever it was for; one that was dropped only where no other has the key. */
  findKey: (idemKey: string) => Operation | undefined
  /** The id of the operation that a transaction of this hash was signed for, whatever became of it, or that it brought something to over a bridge. */
  findHash: (hash: Hex) => string | undefined
  /** Newest first. One that is damaged is left out, and `unreadable` hears its id: it does not stop the others. */
  list: (
    filter?: { states?: readonly OperationState[]; wallet?: Address; limit?: number },
    unreadable?: (id: string) => void,
  ) => Operation[]
  attempts: (id: string, index: number) => Attempt[]
  /** One above the highest nonce that any step holds, or 0. */
  nextNonce: (chainId: number, wallet: Address) => number
  reserve: (id: string, index: number, nonce: number, fromBlock: number) => void
  /** The step that holds a nonce, whichever operation it is of. */
  holderOf: (
    chainId: number,
    wallet: Address,
    nonce: number,
  ) => { operation: string; index: number } | undefined
  /**
   * The first step with a nonce from one on, below another, that was settled so that the same may be done again: it was cancelled, reverted, or lost
   * its nonce to another transaction (`isLost`).
   */
  redoable: (
    chainId: number,
    wallet: Address,
    from: number,
    below: number,
  ) => { operation: string; nonce: number; isLost: boolean } | undefined
  /**
   * Puts a new plan in the place of what nothing was signed of in a leg: its unsigned steps go, these come after the
   * rest, and the audit trail keeps the hash of both plans.
   */
  replan: (id: string, leg: number, replacement: Replacement) => void
  /** Opens steps again that were final, and their operation: their blocks are not on the chain any more. Those that are open already stay as they are, and so does an operation that was given up. */
  reopen: (id: string, indexes: readonly number[], why: string) => void
  /**
   * Takes back that nonces of steps were lost: they wait again, and their operation goes on. Gives whether it did; not where somebody
   * has gone on with it meanwhile.
   */
  regain: (id: string, indexes: readonly number[], why: string) => boolean
  /** JOURNAL_UNREADABLE unless what is stored of an operation is what was written: plan, states, trail. */
  check: (id: string) => void
  /** The first line of the audit trail that does not follow from the one before it; `undefined` when the trail is whole. */
  brokenAt: () => number | undefined
  /** Gives back a nonce that nothing was signed for. */
  release: (id: string, index: number, why: string) => void
  /** Gives back what other operations of a wallet reserved and never signed. Only for the holder of the wallet's lock. */
  releaseOthers: (chainId: number, wallet: Address, id: string) => void
  /** Writes a signed transaction down, before anybody else sees it. */
  sign: (id: string, index: number, attempt: Omit<Attempt, 'created' | 'sends' | 'lastAnswer'>) => void
  /** Notes that an attempt was sent, and what the node said. */
  sent: (hash: Hex, answer: string) => void
  move: (id: string, index: number, becomes: StepState, why: string, inclusion?: Inclusion) => void
  /** Notes that something else, `owner`, has the nonce of a step for good, and that its operation needs a person: both or neither. */
  supersede: (id: string, index: number, owner: string, why: string) => void
  arrive: (id: string, leg: number, hash: Hex) => void
  /** How many legs of other operations a transaction brought something to. */
  servedBy: (hash: Hex, exceptId: string) => number
  settle: (id: string, becomes: OperationState, why: string, exit?: Exit, result?: unknown) => void
  /** The newest block of a chain that was noted, and when, in epoch milliseconds. */
  head: (chainId: number) => { number: number; hash: Hex; seen: number } | undefined
  /** Notes a block that a node has; the highest one stays for a while, so that no node goes back little by little. */
  sawHead: (chainId: number, number: number, hash: Hex) => void
  /**
   * Holds what an operation will move against limits, all of it or nothing: gives the first row that does not fit, with
   * what is held already. `limit` is for all operations of the wallet since `since`; what was held before for this
   * operation counts once.
   */
  hold: (id: string, rows: readonly LimitHold[]) => { row: LimitHold; held: bigint } | undefined
  /** What other operations of a wallet hold of an asset since a time. */
  held: (wallet: Address, asset: string, since: number, exceptId: string) => bigint
  /** The code that a contract had when it was first used. */
  pinOf: (chainId: number, address: Address) => CodePin | undefined
  /** Remembers the code of a contract; what is pinned already stays, unless `again`. */
  pin: (chainId: number, address: Address, code: CodePin, again?: boolean) => void
  events: (id: string) => JournalEvent[]
  close: () => void
}
