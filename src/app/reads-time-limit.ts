import type { ChainClient } from '../chain/chain-client.ts'
import { systemClock } from '../chain/rpc/clock.ts'
import { clientWithDeadline, withDeadline } from '../chain/rpc/timeouts.ts'
import type { Globals } from '../cli/options/global-options.ts'
import type { Io } from '../cli/terminal/io-types.ts'
import { AppError } from '../domain/errors.ts'

/** Extra time for reads after the time of a command is over, in ms; a call in progress gets slightly more. */
const spareMs = 3_000

/**
 * Returns the deadline for the reads of a command that begins now, on the monotonic clock. `undefined` without
 * `--timeout`, and at a terminal, where the person can take time and interrupt.
 */
export const readsEndAt = ({ canAsk }: Io, { timeoutMs, input }: Globals): number | undefined =>
  timeoutMs === undefined || (canAsk && input) ? undefined : systemClock.now() + timeoutMs + spareMs

/** Limits a chain client to the time of the command; afterwards RPC_UNREACHABLE. */
export const chainWithTimeLimit = (rpc: ChainClient, until: number | undefined): ChainClient =>
  until === undefined ? rpc : clientWithDeadline(rpc, { clock: systemClock, until })

/** Waits for an answer of the service until the deadline; then SERVICE_UNREACHABLE. */
export async function answerWithinTimeLimit<T>(
  until: number | undefined,
  work: () => Promise<T>,
): Promise<T> {
  if (until === undefined) return work()
  try {
    return await withDeadline({ clock: systemClock, until }, 'the service', work)
  } catch (cause) {
    if (!(cause instanceof AppError) || cause.code !== 'RPC_UNREACHABLE') throw cause
    throw new AppError('SERVICE_UNREACHABLE', cause.message, { cause })
  }
}
