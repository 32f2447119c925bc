import { AppError } from '../../domain/errors.ts'
import { wait } from '../../net/patience.ts'
import { hexQuantity } from '../../net/quantity.ts'
import type { Rpc } from '../../net/rpc.ts'
import { type Head, readHead } from './fees.ts'
import { pauses } from './patient.ts'

/** How far a node may fall behind what was seen before, in blocks. */
export const maxFallBack = 3

const inconsistent = (
  message: string,
  details: Record<string, unknown>,
  hint = 'Use another RPC endpoint, or wait for this one.',
): AppError => new AppError('RPC_INCONSISTENT', message, { details, hint })

/** Refuses a node that is behind what was seen of this chain before, or whose newest block is too old for a chain that makes blocks all the time. */
export function refuseOldHead(
  { host }: Rpc,
  head: Head,
  seen: { number: number } | undefined,
  maxAgeMs: number | undefined,
  now: number,
): void {
  if (seen && Number(head.number) < seen.number - maxFallBack)
    throw inconsistent(
      `The node at ${host} is at block ${head.number}, and block ${seen.number} was seen before`,
      {
        host,
        block: Number(head.number),
        seen: seen.number,
      },
    )
  const age = now - head.timestamp * 1000
  if (maxAgeMs !== undefined && age > maxAgeMs)
    throw inconsistent(
      `The newest block at ${host} is ${Math.round(age / 1000)} seconds old by the clock of this machine`,
      { host, ageMs: age },
      'Look at the clock of this machine; if it is right, use another RPC endpoint, or wait for this one.',
    )
}

/** Refuses endpoints of one chain that do not have the same chain id, or the same block at the height that all of them have. */
export async function refuseOtherHeads(rpc: Rpc, chainId: number, head: Head): Promise<void> {
  for (const peer of rpc.peers) {
    const other = await headIfUp(peer, chainId)
    if (!other) continue
    const at = other.number < head.number ? other : head
    const [mine, theirs] = await Promise.all([hashAt(rpc, at.number), hashAt(peer, at.number)])
    if (mine !== theirs)
      throw inconsistent(`${rpc.host} and ${peer.host} have different blocks at height ${at.number}`, {
        hosts: [rpc.host, peer.host],
        block: Number(at.number),
      })
  }
}

/** The hash of a block that the node named; asked again shortly where a node behind the same address does not have it yet. */
export async function hashAt(rpc: Rpc, number: bigint): Promise<string | undefined> {
  const read = () =>
    rpc.request<{ hash?: string } | null>('eth_getBlockByNumber', [hexQuantity(number), false])
  let block = await read()
  for (const pause of pauses) {
    if (block) break
    await wait(pause)
    block = await read()
  }
  return block?.hash?.toLowerCase()
}

/** The newest block of an endpoint; `undefined` where it is down, as it cannot disagree then. */
export const headIfUp = (rpc: Rpc, chainId: number): Promise<Head | undefined> =>
  readHead(rpc, chainId).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'RPC_UNREACHABLE') return undefined
    throw error
  })
