import { snapshotLifeMs } from '../../chain/head-fees-nonces-snapshot.ts'
import { isInFlight, isUnsigned } from '../../domain/step-state.ts'
import { quoteExpiredError } from '../../domain/used-order-and-expired-quote-errors.ts'
import { maxCheckAge } from '../../planning/leg-simulation.ts'
import type { Attempt, Leg, Operation, Step } from '../../store/journal/operation-types.ts'
import { isCancelling } from '../attempts/fee-bump.ts'
import { failedDelivery } from '../bridge/delivery-result.ts'
import { deliveryPauseMs, isDeliveryMissing } from '../bridge/delivery-watch.ts'
import { activeSteps, hasLostNonce } from '../steps/active-steps.ts'
import { hasRunEnded, hasSignature, isClosed } from '../steps/operation-state.ts'
import { afterFault, failed } from './after-fault.ts'
import { follow } from './follow.ts'
import type { Act, End, May, Seen, Settle } from './state.ts'

/**
 * The next act of a run: a function of the journal, of what this run has seen, of what it may do, and of the time. `now` is monotonic,
 * in ms. It reads and writes nothing.
 */
export function nextAct(op: Operation, seen: Seen, may: May, now: number): Act {
  const act = choose(op, seen, may, now)
  const isPause = (act.is === 'look' || act.is === 'deliver') && act.after > 0
  const next = isPause && !may.wait ? stopped : act
  if (next.is !== 'end' && next.is !== 'settle') return next
  // What is in the journal is sent before a run ends.
  if (seen.unsent.size > 0) return send(seen)
  // A nonce that was reserved and not used must leave no gap.
  const kept = op.steps.find(
    ({ state, transaction }) => state === 'RESERVED' && transaction.chainId === seen.locked,
  )
  if (!kept || seen.fault?.act.is === 'release') return next
  return { is: 'release', index: kept.index, why: 'not signed in this run' }
}

function choose(op: Operation, seen: Seen, may: May, now: number): Act {
  const flying = op.steps.filter(isInFlight)
  if (seen.signature) return afterSignature(op, seen.signature, may)
  const ending = seen.fault && afterFault(op, seen, may, now)
  if (ending) return ending
  const isStopped = may.isAborted || now >= may.until
  if (seen.unsent.size > 0 && (isStopped || seen.ending || !isNextSignable(op, seen, now))) return send(seen)
  if (seen.ending) return seen.ending
  if (!seen.isCompared) return { is: 'compare' }
  if (flying.length === 0 && hasRunEnded(op)) return may.close && op.state === 'ATTENTION' ? close(op) : over
  const act = goFurther(op, seen, may, now)
  return isStopped && !recording.includes(act.is) ? stopped : act
}

/** Acts that only record what is known, as a run does even when it is stopped. */
const recording: readonly Act['is'][] = ['move', 'supersede', 'arrive', 'settle']

/** What follows from the journal and what was seen, if there is time. */
function goFurther(op: Operation, seen: Seen, may: May, now: number): Act {
  const flying = op.steps.filter(isInFlight)
  const [first] = flying
  const leg = first && legOf(op, first)
  const isSigning = leg !== undefined && seen.isPipelining && nextTogether(op, leg) !== undefined
  const isAsked = may.replace !== undefined && flying.some(({ index }) => !seen.replaced.has(index))
  if (!may.wait && seen.sent.size > 0 && !isSigning && !isAsked) return stopped
  if (may.sign && isPaused(op)) return { is: 'resume' }
  if (!leg) return goOn(op, seen, may, now)
  if (isSigning) return signNext(op, leg, seen, may, now)
  return locked(leg, seen) ?? follow(op, leg, seen, may, now)
}

const stopped: End = { is: 'end', because: 'stopped' }
const over: End = { is: 'end', because: 'over' }

/** Whether an operation is partly done, or has had a decision about the nonce that it lost. */
const isPaused = (op: Operation): boolean =>
  op.state === 'PARTIAL' || (op.state === 'ATTENTION' && !hasLostNonce(op))

const legOf = ({ legs }: Operation, { leg }: Step): Leg => legs.find((one) => one.leg === leg)!

const send = ({ unsent }: Seen): Act => ({
  is: 'send',
  steps: [...unsent].map((index) => ({ index, all: false })),
})

/** The lock of the wallet on a leg's chain, if it is not held yet. */
const locked = ({ chainId }: Leg, { locked: held }: Seen): Act | undefined =>
  held === chainId ? undefined : { is: 'lock', chainId }

/** The steps of a leg that are to be done; one that lost its nonce is told after all others. */
const unfinished = (op: Operation, { leg: of }: Leg): Step[] =>
  activeSteps(op).filter(({ leg, state }) => leg === of && state !== 'FINAL_OK' && state !== 'SUPERSEDED')

/** Nothing is in flight: settles the operation, waits for a delivery, or signs the next step. */
function goOn(op: Operation, seen: Seen, may: May, now: number): Act {
  if (isClosed(op)) return over
  const steps = activeSteps(op)
  if (hasLostNonce(op)) return settle(op, 'ATTENTION', 23, 'a nonce was used by another transaction', over)
  const bad = steps.findLast(({ state }) => state === 'CANCELLED' || state === 'FINAL_REVERTED')
  if (bad) {
    const end: End = { is: 'end', because: 'over', index: bad.index }
    return bad.state === 'CANCELLED'
      ? settle(op, 'CANCELLED', 24, `step ${bad.index + 1} was cancelled`, end)
      : settle(op, 'FAILED', 22, `step ${bad.index + 1} reverted`, end)
  }
  const leg = op.legs.find((one) => unfinished(op, one).length > 0 || one.arrival?.hash === null)
  if (!leg) return settle(op, 'DONE', 0, 'all steps are final', over)
  const isLeft = unfinished(op, leg).some(isUnsigned)
  if (isLeft && may.replace === 'cancel') return leave(op)
  if (isLeft && !may.sign && !may.close) return stopped
  if (isLeft && !may.close && isCancelLost(op, seen)) return leave(op)
  const isArriving = leg.arrival?.hash === null
  // What is closed is not waited for, but a refund that is on the chain is its end.
  if (isArriving && !(isLeft && may.close && seen.delivery && !isDecided(op, seen)))
    return awaitDelivery(op, leg, seen, may, now)
  if (may.close) return close(op)
  return locked(leg, seen) ?? signNext(op, leg, seen, may, now)
}

/** Closes an operation whose rest was not signed. If nothing was signed, its key is free again. */
function close(op: Operation): Act {
  const isSigned = hasSignature(op)
  return settle(op, isSigned ? 'CANCELLED' : 'DROPPED', isSigned ? 21 : 130, 'given up by the person', over)
}

/** Whether a delivery has arrived, or will not. */
const isDecided = (op: Operation, { delivery }: Seen): boolean => {
  const result = delivery?.last.result
  return result !== undefined && ('arrived' in result || failedDelivery(op, result) !== undefined)
}

/** A delivery takes minutes to hours, during which others may use the wallet. */
function awaitDelivery(op: Operation, { leg, chainId }: Leg, seen: Seen, may: May, now: number): Act {
  if (seen.locked !== null) return { is: 'lock', chainId: null }
  const { delivery } = seen
  if (!delivery) return { is: 'deliver', leg, after: 0 }
  const { result } = delivery.last
  if (result && 'arrived' in result) return { is: 'arrive', leg, hash: result.arrived }
  const end = result && failedDelivery(op, result)
  if (end) return settle(op, 'FAILED', 25, end.why, over, end.result)
  const isLocal = may.local.has(chainId)
  // A refund takes hours, so the run does not wait for it.
  const isExpired = result !== undefined && 'until' in result && result.unseen === 'expired'
  if (isExpired || isDeliveryMissing(delivery, isLocal, now)) return { is: 'end', because: 'delivery', leg }
  return { is: 'deliver', leg, after: deliveryPauseMs(delivery, isLocal) }
}

/** Whether a step was mined although it was being cancelled, and nobody has asked since to go on with the rest. */
const isCancelLost = (op: Operation, { isResumed }: Seen): boolean =>
  !isResumed && op.steps.some(({ state, attempts }) => state === 'FINAL_OK' && isCancelling(attempts))

/** A cancellation ends at the first step that is not signed. */
const leave = (op: Operation): Act => {
  const end: End = { is: 'end', because: 'mined before its cancellation' }
  return op.state === 'OPEN'
    ? end
    : settle(op, 'PARTIAL', 21, 'it was mined before it could be cancelled', end)
}

function settle(
  op: Operation,
  state: Settle['state'],
  exit: Settle['exit'],
  why: string,
  end: End,
  result?: unknown,
): Act {
  if (op.state === state) return end
  if (isPaused(op) && state !== 'CANCELLED' && state !== 'PARTIAL') return { is: 'resume' }
  return { is: 'settle', state, exit, why, end, ...(result !== undefined && { result }) }
}

/** The next step of a leg that a pipeline signs; payments of fees wait for what they are for. */
const nextTogether = (op: Operation, leg: Leg): Step | undefined => {
  const next = unfinished(op, leg).find(isUnsigned)
  return next?.role === 'fee' ? undefined : next
}

/** Whether a pipeline signs on before it sends: all that the signature needs was seen a moment ago. */
function isNextSignable(op: Operation, seen: Seen, now: number): boolean {
  const last = op.steps.find(({ index }) => seen.unsent.has(index))
  const leg = last && legOf(op, last)
  const next = leg && seen.isPipelining && nextTogether(op, leg)
  return next ? isViewed(next, seen, now) && isChecked(next, seen, now) : false
}

/** Whether the wallet was seen for the signature of a step. A slow answer counts once, or a slow node would stop the run for ever. */
function isViewed({ index }: Step, { view, gas }: Seen, now: number): boolean {
  if (!view || (view.index !== index && !gas.has(index))) return false
  return now - view.at <= snapshotLifeMs || (view.isAgain && view.index === index)
}

/** Whether a leg was checked for the signature of a step, or a moment ago. */
const isChecked = ({ leg, index }: Step, { check, view }: Seen, now: number): boolean =>
  check?.leg === leg &&
  (check.index === index ||
    (now - check.at <= maxCheckAge.ms &&
      view !== null &&
      Number(view.view.head.number) - check.block <= maxCheckAge.blocks))

/** How long, in ms, to wait before a step is tried again that would fail right after the step before it. */
const retryMs = 1_000

function signNext(op: Operation, leg: Leg, seen: Seen, may: May, now: number): Act {
  const left = unfinished(op, leg).filter((step) => !isInFlight(step))
  const step = left.find(isUnsigned)!
  const { index } = step
  const { view, fault } = seen
  if (step.state === 'RESERVED' && !seen.reserved.has(index))
    return { is: 'release', index, why: 'never signed' }
  if (!view || !isViewed(step, seen, now)) {
    const after = fault?.act.is === 'check' || fault?.act.is === 'sign' ? retryMs : 0
    return { is: 'view', index, isAgain: view?.index === index || fault !== null, after }
  }
  const { head } = view.view
  const deadline = may.deadlines.get(leg.leg)
  if (deadline !== undefined && head.timestamp > deadline && left.some(({ role }) => role !== 'fee'))
    return failed(op, seen, quoteExpiredError(deadline * 1_000), {
      is: 'end',
      because: 'expired',
      at: deadline,
    })
  if (!isChecked(step, seen, now))
    return {
      ...{ is: 'check', leg: leg.leg, index, block: Number(head.number) },
      isTogether: may.pipeline && left.filter(isUnsigned).length > 1,
    }
  if (!seen.isApproved) return { is: 'approve' }
  return step.state === 'PLANNED' ? { is: 'reserve', index } : { is: 'sign', index, kind: 'run' }
}

/** A signature counts only if nothing ended the run or the operation meanwhile. A replacement is of something that is in flight anyway. */
const afterSignature = (op: Operation, { attempt }: { attempt: Pick<Attempt, 'kind'> }, may: May): Act =>
  attempt.kind === 'run' && (may.isAborted || isClosed(op)) ? { is: 'discard' } : { is: 'record' }
