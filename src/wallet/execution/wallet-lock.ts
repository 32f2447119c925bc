import type { Address } from '../../domain/address.ts'
import { exclusiveLock, type Lock } from '../../store/lock.ts'

/** Takes the lock of one wallet on one chain; `undefined` when another process has it for longer than `waitMs`. */
export type TakeLock = (
  chainId: number,
  wallet: Address,
  waitMs: number,
  signal?: AbortSignal,
) => Promise<Lock | undefined>

/** Locks that are files in a directory, which the operating system frees when their holder dies. */
export const fileLocks =
  (directory: string): TakeLock =>
  (chainId, wallet, waitMs, signal) =>
    exclusiveLock(`${directory}/${chainId}-${wallet.toLowerCase()}.lock`, waitMs, signal)
