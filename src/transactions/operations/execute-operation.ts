import { isLocal } from '../../chain/chain-client.ts'
import { systemClock } from '../../chain/rpc/clock.ts'
import { clientWithDeadline, newAnswerTimes } from '../../chain/rpc/timeouts.ts'
import { AppError } from '../../domain/errors.ts'
import { isInFlight, isUnsigned } from '../../domain/step-state.ts'
import { advice, sluice } from '../../domain/text/next-step.ts'
import { maxCheckAge } from '../../planning/leg-simulation.ts'
import type { Leg, Operation, Step } from '../../store/journal/operation-types.ts'
import { awaitDelivery } from '../bridge/await-delivery.ts'
import { broadcast } from '../broadcaster.ts'
import { refuseNonceConflict } from '../nonces/nonce-conflict.ts'
import { outcomeOf } from '../outcome/outcome.ts'
import { failureOf } from '../outcome/run-failure.ts'
import { isRecent, type ReadAhead, readAhead } from '../read-ahead.ts'
import { refuseExpiredLeg } from '../refuse-expired-leg.ts'
import { reopenContradicted } from '../reorganisations.ts'
import { finishAbandoned } from '../reorganised-abandoned-operations.ts'
import { cancelLeg } from '../replacement/cancel-leg.ts'
import {
  currentOperation,
  type Execution,
  hasRunEnded,
  isClosed,
  pause,
  type Run,
  runStopped,
  stepAt,
  type WalletView,
  withWalletLock,
} from '../run-state.ts'
import { executeStep, readWalletView, signAndRecord } from '../steps/execute-step.ts'
import { type KnownGas, signerWithTimeout } from '../steps/sign-step.ts'
import { activeSteps, hasLostNonce } from './active-steps.ts'

/** How long, in ms, another node behind the same address may lack a step that was just mined. */
const retryWindowMs = 12_000

/** The pause between two tries, in ms. */
const pauseMs = 1_000

/**
 * Tries to sign a step. Retries for a while if it would fail right after a step that finished at `doneAt`
 * (monotonic), because the answering node may not have that block yet. Never retries once the step is signed.
 */
async function retryAfterStep<T>(
  run: Run,
  index: number,
  doneAt: number | undefined,
  work: () => Promise<T>,
): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      const isShort =
        error instanceof AppError && ['SIMULATION_REVERTED', 'INSUFFICIENT_FUNDS'].includes(error.code)
      const now = run.clock.now()
      const isEarly = doneAt !== undefined && now - doneAt <= retryWindowMs && now + pauseMs < run.until
      const step = stepAt(run, index)
      if (!isShort || !isEarly || !isUnsigned(step) || isLocal(run.rpc(step.transaction.chainId))) throw error
    }
    await pause(run, pauseMs)
  }
}

/**
 * Signs, sends and follows the steps of an operation in order, or continues where an earlier run stopped. A signed
 * transaction is journaled before anything else sees it; from then on only the chain decides what happened. Returns
 * the finished operation. Otherwise throws: below exit 20 nothing was ever signed; from 20 on something may have been
 * signed, and the same operation can be continued.
 */
export async function executeOperation(execution: Execution): Promise<Operation> {
  const clock = execution.clock ?? systemClock
  const time = {
    clock,
    until: clock.now() + execution.timeoutMs,
    answerTimes: newAnswerTimes(clock),
    signerState: { isAsked: false },
  }
  const run: Run = {
    ...execution,
    ...time,
    rpc: (chainId) => clientWithDeadline(execution.rpc(chainId), time),
    signer: signerWithTimeout(execution.signer, { ...execution, ...time }),
    replacedSteps: new Set(),
    minedAtBroadcast: new Map(),
  }
  const ahead = readAhead(run)
  const operation = await verifiedOperation(run)
  if (isClosed(operation) && operation.steps.some(isInFlight)) return finishAbandoned(run)
  if (hasRunEnded(operation)) return outcomeOf(operation)
  try {
    for (const leg of operation.legs) await executeLeg(run, leg, ahead)
    const now = currentOperation(run)
    if (hasRunEnded(now)) return outcomeOf(now)
    refuseNonceConflict(run)
    run.fault?.('before_done')
    run.journal.settle(operation.id, 'DONE', 'all steps are final', 0, await ahead.result())
    return currentOperation(run)
  } catch (error) {
    throw failureOf(run, error)
  }
}

/**
 * Returns the operation after comparing its journal with the chains. An unexpected error here is reported as after a
 * signature.
 */
async function verifiedOperation(run: Run): Promise<Operation> {
  try {
    run.fault?.('after_op')
    run.journal.verify(run.operationId)
    await reopenContradicted(run, run.operationId)
    markResumed(run)
    return currentOperation(run)
  } catch (error) {
    throw error instanceof AppError ? error : failureOf(run, error)
  }
}

/** Resumes an operation that was partly done, or that waited for a decision about a nonce that no longer matters. */
function markResumed(run: Run): void {
  const now = currentOperation(run)
  if (now.state === 'PARTIAL' || (now.state === 'ATTENTION' && !hasLostNonce(now)))
    run.journal.settle(run.operationId, 'EXECUTING', 'resumed')
}

/**
 * Returns the unfinished steps of a leg. A superseded step without a new plan is reported after all others are
 * followed.
 */
const unfinishedSteps = (run: Run, leg: Leg): Step[] =>
  activeSteps(currentOperation(run)).filter(
    ({ leg: of, state }) => of === leg.leg && state !== 'FINAL_OK' && state !== 'SUPERSEDED',
  )

/** Executes one leg under the wallet's lock. A later leg first waits for its bridge delivery. */
async function executeLeg(run: Run, leg: Leg, ahead: ReadAhead): Promise<void> {
  const isDone =
    currentOperation(run).steps.some((step) => step.leg === leg.leg) && unfinishedSteps(run, leg).length === 0
  if (!isDone && leg.arrival && leg.arrival.hash === null) {
    for (const step of unfinishedSteps(run, leg)) refuseUnsigned(run, step)
    await awaitDelivery(run, leg)
  }
  if (unfinishedSteps(run, leg).length === 0) return
  await withWalletLock(run, leg.chainId, async () => {
    try {
      // Another process may have held the lock until now.
      if (hasRunEnded(currentOperation(run))) return
      markResumed(run)
      run.journal.releaseOtherNonces(leg.chainId, currentOperation(run).wallet, run.operationId)
      await signAndFollow(run, leg, ahead)
    } finally {
      for (const { state, index } of unfinishedSteps(run, leg))
        if (state === 'RESERVED') run.journal.releaseNonce(run.operationId, index, 'not signed in this run')
    }
  })
}

/**
 * Signs steps that are sent together; `looked` is the view that was just read for one of them. If a signature takes
 * long, as on a device, the steps signed so far are sent first and the wallet is read again. If the node does not have
 * them then, the rest is signed after them. So is a step that would fail on the newest block, where those before it
 * may be missing.
 */
async function sendTogether(
  run: Run,
  steps: readonly Step[],
  known: (index: number) => KnownGas | undefined,
  looked: { of: number; at: number; view: WalletView },
): Promise<void> {
  const held: number[] = []
  const signed: number[] = []
  const send = () => Promise.all(held.splice(0).map((index) => broadcast(run, index)))
  let { view }: { view: WalletView | undefined } = looked
  try {
    for (const { index } of steps) {
      // The gas in a view is for its own step.
      if (!isRecent(run, looked) || (index !== looked.of && !known(index))) view = undefined
      if (!view) await send()
      try {
        if (!(await signAndRecord(run, index, known(index), view))) continue
      } catch (error) {
        if (lacksOneOf(error, signed) || (signed.length > 0 && wouldFail(error))) return
        throw error
      }
      held.push(index)
      signed.push(stepAt(run, index).nonce!)
      view = view && afterSending(view, stepAt(run, index))
    }
  } finally {
    await send()
  }
}

/** Whether a nonce is refused only because the node lacks a transaction of this run, with one of the given nonces. */
const lacksOneOf = (error: unknown, nonces: readonly number[]): boolean =>
  error instanceof AppError &&
  ['FOREIGN_PENDING', 'NONCE_GAP'].includes(error.code) &&
  nonces.some((nonce) => nonce === error.details?.pending)

/** Whether a step would fail on the newest block, which may lack the steps that were just sent. */
const wouldFail = (error: unknown): boolean =>
  error instanceof AppError && error.code === 'SIMULATION_REVERTED'

/** The view of a wallet after a node has accepted a signed step, which then counts as pending. */
const afterSending = (view: WalletView, { nonce }: Step): WalletView | undefined =>
  nonce === null ? undefined : { ...view, counts: { ...view.counts, pending: nonce + 1 } }

const isLastLeg = (run: Run, { leg }: Leg): boolean => currentOperation(run).legs.at(-1)?.leg === leg

async function signAndFollow(run: Run, leg: Leg, ahead: ReadAhead): Promise<void> {
  let checked: { at: number; block: number } | undefined
  const isFresh = (block: number) =>
    checked !== undefined &&
    run.clock.now() - checked.at <= maxCheckAge.ms &&
    block - checked.block <= maxCheckAge.blocks
  let doneAt: number | undefined
  const gasOf = new Map<number, bigint>()
  const known = (index: number, how: 'exactly' | 'atLeast') => {
    const gas = gasOf.get(index)
    return gas === undefined ? undefined : ({ [how]: gas } as KnownGas)
  }
  if (run.replacement === 'cancel') await cancelLeg(run, leg)
  const stepAfter = (index: number) => unfinishedSteps(run, leg).find((step) => step.index > index)
  for (const { index } of unfinishedSteps(run, leg)) {
    // The steps after a failed one were followed together with it.
    if (stepAt(run, index).state === 'FINAL_OK') continue
    refuseUnsigned(run, stepAt(run, index))
    let seenNow: WalletView | undefined
    if (isUnsigned(stepAt(run, index))) {
      refuseNonceConflict(run)
      const step = stepAt(run, index)
      const looked = await ahead.view(leg, step)
      const seen = (await looked.view) ?? (await readWalletView(run, step))
      const { head, counts } = seen
      if (unfinishedSteps(run, leg).some((step) => step.role !== 'fee')) refuseExpiredLeg(run, leg, head)
      const block = Number(head.number)
      if (!isFresh(block)) {
        // A check made by the plan is as old as the plan, so its age counts from there.
        const plan = run.planCheck?.(leg)
        const isOld = !plan || plan.ageMs > maxCheckAge.ms || block - plan.block > maxCheckAge.blocks
        const [ageMs, since] = isOld ? [0, block] : [plan.ageMs, plan.block]
        checked = { at: run.clock.now() - ageMs, block: since }
        const left = unfinishedSteps(run, leg).filter(isUnsigned)
        const gas = await retryAfterStep(run, index, doneAt, async () =>
          run.beforeLeg?.(leg, left, { block, nonce: counts.latest }),
        )
        for (const [at, step] of left.entries()) if (gas?.[at] !== undefined) gasOf.set(step.index, gas[at])
        const together = left.filter(({ role }) => role !== 'fee')
        if (run.pipeline && left.length > 1)
          await sendTogether(run, together, (one) => known(one, 'exactly'), {
            of: index,
            at: looked.at,
            view: seen,
          })
      }
      if (isRecent(run, looked)) seenNow = seen
    }
    const onMined = () => {
      const next = stepAfter(index)
      if (next || !isLastLeg(run, leg)) ahead.begin(next)
      else ahead.beginResult()
    }
    await retryAfterStep(run, index, doneAt, () => {
      const seen = seenNow
      seenNow = undefined
      const begun = ahead.takeLooks(index)
      const next = stepAfter(index)
      if (next && isInFlight(next)) ahead.begin(next)
      return executeStep(run, index, { gas: known(index, 'atLeast'), seen, onMined, begun })
    })
    doneAt = run.clock.now()
  }
}

/**
 * Ends a run that only follows or replaces signed transactions at its first unsigned step, before waiting for that
 * step's funds.
 */
function refuseUnsigned(run: Run, step: Step): void {
  if (!isUnsigned(step)) return
  if (run.replacement === 'cancel') throw cancelledTooLateError(run)
  if (run.onlySigned) throw runStopped
}

/** The error if a step was mined before it could be cancelled: the steps after it are not signed. */
function cancelledTooLateError(run: Run): AppError {
  const { id, state } = currentOperation(run)
  if (state === 'OPEN')
    return new AppError('USAGE', `${id} has no signed transaction, so there is nothing to cancel`, {
      details: { operation: id },
      next: sluice('action abandon', id),
    })
  const why = 'it was mined before it could be cancelled'
  run.journal.settle(run.operationId, 'PARTIAL', why, 21)
  return new AppError('PARTIAL', `The action is partly done; the remaining steps were not signed: ${why}`, {
    details: { operation: run.operationId },
    next: advice`${sluice('action resume', run.operationId)}, or close it: ${sluice('action abandon', run.operationId)}`,
  })
}
