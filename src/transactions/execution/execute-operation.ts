import { isLocal } from '../../chain/chain-client.ts'
import { type FreshestReader, readFromFreshest } from '../../chain/freshest-node.ts'
import { systemClock } from '../../chain/rpc/clock.ts'
import { clientWithDeadline, newAnswerTimes } from '../../chain/rpc/timeouts.ts'
import { AppError } from '../../domain/errors.ts'
import { isInFlight, isUnsigned } from '../../domain/step-state.ts'
import type { Lock } from '../../store/file-lock.ts'
import type { Operation } from '../../store/journal/operation-types.ts'
import { defaultBumpDelay } from '../attempts/fee-bump.ts'
import { signerWithTimeout } from '../attempts/sign-step.ts'
import { currentOperation, type Execution, type Run } from '../run.ts'
import { activeSteps } from '../steps/active-steps.ts'
import { isClosed } from '../steps/operation-state.ts'
import { endOf } from './end-of-run.ts'
import { handlers } from './handlers.ts'
import { nextAct } from './next-act.ts'
import { type ReadAhead, readAhead } from './read-ahead.ts'
import { runError, unreadableJournalError } from './run-failure.ts'
import { nothingSeen, see } from './see.ts'
import type { Act, End, Event, May, Seen } from './state.ts'

/** What the handler of an act works with. */
export type On = {
  run: Run
  operation: Operation
  seen: Seen
  ahead: ReadAhead
  /** The chain from its most advanced node. */
  reader: (chainId: number) => FreshestReader
  /** The steps in flight of an operation that was abandoned before this run, which only follows them. */
  followed: ReadonlySet<number> | undefined
  /** The lock of the wallet that the run holds. */
  held: { lock?: Lock | undefined }
}

/**
 * Signs, sends and follows the steps of an operation in order, or continues where an earlier run stopped. A signed
 * transaction is journaled before anything else sees it; from then on only the chain decides what happened. Returns
 * the finished operation. Otherwise throws: below exit 20 nothing was ever signed; from 20 on something may have been
 * signed, and the same operation can be continued.
 */
export async function executeOperation(execution: Execution): Promise<Operation> {
  const run = startRun(execution)
  const { clock } = run
  const readers = new Map<number, FreshestReader>()
  const reader = (chainId: number): FreshestReader => {
    const known = readers.get(chainId) ?? readFromFreshest(run.rpc(chainId))
    readers.set(chainId, known)
    return known
  }
  const first = readOperation(run)
  const followed = isClosed(first)
    ? new Set(first.steps.filter(isInFlight).map(({ index }) => index))
    : undefined
  const on = { run, ahead: readAhead(run), reader, followed, held: {} as On['held'] }
  const may = permissionsOf(run)
  // What only records is called after the journal was compared with the chains.
  let seen: Seen = { ...nothingSeen(clock.now()), isCompared: run.records !== undefined }
  try {
    for (;;) {
      const operation = readOperation(run)
      beginNext(on.ahead, operation, seen)
      const act = actOf({ ...on, operation, seen }, may)
      if (act.is === 'end') return await endOf({ ...on, operation, seen }, act)
      seen = see(seen, await perform(act, { ...on, operation, seen }), clock.now())
    }
  } finally {
    on.held.lock?.release()
  }
}

/** Reads the operation in the journal. JOURNAL_UNREADABLE if that fails twice: then the journal cannot prove that nothing was signed. */
function readOperation(run: Run): Operation {
  try {
    return currentOperation(run)
  } catch (error) {
    if (error instanceof AppError && error.code === 'ACTION_NOT_FOUND') throw error
  }
  try {
    return currentOperation(run)
  } catch (cause) {
    throw unreadableJournalError(run.operationId, cause)
  }
}

/** A run of an execution: with its deadline in every request and signature. */
function startRun(execution: Execution): Run {
  const clock = execution.clock ?? systemClock
  const time = {
    clock,
    until: clock.now() + execution.timeoutMs,
    answerTimes: newAnswerTimes(clock),
    signerState: { isAsked: false },
  }
  return {
    ...execution,
    ...time,
    rpc: (chainId) => clientWithDeadline(execution.rpc(chainId), time),
    signer: signerWithTimeout(execution.signer, { ...execution, ...time }),
  }
}

/** What a run may do, which changes with an interrupt and with a new plan. */
function permissionsOf(run: Run): (operation: Operation) => May {
  const { onlySigned, records, replacement, noWait, pipeline, until, bumpDelay = defaultBumpDelay } = run
  const fixed = {
    sign: !onlySigned && !records,
    send: !records,
    close: records === 'and closes',
    replace: replacement,
    wait: !noWait && !records,
    pipeline: pipeline === true,
    until,
    bumpDelay,
  }
  let local: Set<number> | undefined
  return ({ legs }) => {
    local ??= new Set(legs.flatMap(({ chainId }) => (isLocalChain(run, chainId) ? [chainId] : [])))
    const deadlines = new Map<number, number>()
    for (const leg of legs) {
      const deadline = run.deadlineOf?.(leg)
      if (deadline !== undefined) deadlines.set(leg.leg, deadline)
    }
    return { ...fixed, local, deadlines, isAborted: run.signal?.aborted === true }
  }
}

/** Whether the node of a chain is on this machine; a chain without a node is told when it is needed. */
function isLocalChain({ rpc }: Run, chainId: number): boolean {
  try {
    return isLocal(rpc(chainId))
  } catch (error) {
    if (error instanceof AppError) return false
    throw error
  }
}

/** The next act. What fails here, as an unreadable plan does, ends the run like the failure of an act. */
function actOf(on: On, may: (operation: Operation) => May): Act {
  const { run, operation, seen } = on
  try {
    return nextAct(operation, seen, may(operation), run.clock.now())
  } catch (error) {
    throw runError(on, error)
  }
}

async function perform(act: Exclude<Act, End>, on: On): Promise<Event> {
  const began = on.run.clock.now()
  try {
    const event = await (handlers[act.is] as Handler)(act as never, on)
    return event ?? { is: 'done', act, tookMs: on.run.clock.now() - began }
  } catch (error) {
    return { is: 'failed', act, error }
  }
}

type Handler = (act: never, on: On) => Promise<Event | undefined> | undefined

/** Begins to read what comes next, once all that is in flight is mined deep enough: the wallet of the next step, or the result. */
function beginNext(ahead: ReadAhead, operation: Operation, { deep, deepBefore }: Seen): void {
  const flying = operation.steps.filter(isInFlight)
  const isMined = flying.every(({ index, state }) => state === 'INCLUDED' && deep.has(index))
  // What a second look has found is final, and its next act is at hand.
  if (!isMined || flying.every(({ index }) => deepBefore.has(index))) return
  const { leg } = flying[0]!
  const next = activeSteps(operation).find((step) => step.leg === leg && isUnsigned(step))
  if (next) ahead.begin(next)
  else if (operation.legs.at(-1)?.leg === leg) ahead.beginResult()
}
