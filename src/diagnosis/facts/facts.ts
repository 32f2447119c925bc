import type { Head } from '../../chain/fees.ts'
import type { Hex } from '../../domain/address.ts'
import type { TokenAmount } from '../../domain/amount.ts'
import type { Network } from '../../domain/networks.ts'
import type { StoredPlan } from '../../guard/intent-json.ts'
import type { Attempt, Operation, Step } from '../../store/journal/operation.ts'
import type { MinedTransaction } from '../../transactions/confirmation/find-transaction.ts'
import type { Disagreement } from '../../transactions/confirmation/quorum.ts'
import { activeSteps, hasLostNonce } from '../../transactions/operations/active-steps.ts'
import type { RemainingAllowance } from '../approvals.ts'

/** What a chain shows now: its newest block, nothing, or that its node is on another chain. */
export type ChainFacts = { network: Network } & (
  | { is: 'there'; head: Head }
  | { is: 'silent'; why: string }
  | { is: 'another'; why: string }
)

/** The transaction that holds a nonce of ours and is not ours, `unlike` what another endpoint has there; `blockNumber` is `null` while it waits. */
export type NonceOwner = { hash: Hex; blockNumber: number | null; isDeep: boolean; unlike?: Disagreement }

/** What the chain shows of a signed step. */
export type OnChainFacts = {
  /** In a block that counts now, `unlike` what another endpoint has there; `reason` says why it reverted, and whether that was for lack of gas. */
  found?: MinedTransaction & {
    isDeep: boolean
    unlike?: Disagreement
    confirmations: number
    kind: Attempt['kind']
  }
  reason: string | null
  isOutOfGas: boolean
  /** The attempt that waits in the mempool of the node. */
  waiting?: Hex
  /** It was in a block, by the journal, of which the node has nothing: it may be behind. */
  lacksBlock?: boolean
  /** Final in the journal, in a block that is on the chain no more. */
  isGone: boolean
  /** The same by one endpoint, and not by another one. */
  disputed?: Disagreement
  owner?: NonceOwner
  /** The nonce that the chain expects next, and whether the node has something waiting under it, where it says so. */
  latest: number
  isNextWaiting?: boolean
}

/** A step, what was signed for it, and what the chain shows of that; without `seen` its chain was silent, or nothing was signed. */
export type StepFacts = {
  step: Step
  attempts: Attempt[]
  network: Network
  onChain?: OnChainFacts
  /** It came to nothing once for good, by the journal, and nothing that waits cancels it: only a cancel of it is ever sent. */
  isOnlyCancellable?: true
  /** Its nonce belongs to another operation of the journal by now. */
  isNonceReused?: true
}

/**
 * Where the funds of a later leg are, which an earlier one sent over a bridge. `since` is epoch ms; `isAttested` and
 * `isMinted` are unknown where nobody could be asked, and `isUnknown` says that the attestation service should know of it, and does not. What was `delivered` may be minted and not found; `later` came after a
 * delivery that was too small.
 */
export type BridgeFacts = {
  from: Network
  to: Network
  recipient: string
  burn: Hex
  since: number
  usualMs: number
  isUnknown: boolean
  isAttested: boolean | undefined
  isMinted: boolean | undefined
  delivered:
    | { hash: Hex; brought: bigint; minimum: bigint; text: string; later?: { hash: Hex; text: string } }
    | undefined
}

/** Why what is left of an action cannot be signed now; `forever` where waiting does not help. */
export type Blocker = { reason: string; is: 'poor' | 'refused' | 'forever' }

/** All that is known of an operation, from all who know something. */
export type Facts = {
  operation: Operation
  plan: StoredPlan
  now: number
  /** Why the last run signed no more, of what it left in part. */
  lastRunReason: string | undefined
  wasReopened: boolean
  chains: ReadonlyMap<number, ChainFacts>
  steps: readonly StepFacts[]
  /** The step that decides: the first that is signed and did not end well. */
  focus: StepFacts | undefined
  /** The first step that is not signed. */
  unsigned: Step | undefined
  /** Why that and what follows it cannot be signed now, where something speaks against it. */
  blocker: Blocker | undefined
  /** What contracts may still take of what it allowed; `null` where that is not known. */
  remainingAllowances: readonly RemainingAllowance[] | null
  bridge: BridgeFacts | undefined
  /** What came out, and what a bridge brought, by receipts. */
  received: TokenAmount | undefined
  bridged: TokenAmount | undefined
  /** What was claimed since from the queue that a withdrawal went into, be it of this withdrawal or of another one. */
  claimed: { id: string; out: TokenAmount | undefined } | undefined
  /** The action of the same wallet that comes first: that holds the nonce before that of `focus`, or that its chain should have before anything else can be signed. */
  precedingId: string | undefined
  /** The action that it went on as, under the same key, where nothing of it was ever signed. */
  successorId: string | undefined
  /** Whether a person gave it up before that. */
  wasGivenUp: boolean
  /** Another process is at work with its wallet now, so that what is not signed may be at any moment. */
  isWalletBusy: boolean
}

/** Whether a step is signed and the journal does not know its end. */
export const isInFlight = ({ state }: Step): boolean =>
  state === 'SIGNED' || state === 'BROADCAST' || state === 'INCLUDED'

/** Whether a step ended as it should, by the journal or by the chain. */
export const hasStepSucceeded = ({ step, onChain }: StepFacts): boolean =>
  step.state === 'FINAL_OK' ||
  ((isInFlight(step) || step.state === 'SUPERSEDED') &&
    onChain?.found?.ok === true &&
    onChain.found.isDeep &&
    onChain.found.kind !== 'cancel')

/** Whether a step of an action is signed and not settled for good, besides the one that decides. */
export const hasOtherPending = ({ steps, focus }: Pick<Facts, 'steps' | 'focus'>): boolean =>
  steps.some((one) => one !== focus && isInFlight(one.step) && one.onChain?.found?.isDeep !== true)

/** Whether a bridge brought less than was agreed. */
export const isUnderDelivery = ({ bridge }: Pick<Facts, 'bridge'>): boolean =>
  bridge?.delivered !== undefined && bridge.delivered.brought < bridge.delivered.minimum

/** The step that decides what is to be said: of those that failed, the one by which the action ended. */
export function decidingStep(all: readonly StepFacts[], operation: Operation): StepFacts | undefined {
  const { state } = operation
  const counts = activeSteps(operation)
  const steps =
    state === 'ATTENTION' && hasLostNonce(operation) ? all : all.filter(({ step }) => counts.includes(step))
  const moving = steps.filter(({ step }) => isInFlight(step))
  const ended = (how: Step['state']) => steps.find(({ step }) => step.state === how)
  return (
    moving.find((one) => !hasStepSucceeded(one)) ??
    (state === 'CANCELLED' ? ended('CANCELLED') : undefined) ??
    ended('FINAL_REVERTED') ??
    ended('CANCELLED') ??
    (state === 'ATTENTION' ? steps.findLast(({ step }) => step.state === 'SUPERSEDED') : undefined) ??
    moving.at(-1)
  )
}

/** The same as it is where what the journal holds for lost is on the chain after all. */
export function withReclaimedSteps(facts: Facts): Facts {
  if (facts.operation.state !== 'ATTENTION') return facts
  const steps = facts.steps.map((one) =>
    one.step.state === 'SUPERSEDED' && one.onChain?.found && !one.isNonceReused
      ? { ...one, step: { ...one.step, state: 'BROADCAST' as const } }
      : one,
  )
  const before = { ...facts.operation, steps: steps.map(({ step }) => step) }
  const operation = hasLostNonce(before) ? before : { ...before, state: 'EXECUTING' as const, exit: null }
  return { ...facts, steps, operation, focus: decidingStep(steps, operation) }
}
