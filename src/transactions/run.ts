import type { Rpc } from '../chain/rpc/rpc.ts'
import type { AnswerTimes, Clock } from '../chain/rpc/timeouts.ts'
import type { Hex } from '../domain/address.ts'
import { AppError, errorRow } from '../domain/errors.ts'
import type { Network } from '../domain/networks.ts'
import type { Token } from '../domain/token.ts'
import type { TransactionSigner } from '../signing/signer.ts'
import type { Leg, Operation, Step } from '../store/journal/operation.ts'
import type { Journal } from '../store/journal/types.ts'
import type { Disagreement } from './confirmation/quorum.ts'
import { hasLostNonce } from './operations/active-steps.ts'
import type { TakeLock } from './operations/wallet-lock.ts'
import type { DeliveryResult } from './outcome/result.ts'
import type { BumpDelay } from './replacement/when-stuck.ts'

/** Where execution stands, for whoever shows it. */
export type Progress =
  | {
      kind: 'signed' | 'sent' | 'raised' | 'cancelling' | 'included' | 'final' | 'gone'
      step: Step
      hash: Hex
      blockNumber?: number
      /** What was sent before was refused as too cheap, so that it did not wait at all. */
      isRefused?: boolean
    }
  | { kind: 'waiting'; leg: Leg }
  | { kind: 'arrived'; leg: Leg; hash: Hex }

/** The places where tests kill the process. */
export type FaultPoint =
  | 'after_op'
  | 'after_nonce'
  | 'after_sign'
  | 'after_journal'
  | 'after_broadcast'
  | 'after_receipt'
  | 'after_final'
  | 'before_done'

/** How deep a transaction must lie: a number of blocks, its own included, or what the chain itself calls safe. */
export type FinalityDepth = number | 'safe' | 'finalized'

/** The most that a unit of gas of a step may cost, in wei, where it is signed with so much gas; null is any price. Asked before every signature: the first, one with a higher fee, or one that does nothing in its place. `lifted` is what the person were to allow beyond the plan, where it is asked what that would change. */
export type FeeCap = (
  step: Step,
  gas: bigint,
  kind: 'first' | 'bump' | 'cancel',
  lifted?: bigint,
) => bigint | null

/** All that execution needs from outside. */
export type Execution = {
  journal: Journal
  operationId: string
  signer: TransactionSigner
  rpc: (chainId: number) => Rpc
  networks: readonly Network[]
  /** What amounts are told in. */
  tokens?: readonly Token[]
  lock: TakeLock
  lockWaitMs?: number
  clock?: Clock
  timeoutMs: number
  /** What makes a transaction final; otherwise what the network says. */
  depth?: FinalityDepth
  /** The nonce that the first step on a chain must have; the steps after it count on. */
  pinnedNonces?: Readonly<Record<number, number>>
  /** Take the nonce behind what others have waiting, instead of refusing. */
  queueBehind?: boolean
  /** Sign and send all steps of a leg before the first is in a block. */
  pipeline?: boolean
  feeCap?: FeeCap
  /** Replace what is on its way by the same with a higher fee, or by nothing at all. */
  replacement?: 'bump' | 'cancel'
  /** Nothing that is not signed yet is signed in this run, whatever has come by then: only what waits is followed, or replaced. */
  onlySigned?: boolean
  /** How long a transaction may wait before its fee is raised. */
  bumpDelay?: BumpDelay
  /** Unix seconds, by the clock of the chain, after which the action of a leg can only fail. */
  deadlineOf?: (leg: Leg) => number | undefined
  /** Adds empty blocks on a chain that makes none by itself. */
  mineBlocks?: (chainId: number, blocks: number) => Promise<void>
  /** Send, and do not follow: ends in PENDING as soon as something is on its way. */
  noWait?: boolean
  signal?: AbortSignal
  onProgress?: (progress: Progress) => void
  /** The transaction that brought the funds of a leg, as soon as the service knows it. Our own node is asked about it. */
  reportedDelivery?: (leg: Leg) => Promise<Hex | undefined>
  /** What came, by the chains alone, whether somebody names the transaction that brought it or not. */
  checkDelivery?: (told: Hex | null) => Promise<DeliveryResult | undefined>
  /** What is written down of an operation when it is done. Nothing that fails in it keeps that from being so. */
  readResult?: () => Promise<unknown>
  /** Called before anything is signed in this run: shows the signer what it will be asked for. */
  approve?: () => Promise<void>
  /**
   * Called with what is left to sign of a leg before its first signature in this run, and again when that was a while
   * ago: guard it and simulate it there. Gives the gas limits that were enough, in the order of the steps.
   */
  beforeLeg?: (leg: Leg, steps: readonly Step[]) => Promise<readonly bigint[] | undefined>
  fault?: (point: FaultPoint) => void
}

/**
 * What one run carries along. `until` is on the monotonic clock; `waits` tells whose answers took long; `replaced` are the steps that were replaced in it as the person asked;
 * `signing` says whether a signer was asked in it, so that something may be signed that nobody holds; `disagreement` is what kept the last one that was mined from being final, `behind` the action that has the nonce which the chain wants before that of what was sent again, `early` for whom a deadline that has passed by another endpoint has not, and `taken` what has the nonce of one and is not final.
 */
export type Run = Execution & {
  until: number
  clock: Clock
  answerTimes: AnswerTimes
  replacedSteps: Set<number>
  signerState: { isAsked: boolean }
  disagreement?: Disagreement | undefined
  deadlineDispute?: { host: string; by: string } | undefined
  precedingNonce?: { operation: string; nonce: number } | undefined
  nonceConflict?: { nonce: number; by: string; blockNumber: number | null; unlike?: Disagreement } | undefined
}

/** Thrown inside a run when the time is over or the person interrupts. It never leaves `execute`. */
export const runStopped = Symbol('stopped')

/** The operation as the journal has it now. */
export const currentOperation = ({ journal, operationId }: Run): Operation => {
  const operation = journal.find(operationId)
  if (!operation)
    throw new AppError('ACTION_NOT_FOUND', `There is no operation ${operationId} in the journal`)
  return operation
}

/** A step of the operation as the journal has it now. */
export const stepAt = (run: Run, index: number): Step => {
  const step = currentOperation(run).steps.find((one) => one.index === index)
  if (!step) throw new AppError('BUG', `Operation ${run.operationId} has no step ${index}`)
  return step
}

/** Whether nothing can happen to an operation any more. */
export const isFinished = ({ state }: Operation): boolean =>
  state === 'DONE' || state === 'CANCELLED' || state === 'FAILED' || state === 'DROPPED'

/** Whether a run has nothing to do any more, for it is over, or waits for a person because of a nonce that is lost. One look decides: another process may end it between two. */
export const hasRunEnded = (operation: Operation): boolean =>
  isFinished(operation) || (operation.state === 'ATTENTION' && hasLostNonce(operation))

/** Whether nothing was signed for a step yet. */
export const isUnsigned = ({ state }: Step): boolean => state === 'PLANNED' || state === 'RESERVED'

/** Whether a step is signed and the journal does not know its end. */
export const isInFlight = ({ state }: Step): boolean =>
  state === 'SIGNED' || state === 'BROADCAST' || state === 'INCLUDED'

/** Waits, unless the time is over or somebody interrupts. */
export async function pause(run: Run, ms: number): Promise<void> {
  const left = run.until - run.clock.now()
  if (left <= 0 || run.signal?.aborted) throw runStopped
  try {
    await run.clock.sleep(Math.min(ms, left), run.signal)
  } catch (error) {
    if (run.signal?.aborted) throw runStopped
    throw error
  }
}

/** Whether a failure is of a node, which may answer the next time. */
export const isNodeFailure = (error: unknown): boolean =>
  error instanceof AppError && error.code.startsWith('RPC_') && errorRow(error.code).exit < 20

/** Whether somebody gave an operation up, so that nothing of it may be signed any more. */
export const isClosed = ({ state }: Operation): boolean => state === 'CANCELLED' || state === 'DROPPED'
