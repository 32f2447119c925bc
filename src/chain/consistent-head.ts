import type { Address, Hex } from '../domain/address.ts'
import { AppError } from '../domain/errors.ts'
import { wait } from '../http/backoff.ts'
import { type Head, headAt, readHead } from './fees.ts'
import { headIfReachable, maxHeadRegression } from './heads.ts'
import { hexQuantity, quantity } from './rpc/answer-numbers.ts'
import type { Rpc } from './rpc/rpc.ts'
import { nodeTimeoutMs, retryDelays, withAnswerTimeout } from './rpc/timeouts.ts'

/** A node that is a little behind is so by a few blocks, or by so many seconds where blocks are quick. */
const maxSecondsBehind = 12

const fewTries = 4

/**
 * The block that two endpoints stand on: `head` is the newest that both have, as the first of them tells it, and `newest` what that one
 * has. `behind` says which of them had less, and by how many blocks. `silent` are other endpoints that were asked and did not answer.
 */
export type ConsistentHead = {
  head: Head
  newest: bigint
  peer?: Rpc
  behind: { host: string; blocks: number } | null
  silent: readonly string[]
}

/** The first of other endpoints that says which its newest block is, and those before it that did not. */
async function firstUp(
  peers: readonly Rpc[],
  chainId: number,
  longestMs: number,
): Promise<{ peer?: Rpc; theirs?: Head; silent: string[] }> {
  const silent: string[] = []
  for (const peer of peers) {
    const theirs = await headIfReachable(peer, chainId, longestMs)
    if (theirs) return { peer, theirs, silent }
    silent.push(peer.host)
  }
  return { silent }
}

/**
 * The newest block that the endpoint that answers and another one both have, at height `least` or above; one that does not answer is left out, and the next is asked. Honest nodes are a block apart most
 * of the time; the older block is taken only where both have the very same there and it is hardly older, and a node that is further
 * behind, or stays on another block, is RPC_INCONSISTENT: to leave it out would let whoever names blocks choose who looks at them.
 */
export async function commonHead(
  rpc: Rpc,
  chainId: number,
  least = 0n,
  longestMs = nodeTimeoutMs,
): Promise<ConsistentHead> {
  for (let tried = 0; ; tried++) {
    const [mine, other] = await Promise.all([readHead(rpc, chainId), firstUp(rpc.peers, chainId, longestMs)])
    const newest = mine.number
    const { peer, theirs, silent } = other
    if (!peer || !theirs) return { head: mine, newest, behind: null, silent }
    const ahead = newest - theirs.number
    if (ahead <= 0n && newest >= least) return { head: mine, newest, peer, behind: null, silent }
    const isNear = ahead <= BigInt(maxHeadRegression) || mine.timestamp - theirs.timestamp <= maxSecondsBehind
    const head = ahead > 0n && isNear ? await headAt(rpc, theirs.number) : undefined
    if (head?.hash === theirs.hash && head.number >= least)
      return { head, newest, peer, behind: { host: peer.host, blocks: Number(ahead) }, silent }
    const pause = retryDelays[tried]
    // A block that is on its way is waited for; of nodes that stay apart it is enough to have asked a few times.
    if (pause !== undefined && (head?.hash === theirs.hash || tried < fewTries)) {
      await wait(pause)
      continue
    }
    const details = { hosts: [rpc.host, peer.host], blocks: [Number(newest), Number(theirs.number)] }
    throw new AppError(
      'RPC_INCONSISTENT',
      isNear
        ? `${rpc.host} and ${peer.host} have different blocks at height ${theirs.number}`
        : `The node at ${peer.host} is ${ahead} blocks behind ${rpc.host}`,
      { details, hint: 'Wait, or leave out the endpoint that is wrong.' },
    )
  }
}

/**
 * The newest block that two endpoints both have and in which all is done that the wallet itself did by what either of them knows: on an older
 * one it would still have what it has spent. One that does not come to it is RPC_INCONSISTENT; another endpoint has `longestMs` for each answer.
 */
export async function consistentHead(
  rpc: Rpc,
  { chainId, wallet }: { chainId: number; wallet: Address },
  longestMs = nodeTimeoutMs,
): Promise<ConsistentHead> {
  for (let tried = 0; ; tried++) {
    const common = await commonHead(rpc, chainId, 0n, longestMs)
    const { peer, head } = common
    if (!peer) return common
    const [then, mine, theirs] = await Promise.all([
      nonceAt(rpc, wallet, hexQuantity(head.number)),
      nonceAt(rpc, wallet, 'latest'),
      // One that is down, or hangs, knows of nothing.
      nonceAt(withAnswerTimeout(peer, longestMs), wallet, 'latest').catch(() => 0),
    ])
    if (then >= mine && then >= theirs) return common
    const pause = retryDelays[tried]
    if (pause === undefined)
      throw new AppError(
        'RPC_INCONSISTENT',
        `${rpc.host} and ${peer.host} do not both have the newest transaction of ${wallet}`,
        {
          details: { hosts: [rpc.host, peer.host], nonces: [mine, theirs] },
          hint: 'Wait, or leave out the endpoint that is behind.',
        },
      )
    await wait(pause)
  }
}

const nonceAt = async (rpc: Rpc, wallet: Address, at: Hex | 'latest'): Promise<number> =>
  Number(quantity(await rpc.request('eth_getTransactionCount', [wallet, at]), 'the nonce'))
