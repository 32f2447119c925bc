import { AppError } from '../../domain/errors.ts'
import { headRetentionMs } from '../../domain/networks.ts'
import { momentText, spanText } from '../../domain/text/time-spans.ts'
import type { ChainClient } from '../chain-client.ts'
import { blockHashAt, type Head, maxHeadRegression, readHead } from '../head.ts'
import { isUnsupportedMethod } from '../rpc/errors.ts'
import { nodeTimeoutMs, withAnswerTimeout } from '../rpc/timeouts.ts'

const inconsistent = (
  message: string,
  details: Record<string, unknown>,
  hint = 'Use another RPC endpoint, or wait for this one.',
): AppError => new AppError('RPC_INCONSISTENT', message, { details, next: hint })

/**
 * Refuses endpoints of one chain that differ in chain id, or in the block at their lowest common height. An endpoint that is down,
 * or slower than `longestMs`, is ignored. Returns the lowest of their newest blocks: a higher one is the word of a single endpoint.
 * All are asked at once, also where `reading` is not answered yet.
 */
export async function refuseInconsistentHeads(
  rpc: ChainClient,
  chainId: number,
  reading: Head | Promise<Head>,
  longestMs = nodeTimeoutMs,
): Promise<Head> {
  const compare = async (peer: ChainClient): Promise<Head> => {
    const [other, head] = await Promise.all([headIfReachable(peer, chainId, longestMs), reading])
    if (!other) return head
    const at = other.number < head.number ? other : head
    const [mine, theirs] = await Promise.all([
      at.number === head.number ? head.hash : blockHashAt(rpc, at.number),
      at.number === other.number
        ? { said: other.hash }
        : ifReachable(peer, longestMs, (node) => blockHashAt(node, at.number)),
    ])
    if (!theirs) return head
    if (mine !== theirs.said)
      throw inconsistent(`${rpc.host} and ${peer.host} have different blocks at height ${at.number}`, {
        hosts: [rpc.host, peer.host],
        block: Number(at.number),
      })
    return at
  }
  const lowest = await Promise.all(rpc.peers.map(compare))
  return lowest.reduce((least, one) => (one.number < least.number ? one : least), await reading)
}

/** The newest block of another endpoint; `undefined` if it is down, or slower than `longestMs`. */
export const headIfReachable = async (
  peer: ChainClient,
  chainId: number,
  longestMs = nodeTimeoutMs,
): Promise<Head | undefined> => (await ifReachable(peer, longestMs, (node) => readHead(node, chainId)))?.said

/**
 * The answer of another endpoint; `undefined` if it is down, too slow, or does not support the method. A wrong answer is its own
 * error and names it.
 */
async function ifReachable<T>(
  peer: ChainClient,
  longestMs: number,
  ask: (node: ChainClient) => Promise<T>,
): Promise<{ said: T } | undefined> {
  try {
    return { said: await ask(withAnswerTimeout(peer, longestMs)) }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const { code, message } = error
    if (code === 'RPC_UNREACHABLE' || isUnsupportedMethod(error)) return undefined
    if (code !== 'RPC_ERROR' && code !== 'RPC_INCONSISTENT') throw error
    const { host } = peer
    throw new AppError(code, message.includes(host) ? message : `At ${host}: ${message}`, {
      cause: error,
      details: { ...error.details, host },
      next: `Remove ${host} from the endpoints until it answers correctly, or wait for it.`,
    })
  }
}

/**
 * Refuses a node that is behind a recently recorded block, or whose newest block is too old for a chain with steady blocks. `now`
 * and `seen.seen` are epoch ms; a clock that was set back does not make a block newer.
 */
export function refuseStaleHead(
  { host }: ChainClient,
  head: Head,
  seen: { number: number; seen: number } | undefined,
  maxAgeMs: number | undefined,
  now: number,
): void {
  const isBelieved = seen && Math.abs(now - seen.seen) <= headRetentionMs
  if (isBelieved && Number(head.number) < seen.number - maxHeadRegression) {
    const until = momentText(seen.seen + headRetentionMs)
    throw inconsistent(
      `The node at ${host} is at block ${head.number}, but block ${seen.number} was seen before`,
      { host, block: Number(head.number), seen: seen.number, until },
      `Use another RPC endpoint, or wait for this one. If the earlier block was wrong, it is ignored after ${until}.`,
    )
  }
  const age = now - head.timestamp * 1000
  if (maxAgeMs !== undefined && age > maxAgeMs)
    throw inconsistent(
      `The newest block at ${host} is ${spanText(age)} old by the clock of this machine`,
      { host, ageMs: age },
      'Check the clock of this machine. If it is right, use another RPC endpoint, or wait for this one.',
    )
}
