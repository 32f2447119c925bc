import type { Address, Hex } from '../domain/address.ts'
import { AppError } from '../domain/errors.ts'
import { wait } from '../http/backoff.ts'
import type { ChainClient } from './client.ts'
import { type Head, headAt, readHead } from './head.ts'
import { headIfReachable, maxHeadRegression } from './head-checks.ts'
import { hexQuantity, quantity } from './rpc/answer-numbers.ts'
import { isMethodMissing, isUnsupportedMethod } from './rpc/errors.ts'
import { nodeTimeoutMs, retryDelays, withAnswerTimeout } from './rpc/timeouts.ts'

/** How far behind a node may be, in seconds, on chains with fast blocks; otherwise a few blocks. */
const maxSecondsBehind = 12

const fewTries = 4

/**
 * The newest block that two endpoints share: `head` as the first one returns it; `newest` is that one's newest block; `second` is
 * the other one. `behind` is the endpoint that had fewer blocks, and how many. `silent` are endpoints that did not answer.
 */
export type ConsistentHead = {
  head: Head
  newest: bigint
  second?: ChainClient
  behind: { host: string; blocks: number } | null
  silent: readonly string[]
}

/** The first of other endpoints that returns its newest block, and those before it that did not. */
async function firstReachable(
  peers: readonly ChainClient[],
  chainId: number,
  longestMs: number,
): Promise<{ peer?: ChainClient; theirs?: Head; silent: string[] }> {
  const silent: string[] = []
  for (const peer of peers) {
    const theirs = await headIfReachable(peer, chainId, longestMs)
    if (theirs) return { peer, theirs, silent }
    silent.push(peer.host)
  }
  return { silent }
}

/**
 * The newest block at height `least` or above that the answering endpoint and another one share; an endpoint without an answer is
 * skipped. Honest nodes are usually within one block. The older block is used only if both have the same one and it is hardly
 * older; an endpoint that is further behind, or on another block, is RPC_INCONSISTENT: ignoring it would let a node choose who
 * checks it.
 */
export async function commonHead(
  rpc: ChainClient,
  chainId: number,
  least = 0n,
  longestMs = nodeTimeoutMs,
): Promise<ConsistentHead> {
  for (let tried = 0; ; tried++) {
    const [mine, other] = await Promise.all([
      readHead(rpc, chainId),
      firstReachable(rpc.peers, chainId, longestMs),
    ])
    const newest = mine.number
    const { peer, theirs, silent } = other
    if (!peer || !theirs) return { head: mine, newest, behind: null, silent }
    const ahead = newest - theirs.number
    if (ahead <= 0n && newest >= least) return { head: mine, newest, second: peer, behind: null, silent }
    const isNear = ahead <= BigInt(maxHeadRegression) || mine.timestamp - theirs.timestamp <= maxSecondsBehind
    const head = ahead > 0n && isNear ? await headAt(rpc, theirs.number) : undefined
    if (head?.hash === theirs.hash && head.number >= least)
      return { head, newest, second: peer, behind: { host: peer.host, blocks: Number(ahead) }, silent }
    const pause = retryDelays[tried]
    // Wait for a block in transit; a few polls suffice for nodes that stay apart.
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
 * The newest shared block of two endpoints that includes every transaction of the wallet that either knows: on an older one it
 * would still own what it has spent. RPC_INCONSISTENT if none is reached; another endpoint may take `longestMs` for each answer.
 */
export async function consistentHead(
  rpc: ChainClient,
  { chainId, wallet }: { chainId: number; wallet: Address },
  longestMs = nodeTimeoutMs,
): Promise<ConsistentHead> {
  for (let tried = 0; ; tried++) {
    const common = await commonHead(rpc, chainId, 0n, longestMs)
    const { second: peer, head } = common
    if (!peer) return common
    const [then, mine, theirs] = await Promise.all([
      nonceAt(rpc, wallet, hexQuantity(head.number)),
      nonceAt(rpc, wallet, 'latest'),
      // An endpoint that is down or hangs knows no transactions.
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

const nonceAt = async (rpc: ChainClient, wallet: Address, at: Hex | 'latest'): Promise<number> =>
  Number(quantity(await rpc.request('eth_getTransactionCount', [wallet, at]), 'the nonce'))

/**
 * Asks both nodes of a consistent head the same, side by side. `silent` is a second node that did not answer. RPC_INCONSISTENT if
 * they answer differently by `textOf`, or if only the second one refuses the question.
 */
export async function askBothNodes<T>(
  rpc: ChainClient,
  peer: ChainClient | undefined,
  ask: (node: ChainClient) => Promise<T>,
  textOf: (answer: T) => string,
): Promise<{ answer: T; silent?: string }> {
  const asked = peer && ask(peer).catch((error: unknown) => ({ error }))
  const answer = await ask(rpc)
  if (!peer) return { answer }
  const other = (await asked) as T | { error: unknown }
  if (typeof other === 'object' && other !== null && 'error' in other) {
    const { error } = other
    if (error instanceof AppError && error.code === 'RPC_UNREACHABLE') return { answer, silent: peer.host }
    if (!isUnsupportedMethod(error) || isMethodMissing(error)) throw error
    throw new AppError(
      'RPC_INCONSISTENT',
      `The node at ${peer.host} refuses to try what the one at ${rpc.host} tried`,
      {
        details: { hosts: [rpc.host, peer.host], said: error instanceof AppError ? error.message : null },
        hint: `Leave ${peer.host} out of the endpoints, or wait for it.`,
        cause: error,
      },
    )
  }
  if (textOf(other) === textOf(answer)) return { answer }
  throw new AppError(
    'RPC_INCONSISTENT',
    `The nodes at ${rpc.host} and ${peer.host} do not agree about what these transactions do`,
    { details: { hosts: [rpc.host, peer.host] } },
  )
}
