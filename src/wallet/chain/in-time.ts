import { AppError } from '../../domain/errors.ts'
import type { Rpc } from '../../net/rpc.ts'
import type { Clock } from './clock.ts'

/** How long what was begun may still take when the time of a run is over, in ms. */
const graceMs = 5_000

/** The longest that a timer can be set to. */
const longestMs = 2 ** 31 - 1

/** Waits for `work` until a little after `until`, on the monotonic clock; then RPC_UNREACHABLE, whatever becomes of it. */
export async function inTime<T>(
  { clock, until }: { clock: Clock; until: number },
  host: string,
  work: () => Promise<T>,
): Promise<T> {
  const late = () =>
    new AppError('RPC_UNREACHABLE', `The time was over before ${host} had answered`, {
      details: { fault: 'time over' },
    })
  const left = until + graceMs - clock.now()
  if (left <= 0) throw late()
  const done = new AbortController()
  const over = clock.sleep(Math.min(left, longestMs), done.signal).then(() => {
    throw late()
  })
  try {
    return await Promise.race([work(), over])
  } finally {
    done.abort()
  }
}

/** Whether somebody did not answer only because the time of a run was over: he may be well. */
export const isCutShort = ({ code, details }: AppError): boolean =>
  code === 'RPC_UNREACHABLE' && details?.fault === 'time over'

/** A chain that is asked nothing any more when the time of a run is over: one that answers slowly must not hold a command up. */
export const rpcInTime = (rpc: Rpc, run: { clock: Clock; until: number }): Rpc => ({
  get host() {
    return rpc.host
  },
  get peers() {
    return rpc.peers.map((peer) => rpcInTime(peer, run))
  },
  request: (method, params) => inTime(run, rpc.host, () => rpc.request(method, params)),
  batch: (calls) => inTime(run, rpc.host, () => rpc.batch(calls)),
})
