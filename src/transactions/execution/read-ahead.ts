import { snapshotLifeMs } from '../../chain/head-fees-nonces-snapshot.ts'
import type { Leg, Operation, Step } from '../../store/journal/operation-types.ts'
import { readWalletView } from '../attempts/sign-step.ts'
import { currentOperation, type Run, type WalletView } from '../run.ts'

/** A view of a step's wallet and the time of its request (monotonic, in ms); `undefined` if the node did not answer. */
type SeenWallet = { at: number; view: Promise<WalletView | undefined> }

/** Whether a view is young enough to sign on. */
const isRecent = (run: Pick<Run, 'clock'>, { at }: Pick<SeenWallet, 'at'>): boolean =>
  run.clock.now() - at <= snapshotLifeMs

/**
 * What a run reads before it needs it: a cache whose entries have an age. With `readsAhead: false` it stays empty, and everything is read
 * when it is needed; the result is the same.
 */
export type ReadAhead = {
  /** Begins to read the wallet before the signature of a step. */
  begin: (step: Step) => void
  /** The view of an unsigned step's wallet that was begun, or that its plan has read, if it is recent; else a new one. */
  view: (leg: Leg, step: Step) => Promise<SeenWallet>
  /** Begins to read the result of the operation, whose steps are all mined. */
  beginResult: () => void
  /** The result of the operation: the one that was begun, if it was for the blocks that its steps are in now. */
  result: () => Promise<unknown>
}

/** Makes the cache of a run. */
export function readAhead(run: Run): ReadAhead {
  const isOn = run.readsAhead !== false
  const views = new Map<number, SeenWallet>()
  let result: { of: string; read: Promise<unknown> | undefined } | undefined
  const lookAt = (step: Step): SeenWallet => ({
    at: run.clock.now(),
    // A failure is reported when it is read again.
    view: readWalletView(run, step).catch(() => undefined),
  })
  const plannedView = (leg: Leg, step: Step): SeenWallet | undefined => {
    const planned = run.plannedView?.(leg, step)
    return planned && { at: run.clock.now() - planned.ageMs, view: Promise.resolve(planned.view) }
  }
  return {
    begin: (step) => {
      if (isOn) views.set(step.index, lookAt(step))
    },
    view: async (leg, step) => {
      const known = views.get(step.index) ?? (isOn ? plannedView(leg, step) : undefined)
      views.delete(step.index)
      return known && isRecent(run, known) && (await known.view) ? known : lookAt(step)
    },
    beginResult: () => {
      if (!isOn) return
      const read = run.readResult?.()
      read?.catch(() => undefined) // Awaited at the end.
      result = { of: blocksOf(currentOperation(run)), read }
      run.onLastMined?.()
    },
    result: async () =>
      await (result?.of === blocksOf(currentOperation(run)) ? result.read : run.readResult?.()),
  }
}

/** Identifies the blocks of an operation's steps. */
const blocksOf = ({ steps }: Operation): string =>
  steps.map(({ inclusion }) => inclusion?.blockHash).join(' ')
