import { AppError } from '../../domain/errors.ts'
import { wait } from '../../http/backoff.ts'
import { aroundCalls, type ChainClient } from '../chain-client.ts'
import { isUnknownBlock } from './errors.ts'

/** The delays before each retry, in ms: in total a block of the slowest chains, so that a node one block behind catches up. */
export const retryDelays: readonly number[] = [100, 200, 400, 800, ...Array<number>(11).fill(1_000)]

/**
 * A client that retries shortly if the node lacks a block: another node behind the same address may have named it.
 * RPC_INCONSISTENT if the block does not arrive.
 */
export const retryingClient = (client: ChainClient): ChainClient =>
  aroundCalls(client, ({ host }, _, send) => untilKnown(host, send))

async function untilKnown<T>(host: string, ask: () => Promise<T>): Promise<T> {
  for (let tried = 0; ; tried++)
    try {
      return await ask()
    } catch (error) {
      if (!isUnknownBlock(error)) throw error
      const pause = retryDelays[tried]
      if (pause === undefined)
        throw new AppError(
          'RPC_INCONSISTENT',
          `The node at ${host} does not have the block that was reported as the newest`,
          {
            cause: error,
            details: { host },
            next: 'Wait for this endpoint, or set another one.',
          },
        )
      await wait(pause)
    }
}
