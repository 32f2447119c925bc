import type { DepthCheck } from '../../chain/finality/finality.ts'
import type { MinedTransaction } from '../../chain/finality/find-mined-transaction.ts'
import type { Disagreement } from '../../chain/finality/quorum.ts'
import type { Head } from '../../chain/head.ts'
import type { Hex } from '../../domain/address.ts'
import type { Exit } from '../../domain/error-table.ts'
import type { Attempt, Inclusion } from '../../store/journal/operation-types.ts'
import type { OperationState, StepState } from '../../store/journal/states.ts'
import type { SignedAttempt } from '../attempts/verify-signature.ts'
import type { DeliveryLook, WatchedDelivery } from '../bridge/delivery-watch.ts'
import type { NonceUse } from '../nonces/nonce-use.ts'
import type { LeftAllowance } from '../outcome/left-allowance.ts'
import type { BumpDelay, WalletView } from '../run.ts'

/** A step's attempt in a block that is canonical for the answering node. */
export type Found = MinedTransaction & DepthCheck

/** Who used the nonce of a step, and whether that is final; `unlike` is a node that prevents it. */
export type UsedNonce = { use: NonceUse; deep: boolean; unlike?: Disagreement | undefined }

/** A step in no canonical block: what is at the height where it was included, and who used its nonce. */
export type MissingStep = {
  block: 'kept' | 'another' | 'nothing' | undefined
  owner: UsedNonce | undefined
}

/** One look at the steps of a leg that are in flight, by their index. Times are monotonic. */
export type Look = {
  chainId: number
  at: number
  found: ReadonlyMap<number, Found>
  missing: ReadonlyMap<number, MissingStep>
  /** The newest block and the mined nonce count; not read for a step that was sent just now, or if none is missing. */
  wallet: { head: Head; count: number } | undefined
  /** The node that contradicts what the look before has found, by step; asked only for what was deep enough. */
  unlike: ReadonlyMap<number, Disagreement | undefined>
  /** The node for which the deadline of the leg has not passed, although it has for `by`. */
  deadlineDispute: { host: string; by: string } | undefined
}

/**
 * What a run has seen and done. It dies with the process, and that must not matter: all that must survive is in the journal. Times are
 * monotonic, in ms.
 */
export type Seen = {
  isCompared: boolean
  /** Whether this run went on with what was partly done. */
  isResumed: boolean
  /** The chain whose wallet lock is held. */
  locked: number | null
  isApproved: boolean
  /** The wallet before the signature of the step `index`; `isAgain` if an older view was too old. */
  view: { index: number; at: number; view: WalletView; isAgain: boolean } | null
  /** The last check of a leg, made for the signature of the step `index`. */
  check: { leg: number; index: number; at: number; block: number; isTogether: boolean } | null
  /** Gas limits that sufficed in a check, by step. */
  gas: ReadonlyMap<number, bigint>
  /** How often the nodes contradicted the view of this step when its nonce was reserved. */
  refusals: number
  /** Steps whose nonce this run reserved. */
  reserved: ReadonlySet<number>
  /** A signature that is not in the journal yet. */
  signature: { index: number; attempt: SignedAttempt } | null
  /** Whether the next step is signed before those in flight are mined. */
  isPipelining: boolean
  /** Steps with bytes in the journal that this run has not sent yet. */
  unsent: ReadonlySet<number>
  sent: ReadonlyMap<number, { at: number; times: number }>
  look: Look | null
  /** What the last look, or the answer to a send, has found deep enough. */
  deep: ReadonlyMap<number, Found>
  /** The same of the look before: what is final takes two equal looks. */
  deepBefore: ReadonlyMap<number, Found>
  /** Who had used nonces in the look before the last one. */
  ownersBefore: ReadonlyMap<number, UsedNonce>
  /** Looks since the last other act. */
  looks: number
  /** A look that is older does not show what was sent since. */
  changedAt: number
  /** The first step that waits for a block at its present fee, since when, and at which height. */
  pending: { index: number; at: number; block: number } | null
  /** Since when the node lacks the block of an included step. */
  lacking: ReadonlyMap<number, number>
  /** Steps that were replaced on request. */
  replaced: ReadonlySet<number>
  /** The signer declined a replacement, or the policy cannot be read: do not ask again. */
  isDeclined: boolean
  /** When a step became final last. */
  doneAt: number | null
  delivery: WatchedDelivery | null
  fault: { act: Exclude<Act, { is: 'end' }>; error: unknown } | null
  /** The end of this run, once what it needs is written. */
  ending: End | null
  /** What the end of a step leaves to a contract. */
  left: LeftAllowance | undefined
  /** The step whose nonce this run saw lost. */
  superseded: { index: number; owner: string; hash: Hex | null } | null
}

/** What a run may do. Every command that executes is the same loop with other values here. */
export type May = {
  /** Sign steps that are not signed. */
  sign: boolean
  /** Send what is signed, and replace it if it waits too long. */
  send: boolean
  /** Close the operation instead of signing its rest. */
  close: boolean
  /** Replace what is pending, once, because the person asked. */
  replace: 'bump' | 'cancel' | undefined
  wait: boolean
  pipeline: boolean
  bumpDelay: BumpDelay
  /** The chains whose node is on this machine. */
  local: ReadonlySet<number>
  /** Unix seconds by the chain's clock after which the action of a leg can only fail, by leg. */
  deadlines: ReadonlyMap<number, number>
  isAborted: boolean
  until: number
}

/** How a run ends. `over`: by the operation, and the step that decided it. `stopped`: there is no time, or nothing that it may do. */
export type End = { is: 'end' } & (
  | { because: 'over'; index?: number }
  | { because: 'stopped' }
  | { because: 'failed' }
  | { because: 'expired'; at: number }
  | { because: 'mined before its cancellation' }
  | { because: 'ended before'; index: number }
  | { because: 'delivery'; leg: number }
)

/** The settled state of an operation; the run ends with `end` after it. */
export type Settle = {
  is: 'settle'
  state: OperationState
  why: string
  exit: Exit
  result?: unknown
  end: End
}

/** What a run does next. */
export type Act =
  | { is: 'compare' }
  | { is: 'resume' }
  | { is: 'lock'; chainId: number | null }
  | { is: 'deliver'; leg: number; after: number }
  | { is: 'arrive'; leg: number; hash: Hex }
  | { is: 'view'; index: number; isAgain: boolean; after: number }
  | { is: 'check'; leg: number; index: number; block: number; isTogether: boolean }
  | { is: 'approve' }
  | { is: 'reserve'; index: number }
  | { is: 'release'; index: number; why: string }
  | { is: 'sign'; index: number; kind: Attempt['kind'] }
  | { is: 'record' }
  | { is: 'discard' }
  | { is: 'send'; steps: readonly { index: number; all: boolean }[] }
  | { is: 'look'; leg: number; steps: readonly number[]; after: number }
  | { is: 'move'; index: number; becomes: StepState; why: string; inclusion?: Inclusion; ref?: string | null }
  | { is: 'supersede'; index: number; owner: string; hash: Hex | null }
  | Settle
  | End

/** What came of an act. */
export type Event =
  | { is: 'done'; act: Act; tookMs: number; left?: LeftAllowance | undefined }
  | { is: 'delivery'; look: DeliveryLook }
  | { is: 'viewed'; view: NonNullable<Seen['view']> }
  | { is: 'checked'; check: NonNullable<Seen['check']>; gas: ReadonlyMap<number, bigint> }
  | { is: 'signed'; index: number; attempt: SignedAttempt }
  | { is: 'sent'; steps: readonly number[]; told: ReadonlyMap<number, Found> }
  | { is: 'looked'; look: Look }
  | { is: 'failed'; act: Exclude<Act, { is: 'end' }>; error: unknown }
