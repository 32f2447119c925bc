import type { Address } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { longWork } from '../../http/waits.ts'
import type { ExecutionContext } from '../../planning/execution-context-types.ts'
import { acquireLock, type Lock } from '../../store/file-lock.ts'

/** Takes the lock of a wallet on a chain; `undefined` if another process holds it longer than `waitMs`. */
export type TakeLock = (
  chainId: number,
  wallet: Address,
  waitMs: number,
  signal?: AbortSignal,
) => Promise<Lock | undefined>

/** Locks as files in a directory. The operating system releases them when their process dies. */
export const fileLocks =
  (directory: string): TakeLock =>
  (chainId, wallet, waitMs, signal) =>
    acquireLock(`${directory}/${chainId}-${wallet.toLowerCase()}.lock`, waitMs, signal)

/** The exclusive right to plan for a wallet. The operating system releases it when the process dies. */
export type PlanningLock = { release: () => void }

/**
 * Waits until no other process plans and signs for a wallet. A plan made while another operation runs would count on
 * balances and allowances that the other one uses up. WALLET_BUSY after `waitMs`.
 */
export async function acquirePlanningLock(
  { locks }: ExecutionContext,
  wallet: Address,
  { waitMs, signal }: { waitMs: number; signal: AbortSignal },
): Promise<PlanningLock> {
  // No slow read: the other command may be at its block.
  const turn = await longWork('waiting for another command of this wallet', () =>
    acquireLock(`${locks}/${wallet.toLowerCase()}.turn`, waitMs, signal),
  )
  if (turn) return turn
  throw new AppError('WALLET_BUSY', `Another process is using ${wallet}`)
}

/** The longest time that a process holds a lock only to record the state of the chain, in ms. */
const recordingMs = 300

/**
 * Whether a live process plans, signs or follows for a wallet on these chains, so that unsigned steps may be signed at any moment.
 * False if the locks cannot be read.
 */
export async function isWalletBusy(
  { locks }: Pick<ExecutionContext, 'locks'>,
  wallet: Address,
  chainIds: readonly number[],
): Promise<boolean> {
  const of = wallet.toLowerCase()
  for (const name of [`${of}.turn`, ...[...new Set(chainIds)].map((chainId) => `${chainId}-${of}.lock`)]) {
    const lock = await acquireLock(`${locks}/${name}`, recordingMs).catch((error: unknown) => {
      if (error instanceof AppError) return 'not to be seen' as const
      throw error
    })
    if (lock === undefined) return true
    if (lock !== 'not to be seen') lock.release()
  }
  return false
}

/** Runs `work` while no live process executes an operation of the wallet on these chains; WALLET_BUSY otherwise. */
export async function withIdleWallet<value>(
  { locks }: ExecutionContext,
  wallet: Address,
  chainIds: readonly number[],
  work: () => Promise<value>,
): Promise<value> {
  const held: PlanningLock[] = []
  try {
    for (const chainId of new Set(chainIds)) {
      const lock = await acquireLock(`${locks}/${chainId}-${wallet.toLowerCase()}.lock`, 0)
      if (!lock)
        throw new AppError('WALLET_BUSY', `Another process is signing with ${wallet} on chain ${chainId}`)
      held.push(lock)
    }
    return await work()
  } finally {
    for (const lock of held) lock.release()
  }
}
