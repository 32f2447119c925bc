import type { Address } from '../domain/address.ts'
import { AppError } from '../domain/errors.ts'
import type { ChainClient } from './chain-client.ts'
import { type ChainSnapshot, commonHead } from './consistent-head.ts'
import { refuseInconsistentHeads } from './finality/refuse-inconsistent-heads.ts'
import { readTips } from './gas-fees.ts'
import { readHead } from './head.ts'
import { readNonceCount } from './nonce-count.ts'
import { retryingClient } from './rpc/retry-unknown-block.ts'
import { withTimeout } from './rpc/timeouts.ts'

/** How long a snapshot may stand for the chain, in ms: longer than the trips of a plan take, shorter than a person reads. */
export const snapshotLifeMs = 3_000

/** Whether a snapshot of a chain may be used now. */
export const isFreshSnapshot = (
  snapshot: ChainSnapshot | undefined,
  chainId: number,
): snapshot is ChainSnapshot =>
  snapshot?.chainId === chainId && performance.now() - snapshot.at <= snapshotLifeMs

/**
 * Reads a snapshot; `undefined` if the nodes do not answer usefully while it would be fresh: whoever needs the facts asks again, and
 * tells the fault.
 */
export const readSnapshot = (
  client: ChainClient,
  asked: { chainId: number; wallet: Address },
): Promise<ChainSnapshot | undefined> => withTimeout(snapshotOf(client, asked), snapshotLifeMs)

async function snapshotOf(
  client: ChainClient,
  { chainId, wallet }: { chainId: number; wallet: Address },
): Promise<ChainSnapshot | undefined> {
  const at = performance.now()
  const rpc = retryingClient(client)
  try {
    const lowest = refuseInconsistentHeads(rpc, chainId, readHead(rpc, chainId))
    lowest.catch(() => undefined) // Awaited before a signature.
    const [common, tips, counts] = await Promise.all([
      commonHead(rpc, { chainId, wallet }),
      readTips(rpc),
      readCounts(rpc, wallet),
    ])
    return { chainId, at, common, lowest, tips, counts }
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}

async function readCounts(rpc: ChainClient, wallet: Address): Promise<ChainSnapshot['counts']> {
  try {
    const [latest, pending] = await Promise.all([
      readNonceCount(rpc, wallet),
      readNonceCount(rpc, wallet, 'pending'),
    ])
    return { latest, pending }
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}
