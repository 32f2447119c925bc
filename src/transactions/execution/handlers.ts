import { type Head, readHead } from '../../chain/head.ts'
import { AppError } from '../../domain/errors.ts'
import { networkNamed } from '../../domain/networks.ts'
import { isUnsigned } from '../../domain/step-state.ts'
import { quoteExpiredError } from '../../domain/used-order-and-expired-quote-errors.ts'
import { maxCheckAge } from '../../planning/leg-simulation.ts'
import type { Leg, Operation, Step } from '../../store/journal/operation-types.ts'
import { broadcast } from '../attempts/broadcast.ts'
import { inSendingOrder } from '../attempts/fee-bump.ts'
import { signReplacement } from '../attempts/sign-replacement.ts'
import { type KnownGas, readWalletView, signStep } from '../attempts/sign-step.ts'
import { reopenContradicted } from '../confirmation/reorganisations.ts'
import { allocateNonce } from '../nonces/nonce-manager.ts'
import { remainingAllowance } from '../outcome/left-allowance.ts'
import type { Run } from '../run.ts'
import { activeSteps } from '../steps/active-steps.ts'
import { isFeeTooLow, sendErrorOf } from '../steps/send-errors.ts'
import { lookForDelivery } from './await-delivery.ts'
import type { On } from './execute-operation.ts'
import { lookAt } from './look.ts'
import { localSigningMs } from './see.ts'
import type { Act, End, Event } from './state.ts'

type Handlers = {
  [is in Exclude<Act, End>['is']]: (
    act: Extract<Act, { is: is }>,
    on: On,
  ) => Promise<Event | undefined> | undefined
}

/** One handler an act. What is written is on disk when a handler ends; what is signed leaves only by `send`. */
export const handlers: Handlers = {
  compare: async (_, { run }) => {
    run.fault?.('after_op')
    run.journal.verify(run.operationId)
    await reopenContradicted(run, run.operationId)
    return undefined
  },
  resume: (_, { run }) => void run.journal.settle(run.operationId, 'EXECUTING', 'resumed'),
  lock: async ({ chainId }, { run, held, operation: { wallet } }) => {
    held.lock?.release()
    held.lock = undefined
    if (chainId === null) return undefined
    const waitMs = Math.min(60_000, Math.max(0, run.until - run.clock.now()))
    held.lock = await run.lock(chainId, wallet, waitMs, run.signal)
    if (!held.lock)
      throw new AppError('WALLET_BUSY', `Another process is signing with ${wallet} on chain ${chainId}`)
    // They are of processes that are gone: this one has the lock.
    run.journal.releaseOtherNonces(chainId, wallet, run.operationId)
    return undefined
  },
  deliver: async ({ leg, after }, { run, seen, operation }) => {
    await pause(run, after)
    return {
      is: 'delivery',
      look: await lookForDelivery(run, legAt(operation, leg), seen.delivery?.looks ?? 0),
    }
  },
  arrive: ({ leg, hash }, { run, operation }) => {
    run.journal.recordDelivery(run.operationId, leg, hash)
    run.onProgress?.({ kind: 'arrived', leg: legAt(operation, leg), hash })
    return undefined
  },
  view: async ({ index, isAgain, after }, { run, operation, ahead }) => {
    await pause(run, after)
    const step = stepAt(operation, index)
    const begun = isAgain ? undefined : await ahead.view(legAt(operation, step.leg), step)
    const at = begun?.at ?? run.clock.now()
    const view = (await begun?.view) ?? (await readWalletView(run, step))
    return { is: 'viewed', view: { index, at, view, isAgain } }
  },
  check: async ({ leg: at, index, block, isTogether }, { run, operation, seen }) => {
    const leg = legAt(operation, at)
    // A check made by the plan is as old as the plan, so its age counts from there.
    const plan = run.planCheck?.(leg)
    const now = run.clock.now()
    const left = activeSteps(operation).filter((step) => step.leg === at && isUnsigned(step))
    const nonce = seen.view!.view.counts.latest
    const limits = await run.beforeLeg?.(leg, left, { block, nonce })
    const gas = new Map(
      left.flatMap((step, nth) => (limits?.[nth] === undefined ? [] : [[step.index, limits[nth]] as const])),
    )
    const isReused = plan && plan.ageMs <= maxCheckAge.ms && block - plan.block <= maxCheckAge.blocks
    const made = isReused ? { at: now - plan.ageMs, block: plan.block } : { at: now, block }
    return { is: 'checked', check: { leg: at, index, ...made, isTogether }, gas }
  },
  approve: async (_, { run }) => void (await run.approve?.()),
  reserve: async ({ index }, { run, operation, seen }) => {
    const step = stepAt(operation, index)
    const { chainId } = step.transaction
    await allocateNonce({
      ...{
        journal: run.journal,
        operationId: run.operationId,
        step,
        rpc: run.rpc(chainId),
        clock: run.clock,
      },
      seen: seen.view!.view,
      pinned: pinnedFor(run, operation, step),
      queueBehind: run.queueBehind,
      headMaxAgeMs: networkNamed(run.networks, chainId).headMaxAgeMs,
    })
    run.fault?.('after_nonce')
    return undefined
  },
  release: ({ index, why }, { run }) => void run.journal.releaseNonce(run.operationId, index, why),
  sign: async ({ index, kind }, on) => {
    const { run, operation, seen } = on
    const step = stepAt(operation, index)
    if (kind !== 'run') {
      const attempt = await signReplacement(run, step, kind, seen.look!.wallet!.head)
      return { is: 'signed', index, attempt }
    }
    const { view } = seen.view!
    const asked = run.clock.now()
    const attempt = await signStep({
      ...{ signer: run.signer, step, head: view.head, gasAndFees: await view.gasAndFees },
      gas: knownGas(on, step),
      feeCap: run.feeCap,
    })
    run.fault?.('after_sign')
    // Signing on a device takes time. If the deadline has passed meanwhile, the signature counts for nothing.
    if (step.role !== 'fee' && run.clock.now() - asked > localSigningMs && !run.signal?.aborted) {
      const { chainId } = step.transaction
      refuseExpiredLeg(run, legAt(operation, step.leg), await readHead(run.rpc(chainId), chainId))
    }
    return { is: 'signed', index, attempt }
  },
  record: (_, { run, seen, operation }) => {
    const { index, attempt } = seen.signature!
    const step = stepAt(operation, index)
    run.journal.recordSigned(run.operationId, index, attempt)
    run.fault?.('after_journal')
    const { kind, hash } = attempt
    const now = { ...step, state: step.state === 'RESERVED' ? ('SIGNED' as const) : step.state }
    if (kind === 'run') run.onProgress?.({ kind: 'signed', step: now, hash })
    else {
      const isRefused = isFeeTooLow(sendErrorOf(inSendingOrder(step.attempts)[0]))
      run.onProgress?.({ kind: kind === 'cancel' ? 'cancelling' : 'raised', step: now, hash, isRefused })
    }
    return undefined
  },
  discard: () => undefined,
  send: async ({ steps }, { run, operation }) => {
    const told = await Promise.all(
      steps.map(
        async ({ index, all }) => [index, await broadcast(run, stepAt(operation, index), all)] as const,
      ),
    )
    return {
      is: 'sent',
      steps: steps.map(({ index }) => index),
      told: new Map(
        told.flatMap(([index, mined]) =>
          mined ? [[index, { ...mined, deep: true, reached: 'told', missing: 0 }] as const] : [],
        ),
      ),
    }
  },
  look: async ({ leg: at, steps, after }, { run, operation, seen, reader }) => {
    await pause(run, after)
    const leg = legAt(operation, at)
    const wanted = steps.map((index) => stepAt(operation, index))
    const look = await lookAt(run, reader(leg.chainId), leg, wanted, seen)
    if (look.found.size > 0) run.fault?.('after_receipt')
    return { is: 'looked', look }
  },
  move: (act, { run, operation }) => {
    const { index, becomes, why, inclusion, ref } = act
    const step = stepAt(operation, index)
    markSent(run, step, inclusion?.hash)
    run.journal.moveStep(run.operationId, index, becomes, why, inclusion, ref ?? null)
    tellMove(run, { ...step, state: becomes, inclusion: inclusion ?? null }, becomes)
    return undefined
  },
  supersede: ({ index, owner, hash }, { run, operation }) => {
    const step = stepAt(operation, index)
    markSent(run, step, undefined)
    run.journal.supersede(run.operationId, index, owner, `nonce ${step.nonce} was used by ${owner}`, hash)
    return undefined
  },
  settle: async (act, { run, operation, ahead, reader }) => {
    const { state, why, exit, end, result } = act
    const failed =
      end.because === 'over' && end.index !== undefined ? stepAt(operation, end.index) : undefined
    const left = failed && (await remainingAllowance(reader(failed.transaction.chainId), operation, failed))
    if (state === 'DONE') run.fault?.('before_done')
    const kept = state === 'DONE' ? await ahead.result() : failed ? { allowance: left ?? null } : result
    run.journal.settle(run.operationId, state, why, exit, kept)
    return { is: 'done', act, tookMs: 0, left }
  },
}

/** Refuses a signature for an action whose deadline has passed on its chain: it could only revert. */
function refuseExpiredLeg({ deadlineOf }: Run, leg: Leg, { timestamp }: Head): void {
  const deadline = deadlineOf?.(leg)
  if (deadline !== undefined && timestamp > deadline) throw quoteExpiredError(deadline * 1_000)
}

const legAt = ({ legs }: Operation, leg: number): Leg => legs.find((one) => one.leg === leg)!

const stepAt = ({ steps }: Operation, index: number): Step => steps.find((one) => one.index === index)!

/** Waits, at most until the end of the run; the next act of a run that was stopped meanwhile is its end. */
async function pause({ clock, until, signal }: Run, ms: number): Promise<void> {
  const left = Math.min(ms, until - clock.now())
  if (left <= 0 || signal?.aborted) return
  await clock.sleep(left, signal).catch((error: unknown) => {
    if (!signal?.aborted) throw error
  })
}

/** Returns the nonce that a step must have if the first one of its chain is pinned. */
function pinnedFor(
  { pinnedNonces }: Run,
  { steps }: Operation,
  { index, transaction: { chainId } }: Step,
): number | undefined {
  const first = pinnedNonces?.[chainId]
  if (first === undefined) return undefined
  return first + steps.filter((one) => one.transaction.chainId === chainId && one.index < index).length
}

/** The gas of a step that a check has found: of steps that are sent together, it is not estimated again. */
function knownGas({ seen: { gas, isPipelining, check, view } }: On, { index }: Step): KnownGas | undefined {
  const known = gas.get(index)
  if (known === undefined) return undefined
  const isTogether = view?.index !== index || isPipelining || check?.isTogether === true
  return isTogether ? { exactly: known } : { atLeast: known }
}

/** A step that is on the chain, or whose nonce is used, was sent, whether that is recorded or not. */
function markSent(
  { journal }: Run,
  { state, attempts }: Step,
  hash: Step['attempts'][number]['hash'] | undefined,
): void {
  if (state !== 'SIGNED') return
  if (hash) journal.recordSent(hash, { is: 'inferred', words: 'found on chain' })
  else journal.recordSent(attempts.at(-1)!.hash, { is: 'inferred', words: 'nonce used by another' })
}

/** Shows what became of a step. */
function tellMove(run: Run, step: Step, becomes: Step['state']): void {
  const { inclusion, attempts } = step
  if (becomes === 'BROADCAST') run.onProgress?.({ kind: 'gone', step, hash: attempts.at(-1)!.hash })
  if (!inclusion) return
  const { hash, blockNumber } = inclusion
  if (becomes !== 'INCLUDED') run.fault?.('after_final')
  run.onProgress?.({ kind: becomes === 'INCLUDED' ? 'included' : 'final', step, hash, blockNumber })
}
