import { AppError } from '../domain/errors.ts'
import type { ChainClient } from './chain-client.ts'
import { nodeTimeoutMs, undefinedIfUnanswered, withTimeout } from './rpc/timeouts.ts'

/** Whether a chain has more than one node. */
export const hasOtherNodes = ({ peers }: ChainClient): boolean => peers.length > 0

/** Asks every node but the first by itself, side by side. */
export const askOtherNodes = <T>(
  { peers }: ChainClient,
  ask: (node: ChainClient) => Promise<T>,
): Promise<T[]> => Promise.all(peers.map(ask))

/** The answers of all nodes, asked side by side; a node that does not answer usefully within `longestMs` is left out. */
export async function answersOfNodes<T>(
  client: ChainClient,
  ask: (node: ChainClient) => Promise<T>,
  longestMs = nodeTimeoutMs,
): Promise<T[]> {
  const answers = await Promise.all(
    [client, ...client.peers].map((node) =>
      undefinedIfUnanswered(
        withTimeout(
          ask(node).then((said) => ({ said })),
          longestMs,
        ),
      ),
    ),
  )
  return answers.flatMap((answer) => (answer ? [answer.said] : []))
}

/** The first matching answer; `undefined` if none matches. */
export async function firstMatching<T>(
  asked: readonly Promise<T>[],
  matches: (answer: T) => boolean,
): Promise<T | undefined> {
  const wanted = asked.map(async (one) => {
    const answer = await one
    if (!matches(answer)) throw new AppError('NOT_FOUND', 'Not this one')
    return answer
  })
  return Promise.any(wanted).catch(() => undefined)
}

/**
 * Searches all nodes side by side, each with the others as its peers. Returns the first preferred answer, otherwise the first one;
 * `null` only if all nodes lack it; otherwise the first error is thrown.
 */
export async function searchNodes<T>(
  client: ChainClient,
  search: (node: ChainClient) => Promise<T | null>,
  isPreferred: (answer: T) => boolean,
): Promise<T | null> {
  const nodes = [client, ...client.peers]
  const found = await searchAmong(nodes, search, isPreferred)
  if (found !== null) return found
  // After a failover the first node is among the peers: ask it too.
  const passedOver = client.peers.filter((peer) => !nodes.includes(peer))
  return passedOver.length === 0 ? null : searchAmong(passedOver, search, isPreferred)
}

async function searchAmong<T>(
  nodes: readonly ChainClient[],
  search: (node: ChainClient) => Promise<T | null>,
  isPreferred: (answer: T) => boolean,
): Promise<T | null> {
  const asked = nodes.map(async ({ host, request, batch }, at) => {
    const node = { host, request, batch, peers: nodes.filter((_, other) => other !== at) }
    const answer = await withTimeout(search(node))
    if (answer !== undefined) return answer
    throw new AppError('RPC_UNREACHABLE', `no answer within ${nodeTimeoutMs / 1_000} s`)
  })
  const preferred = await firstMatching(asked, (answer) => answer !== null && isPreferred(answer))
  if (preferred !== undefined) return preferred
  const answers = await Promise.allSettled(asked)
  for (const one of answers) if (one.status === 'fulfilled' && one.value !== null) return one.value
  for (const one of answers) if (one.status === 'rejected') throw one.reason
  return null
}
