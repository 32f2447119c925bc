import type { Address } from '../domain/address.ts'
import { AppError } from '../domain/errors.ts'
import { wait } from '../http/backoff.ts'
import type { ChainClient } from './chain-client.ts'
import { headIfReachable } from './finality/refuse-inconsistent-heads.ts'
import type { Tips } from './gas-fees.ts'
import { type Head, headAt, maxHeadRegression, readHead } from './head.ts'
import { readNonceCount } from './nonce-count.ts'
import { isMethodMissing, isUnsupportedMethod } from './rpc/errors.ts'
import { retryDelays } from './rpc/retry-unknown-block.ts'
import { nodeTimeoutMs, withAnswerTimeout } from './rpc/timeouts.ts'

/** How far behind a node may be, in seconds, on chains with fast blocks; otherwise a few blocks. */
const maxSecondsBehind = 12

const fewTries = 4

/**
 * The newest block that two endpoints share: `head` as the first one returns it; `newest` is that one's newest block; `second` is
 * the other one. `behind` is the endpoint that had fewer blocks, and how many. `silent` are endpoints that did not answer.
 */
export type ConsistentHead = {
  /** What answered for the first endpoint: after a failover that may be the second one. */
  endpoint?: object | undefined
  head: Head
  newest: bigint
  second?: ChainClient
  behind: { host: string; blocks: number } | null
  silent: readonly string[]
  /** The highest count of mined transactions of the wallet that either endpoint knows; 0 without a wallet. */
  nonce: number
}

/**
 * What a command that signs reads of a chain before it knows its transactions, in one exchange: the newest shared block, what nodes
 * say of tips, and the wallet's mined and pending nonce count (`undefined` if the node does not serve it). `at` is monotonic, in ms.
 */
export type ChainSnapshot = {
  chainId: number
  at: number
  common: ConsistentHead
  /** The lowest of the newest blocks of all nodes; their disagreement where they have different ones. */
  lowest: Promise<Head>
  tips: Tips
  counts: { latest: number; pending: number } | undefined
}

/** The newest block of another endpoint, and its count of the wallet's mined transactions. */
type PeerHead = { peer: ChainClient; theirs: Head; nonce: number }

/** The first of other endpoints that returns its newest block, and those before it that did not. */
async function firstReachable(
  peers: readonly ChainClient[],
  { chainId, wallet }: { chainId: number; wallet?: Address },
  longestMs: number,
): Promise<{ other?: PeerHead; silent: string[] }> {
  const silent: string[] = []
  for (const peer of peers) {
    const [theirs, nonce] = await Promise.all([
      headIfReachable(peer, chainId, longestMs),
      // An endpoint that is down or hangs knows no transactions.
      wallet === undefined ? 0 : readNonceCount(withAnswerTimeout(peer, longestMs), wallet).catch(() => 0),
    ])
    if (theirs) return { other: { peer, theirs, nonce }, silent }
    silent.push(peer.host)
  }
  return { silent }
}

/**
 * The newest block at height `least` or above that the answering endpoint and another one share; an endpoint without an answer is
 * skipped. Honest nodes are usually within one block. The older block is used only if both have the same one and it is hardly
 * older; an endpoint that is further behind, or on another block, is RPC_INCONSISTENT: ignoring it would let a node choose who
 * checks it. With a wallet, its mined transactions are counted beside it: on a block with fewer it would still own what it has spent.
 */
export async function commonHead(
  rpc: ChainClient,
  asked: { chainId: number; wallet?: Address },
  least = 0n,
  longestMs = nodeTimeoutMs,
): Promise<ConsistentHead> {
  const { chainId, wallet } = asked
  for (let tried = 0; ; tried++) {
    const { peers, endpoint: first } = rpc
    const [mine, own, { other, silent }] = await Promise.all([
      readHead(rpc, chainId),
      wallet === undefined || peers.length === 0 ? 0 : readNonceCount(rpc, wallet),
      firstReachable(peers, asked, longestMs),
    ])
    const newest = mine.number
    if (!other) return { head: mine, newest, behind: null, silent, nonce: own }
    const { peer, theirs } = other
    // The first endpoint did not answer, and another did for it, perhaps this one: one node is not two.
    const { endpoint } = rpc
    if (endpoint !== first) {
      if (tried < fewTries) continue
      return { head: mine, newest, behind: null, silent, nonce: own }
    }
    const nonce = Math.max(own, other.nonce)
    const ahead = newest - theirs.number
    if (ahead <= 0n && newest >= least)
      return { endpoint, head: mine, newest, second: peer, behind: null, silent, nonce }
    const isNear = ahead <= BigInt(maxHeadRegression) || mine.timestamp - theirs.timestamp <= maxSecondsBehind
    const head = ahead > 0n && isNear ? await headAt(rpc, theirs.number) : undefined
    if (head?.hash === theirs.hash && head.number >= least)
      return {
        endpoint,
        head,
        newest,
        second: peer,
        behind: { host: peer.host, blocks: Number(ahead) },
        silent,
        nonce,
      }
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
      { details, hint: 'Wait, or remove the endpoint that is wrong.' },
    )
  }
}

/**
 * Refuses a block that has fewer transactions of a wallet, `nonce` of them, than either node knows: there it would still own what it
 * has spent. RPC_INCONSISTENT; a later block may have them.
 */
export function refuseMissingTransactions(
  rpc: ChainClient,
  { second, nonce: known }: ConsistentHead,
  { wallet, nonce }: { wallet: Address; nonce: number },
): void {
  if (nonce >= known) return
  throw new AppError(
    'RPC_INCONSISTENT',
    second
      ? `${rpc.host} and ${second.host} do not both have the newest transaction of ${wallet}`
      : `The newest block at ${rpc.host} lacks the newest transaction of ${wallet}`,
    {
      details: { hosts: [rpc.host, ...(second ? [second.host] : [])], nonces: [nonce, known] },
      hint: 'Wait, or remove the endpoint that is behind.',
    },
  )
}

/** Whether that is what was refused. */
export const lacksTransactions = ({ code, details }: AppError): boolean =>
  code === 'RPC_INCONSISTENT' && Array.isArray(details?.nonces)

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
      `The node at ${peer.host} refuses the simulation that the node at ${rpc.host} made`,
      {
        details: { hosts: [rpc.host, peer.host], said: error instanceof AppError ? error.message : null },
        hint: `Remove ${peer.host} from the endpoints, or wait for it.`,
        cause: error,
      },
    )
  }
  if (textOf(other) === textOf(answer)) return { answer }
  throw new AppError(
    'RPC_INCONSISTENT',
    `The nodes at ${rpc.host} and ${peer.host} disagree about the effect of these transactions`,
    { details: { hosts: [rpc.host, peer.host] } },
  )
}
