import type { ChainClient } from '../chain/chain-client.ts'
import type { FinalityDepth } from '../chain/finality/finality.ts'
import type { Tips } from '../chain/gas-fees.ts'
import type { Clock } from '../chain/rpc/clock.ts'
import type { AnswerTimes } from '../chain/rpc/timeouts.ts'
import type { Hex } from '../domain/address.ts'
import { AppError, errorRow } from '../domain/errors.ts'
import type { Network } from '../domain/networks.ts'
import type { Token } from '../domain/token.ts'
import type { TransactionSigner } from '../signing/signer.ts'
import type { Journal } from '../store/journal/journal-interface.ts'
import type { Leg, Operation, Step } from '../store/journal/operation-types.ts'
import type { DeliveryResult } from './bridge/delivery-result.ts'
import type { NonceView } from './nonces/nonce-manager.ts'
import type { TakeLock } from './nonces/wallet-lock.ts'

/** The progress of an execution, for display. */
export type Progress =
  | {
      kind: 'signed' | 'sent' | 'raised' | 'cancelling' | 'included' | 'final' | 'gone'
      step: Step
      hash: Hex
      blockNumber?: number
      /** Set if the earlier attempt was refused as too cheap, so that it was never pending. */
      isRefused?: boolean
    }
  | { kind: 'waiting'; leg: Leg }
  | { kind: 'arrived'; leg: Leg; hash: Hex }

/** The points at which tests kill the process. */
export type FaultPoint =
  | 'after_op'
  | 'after_nonce'
  | 'after_sign'
  | 'after_journal'
  | 'after_broadcast'
  | 'after_receipt'
  | 'after_final'
  | 'before_done'

/**
 * Returns the fee cap: the highest gas price of a step, in wei a unit, for a gas limit; null is no cap. Called before
 * every signature: the first, a bump, a cancellation. `lifted` is a price allowed beyond the plan, to learn its
 * effect.
 */
export type FeeCap = (
  step: Step,
  gas: bigint,
  kind: 'first' | 'bump' | 'cancel',
  lifted?: bigint,
) => bigint | null

/** How long a transaction may stay pending before its fee is bumped: both limits must be exceeded. */
export type BumpDelay = { blocks: number; ms: number }

/** The dependencies and options of one execution. */
export type Execution = {
  journal: Journal
  operationId: string
  signer: TransactionSigner
  rpc: (chainId: number) => ChainClient
  networks: readonly Network[]
  /** The tokens for formatting amounts. */
  tokens?: readonly Token[]
  lock: TakeLock
  clock?: Clock
  timeoutMs: number
  /** The finality depth; by default that of the network. */
  depth?: FinalityDepth
  /** The nonce of the first step on a chain; the following steps count up. */
  pinnedNonces?: Readonly<Record<number, number>>
  /** Queue behind pending foreign transactions instead of refusing. */
  queueBehind?: boolean
  /** Sign and send all steps of a leg before the first is in a block. */
  pipeline?: boolean
  feeCap?: FeeCap
  /** Replace pending transactions by the same with a higher fee, or by a cancellation. */
  replacement?: 'bump' | 'cancel'
  /** Sign no unsigned step in this run; only follow or replace signed ones. */
  onlySigned?: boolean
  /** Sign and send nothing, and do not wait: record what the chains show, and close the rest if that is asked. */
  records?: 'only' | 'and closes'
  /** How long a transaction may be pending before its fee is bumped. */
  bumpDelay?: BumpDelay
  /** Unix seconds by the chain's clock after which the action of a leg can only fail. */
  deadlineOf?: (leg: Leg) => number | undefined
  /** Mines empty blocks on a chain that makes none by itself. */
  mineBlocks?: (chainId: number, blocks: number) => Promise<void>
  /** Send and do not follow: ends in PENDING as soon as a transaction is in flight. */
  noWait?: boolean
  signal?: AbortSignal
  onProgress?: (progress: Progress) => void
  /** Returns the delivery hash of a leg as reported by the service. The chains verify it. */
  reportedDelivery?: (leg: Leg) => Promise<Hex | undefined>
  /** Returns the delivery as the chains show it, with or without a reported hash. */
  checkDelivery?: (reportedHash: Hex | null) => Promise<DeliveryResult | undefined>
  /** Reads the result stored with a finished operation. Its failure does not prevent the end. */
  readResult?: () => Promise<unknown>
  /** Called before the first signature of this run: shows the signer all transactions to sign. */
  approve?: () => Promise<void>
  /**
   * Called with the unsigned steps of a leg before its first signature in this run, and again once that check is too
   * old: guards and simulates them. `now` has the newest block and the mined nonce count of the wallet. Returns
   * sufficient gas limits in the order of the steps.
   */
  beforeLeg?: (
    leg: Leg,
    steps: readonly Step[],
    now: { block: number; nonce: number },
  ) => Promise<readonly bigint[] | undefined>
  /** Returns the age in ms and the block of the plan's check of a leg, which `beforeLeg` may reuse. */
  planCheck?: (leg: Leg) => { ageMs: number; block: number } | undefined
  /**
   * Returns the plan's view of the wallet and its age in ms, for the first signature of a leg, if the step is the
   * planned transaction.
   */
  plannedView?: (leg: Leg, step: Step) => { ageMs: number; view: WalletView } | undefined
  /**
   * Called when the last step is seen mined and deep enough, before the second look, so that later reads can start
   * meanwhile.
   */
  onLastMined?: () => void
  /** Whether reads are begun before they are needed; on by default. */
  readsAhead?: boolean
  fault?: (point: FaultPoint) => void
}

/** A node's gas and fees before a signature; the gas is an estimate, or the error of it. */
export type GasAndFees = { estimate: { gas: bigint } | { error: unknown }; tips: Tips }

/** A view of a wallet on the newest block, with gas and fees. */
export type WalletView = NonceView & { gasAndFees: Promise<GasAndFees> }

/**
 * One run of an execution: `until` is monotonic; `answerTimes` measures slow nodes; `signerState` says whether a signer was asked, so that
 * a signature may exist that was not returned.
 */
export type Run = Execution & {
  until: number
  clock: Clock
  answerTimes: AnswerTimes
  signerState: { isAsked: boolean }
}

/** Thrown by what waits in a run: it has no time left, or nothing more that it may do. It never leaves `executeOperation`. */
export const runStopped = Symbol('stopped')

/** Returns the operation as currently in the journal. */
export const currentOperation = ({ journal, operationId }: Run): Operation => {
  const operation = journal.find(operationId)
  if (!operation) throw new AppError('ACTION_NOT_FOUND', `There is no action ${operationId} in the journal`)
  return operation
}

/** Whether a node failed that may answer the next time. */
export const isNodeFailure = (error: unknown): boolean =>
  error instanceof AppError && error.code.startsWith('RPC_') && errorRow(error.code).exit < 20
