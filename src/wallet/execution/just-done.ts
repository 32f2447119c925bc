import { AppError } from '../../domain/errors.ts'
import { isUnsigned, pause, type Run, stepAt } from './run.ts'
import { isLocal } from './watch.ts'

/** So long, in ms, after a step was done another node behind the same address may not have it yet. */
const lateMs = 12_000

/** How long it is left alone before it is asked again, in ms. */
const pauseMs = 1_000

/**
 * Tries to sign a step, and again for a while where it would fail right after another one of this run was done, at `doneAt` on the monotonic
 * clock: what it needs has just come, and who answers may not have that block yet. Nothing is tried again once the step is signed.
 */
export async function soonAfter<T>(
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
      const isEarly = doneAt !== undefined && now - doneAt <= lateMs && now + pauseMs < run.until
      const step = stepAt(run, index)
      if (!isShort || !isEarly || !isUnsigned(step) || isLocal(run.rpc(step.transaction.chainId))) throw error
    }
    await pause(run, pauseMs)
  }
}
