import { AppError } from '../../domain/errors.ts'
import { currentOperation, type Run, runStopped } from '../run.ts'

/** Runs work under the lock of the run's wallet on a chain; WALLET_BUSY if another process holds it too long. */
export async function withWalletLock(run: Run, chainId: number, work: () => Promise<void>): Promise<void> {
  const { wallet } = currentOperation(run)
  const waitMs = Math.min(run.lockWaitMs ?? 60_000, Math.max(0, run.until - run.clock.now()))
  const lock = await run.lock(chainId, wallet, waitMs, run.signal).catch((error: unknown) => {
    throw run.signal?.aborted ? runStopped : error
  })
  if (!lock) throw new AppError('WALLET_BUSY', `Another process signs with ${wallet} on chain ${chainId}`)
  try {
    await work()
  } finally {
    lock.release()
  }
}
