import type { MinedTransaction } from '../../chain/finality/find-mined-transaction.ts'
import type { Disagreement } from '../../chain/finality/quorum.ts'
import type { Head } from '../../chain/head.ts'
import type { Address, Hex } from '../../domain/address.ts'
import type { TokenAmount } from '../../domain/amount.ts'
import type { Network } from '../../domain/networks.ts'
import { isInFlight } from '../../domain/step-state.ts'
import type { StoredPlan } from '../../guard/stored-plan.ts'
import type { Attempt, Operation, Step } from '../../store/journal/operation-types.ts'
import { activeSteps, hasLostNonce } from '../../transactions/steps/active-steps.ts'
import type { Instant, Now } from '../instant.ts'

/** The state of a chain: its newest block, silent, or a node of another chain. */
export type ChainFacts = { network: Network } & (
  | { is: 'there'; head: Head }
  | { is: 'silent'; why: string }
  | { is: 'another'; why: string }
)

/** The foreign transaction at a step's nonce; `unlike` is another node that differs; `blockNumber` is `null` while pending. */
export type NonceOwner = { hash: Hex; blockNumber: number | null; isDeep: boolean; unlike?: Disagreement }

/** The on-chain state of a signed step. */
export type OnChainFacts = {
  /** The attempt in a canonical block; `unlike` is another node that differs. `reason` and `isOutOfGas` say why it reverted. */
  found?: MinedTransaction & {
    isDeep: boolean
    unlike?: Disagreement
    confirmations: number
    kind: Attempt['kind']
  }
  reason: string | null
  isOutOfGas: boolean
  /** The attempt in the node's mempool. */
  waiting?: Hex
  /** The attempt that the node shows in a block, without its receipt: an old or partly indexed node. */
  withoutReceipt?: { hash: Hex; blockNumber: number }
  /** The journal has it in a block that the node lacks; the node may lag. */
  lacksBlock?: boolean
  /** Final in the journal, in a block that left the chain. */
  isGone: boolean
  /** The same by one node, against another one. */
  disputed?: Disagreement
  owner?: NonceOwner
  /** The next nonce of the wallet on chain, and whether the node has a pending transaction at it, if known. */
  latest: number
  isNextWaiting?: boolean
}

/** A step, its attempts, and its on-chain state; without `onChain` its chain was silent or nothing was signed. */
export type StepFacts = {
  step: Step
  attempts: readonly Attempt[]
  network: Network
  onChain?: OnChainFacts
  /** It once ended without effect, and no pending attempt cancels it: only its cancellation is ever sent. */
  isOnlyCancellable?: true
  /** Another operation of the journal now holds its nonce. */
  isNonceReused?: true
}

/**
 * The state of a bridge transfer to a later leg: a burn that is minted there, or a deposit that a relayer pays out there. `burn` is the
 * transaction that sent it, `since` when; `isAttested` and `isMinted` are undefined if unknown; `isUnknown`: the attestation
 * service should know the burn and does not; `unanswered` is the host of a service that gave no usable answer. `delivered` may be missing although minted; `later` came after an under-delivery.
 * `expiry`: when a deposit cannot be paid out any more (Unix s), whether that is past and it was not, and what paid how much of it back.
 */
export type BridgeFacts = {
  way: 'burn' | 'deposit' | 'order' | 'desk' | 'solver'
  from: Network
  to: Network
  recipient: string
  burn: Hex
  since: Instant
  usualMs: number
  typicalMs?: number | undefined
  isUnknown: boolean
  isAttested: boolean | undefined
  unanswered: string | undefined
  isMinted: boolean | undefined
  delivered:
    | { hash: Hex; brought: bigint; minimum: bigint; text: string; later?: { hash: Hex; text: string } }
    | undefined
  expiry?: {
    at: number
    isPast: boolean
    refund: { hash: Hex; text: string; paidAt: number | null } | undefined
  }
  /**
   * An order that a solver pays out: its number, until when that may be (Unix s; `undefined` if its call does not state it), what its service says of it, and what was given back: how
   * much, where, to whom and in which transaction.
   */
  order?: {
    id: Hex
    until: number | undefined
    said: { word: string; text: string } | undefined
    returned: { hash: Hex; text: string; network: Network; recipient: string } | undefined
  }
  /** Why an order cannot be filled any more. */
  unfilled?: 'expired' | 'cancelled' | undefined
  /** Whether anybody can deliver a burn, or the command line that has it signed anew. */
  remedies?: { canDeliver?: true; reattest?: string }
}

/** Why the rest of an operation cannot be signed now; `forever` if waiting does not help. */
export type Blocker = { reason: string; is: 'poor' | 'refused' | 'forever' }

/** All facts about an operation, from journal, chains, bridge and service. */
export type Facts = {
  operation: Operation
  plan: StoredPlan
  now: Now
  /** Why the last run of a partly done operation stopped. */
  lastRunReason: string | undefined
  wasReopened: boolean
  chains: ReadonlyMap<number, ChainFacts>
  steps: readonly StepFacts[]
  /** The deciding step: the first signed one that did not succeed. */
  focus: StepFacts | undefined
  /** The first unsigned step. */
  unsigned: Step | undefined
  /** Why it and the steps after it cannot be signed now, if anything prevents it. */
  blocker: Blocker | undefined
  /** The remaining allowances; `null` if unknown. */
  remainingAllowances: readonly RemainingAllowance[] | null
  bridge: BridgeFacts | undefined
  /** The received amount, and what a bridge delivered, by receipts. */
  received: TokenAmount | undefined
  bridged: TokenAmount | undefined
  /** A later claim from the queue of this withdrawal, for this or another request. */
  claimed: { id: string; out: TokenAmount | undefined } | undefined
  /**
   * The operation of the same wallet that goes first: it holds the nonce before that of `focus`, or must reach the chain before
   * anything else can be signed.
   */
  precedingId: string | undefined
  /** The operation that replaced this unsigned one under the same key. */
  successorId: string | undefined
  /** Whether a person abandoned it before. */
  wasGivenUp: boolean
  /** Another process is using its wallet, so that unsigned steps may be signed at any moment. */
  isWalletBusy: boolean
}

/** Whether a step succeeded, by the journal or by the chain. */
export const hasStepSucceeded = ({ step, onChain }: StepFacts): boolean =>
  step.state === 'FINAL_OK' ||
  ((isInFlight(step) || step.state === 'SUPERSEDED') &&
    onChain?.found?.ok === true &&
    onChain.found.isDeep &&
    onChain.found.kind !== 'cancel')

/** Whether another signed step than the deciding one is not settled. */
export const hasOtherPending = ({ steps, focus }: Pick<Facts, 'steps' | 'focus'>): boolean =>
  steps.some((one) => one !== focus && isInFlight(one.step) && one.onChain?.found?.isDeep !== true)

/** Whether a bridge delivered less than the agreed minimum. */
export const isUnderDelivery = ({ bridge }: Pick<Facts, 'bridge'>): boolean =>
  bridge?.delivered !== undefined && bridge.delivered.brought < bridge.delivered.minimum

/** The step that decides the verdict: of failed steps, the one that ended the operation. */
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

/** The facts with superseded steps that are on the chain after all as pending. */
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

/** A remaining allowance of an operation, as it is printed. */
export type RemainingAllowance = { network: string; token: Address; spender: Address; amount: TokenAmount }
