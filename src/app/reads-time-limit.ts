import type { ChainClient } from '../chain/chain-client.ts'
import { systemClock } from '../chain/rpc/clock.ts'
import { clientWithDeadline, withDeadline } from '../chain/rpc/timeouts.ts'
import type { Globals } from '../cli/options/global-options.ts'
import type { Io } from '../cli/terminal/io-types.ts'
import { AppError } from '../domain/errors.ts'

/** How long reading may go on when the time of a command is over, in ms; what waits for its answer has a little more. */
const spareMs = 3_000

/**
 * When a command that begins now must have read all that it reads, on the monotonic clock; `undefined` where nobody said
 * how long it may take, and at a terminal, where a person may think about a question, and can interrupt.
 */
export const readsEndAt = ({ canAsk }: Io, { timeoutMs, input }: Globals): number | undefined =>
  timeoutMs === undefined || (canAsk && input) ? undefined : systemClock.now() + timeoutMs + spareMs

/** A chain that answers in the time of the command, or is RPC_UNREACHABLE. */
export const chainWithTimeLimit = (rpc: ChainClient, until: number | undefined): ChainClient =>
  until === undefined ? rpc : clientWithDeadline(rpc, { clock: systemClock, until })

/** Waits for an answer of the service as long as the command has time; then SERVICE_UNREACHABLE. */
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
