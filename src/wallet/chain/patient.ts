import { AppError } from '../../domain/errors.ts'
import { wait } from '../../net/patience.ts'
import { isUnknownBlock } from '../../net/refusal.ts'
import type { Rpc } from '../../net/rpc.ts'

/** How long to wait before each new try, in ms: in all a block of the slowest chains, as a node that is one behind has it by then. */
export const pauses: readonly number[] = [100, 200, 400, 800, ...Array<number>(11).fill(1_000)]

/**
 * A chain whose nodes are asked again shortly for what hangs on a block that they do not have: another node behind the same address may
 * have named it. A block that does not come is RPC_INCONSISTENT.
 */
export const patient = (rpc: Rpc): Rpc => ({
  get host() {
    return rpc.host
  },
  get peers() {
    return rpc.peers.map(patient)
  },
  request: (method, params) => untilKnown(rpc.host, () => rpc.request(method, params)),
  batch: (calls) => untilKnown(rpc.host, () => rpc.batch(calls)),
})

async function untilKnown<T>(host: string, ask: () => Promise<T>): Promise<T> {
  for (let tried = 0; ; tried++)
    try {
      return await ask()
    } catch (error) {
      if (!isUnknownBlock(error)) throw error
      const pause = pauses[tried]
      if (pause === undefined)
        throw new AppError(
          'RPC_INCONSISTENT',
          `The node at ${host} does not have a block that was named as the newest`,
          {
            cause: error,
            details: { host },
            hint: 'Wait for this endpoint, or name another one.',
          },
        )
      await wait(pause)
    }
}
