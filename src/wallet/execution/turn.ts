import type { Address } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { exclusiveLock } from '../../store/lock.ts'
import type { Ground } from '../ground.ts'

/** The right to plan for a wallet; the operating system takes it back when the process dies. */
export type Turn = { release: () => void }

/**
 * Waits until no other process plans and signs for a wallet. A plan that is made while another operation is under way
 * counts on what that one uses up: an allowance that is there for a moment, a balance. WALLET_BUSY after `waitMs`.
 */
export async function takeTurn(
  { locks }: Ground,
  wallet: Address,
  { waitMs, signal }: { waitMs: number; signal: AbortSignal },
): Promise<Turn> {
  const turn = await exclusiveLock(`${locks}/${wallet.toLowerCase()}.turn`, waitMs, signal)
  if (turn) return turn
  throw new AppError('WALLET_BUSY', `Another process is at work with ${wallet}`)
}

/** Makes sure that no live process executes an operation of a wallet on these chains, while `work` runs; WALLET_BUSY otherwise. */
export async function whileIdle<value>(
  { locks }: Ground,
  wallet: Address,
  chainIds: readonly number[],
  work: () => Promise<value>,
): Promise<value> {
  const held: Turn[] = []
  try {
    for (const chainId of new Set(chainIds)) {
      const lock = await exclusiveLock(`${locks}/${chainId}-${wallet.toLowerCase()}.lock`, 0)
      if (!lock) throw new AppError('WALLET_BUSY', `Another process signs with ${wallet} on chain ${chainId}`)
      held.push(lock)
    }
    return await work()
  } finally {
    for (const lock of held) lock.release()
  }
}
