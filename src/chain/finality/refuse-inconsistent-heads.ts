import { AppError } from '../../domain/errors.ts'
import type { ChainClient } from '../chain-client.ts'
import { blockHashAt, type Head, readHead } from '../head.ts'
import { isUnsupportedMethod } from '../rpc/errors.ts'
import { nodeTimeoutMs, withAnswerTimeout } from '../rpc/timeouts.ts'

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
      throw new AppError(
        'RPC_INCONSISTENT',
        `${rpc.host} and ${peer.host} have different blocks at height ${at.number}`,
        {
          details: { hosts: [rpc.host, peer.host], block: Number(at.number) },
          hint: 'Use another RPC endpoint, or wait for this one.',
        },
      )
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
    const { code, message, details } = error
    if (code === 'RPC_UNREACHABLE' || isUnsupportedMethod(error)) return undefined
    if (code !== 'RPC_ERROR' && code !== 'RPC_INCONSISTENT') throw error
    const { host } = peer
    throw new AppError(code, message.includes(host) ? message : `At ${host}: ${message}`, {
      details: { ...details, host },
      cause: error,
      hint: `Leave ${host} out of the endpoints for as long as it answers so, or wait for it.`,
    })
  }
}
