import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../../domain/errors.ts'
import { advice, sameWith } from '../../domain/text/next-step.ts'
import { maxTimerMs } from '../../domain/timer-limit.ts'
import { aroundCalls, type ChainClient } from '../chain-client.ts'
import type { Clock } from './clock.ts'

/** How long to wait for a node before it counts as silent, in ms, while a person waits. */
export const nodeTimeoutMs = 8_000

/** The result of work, or `undefined` after this time in ms. */
export async function withTimeout<T>(work: Promise<T>, longestMs = nodeTimeoutMs): Promise<T | undefined> {
  const late = new AbortController()
  try {
    return await Promise.race([
      work,
      sleep(longestMs, undefined, { signal: late.signal }).catch(() => undefined),
    ])
  } finally {
    late.abort()
  }
}

/** The result of work; `undefined` if a node does not answer, or not usefully. */
export const undefinedIfUnanswered = <T>(work: Promise<T>): Promise<T | undefined> =>
  work.catch((error: unknown) => {
    if (error instanceof AppError && error.code.startsWith('RPC_')) return undefined
    throw error
  })

/** How long a started request may still take after the deadline of a run, in ms. */
const graceMs = 5_000

/** The longest time that a node took for one answer, in ms, including an answer that never came. */
type Wait = { host: string; ms: number }

/** Measures answer times. `longest` is read at the deadline and includes unanswered requests. */
export type AnswerTimes = { begin: (host: string) => () => void; longest: () => Wait | undefined }

/** Starts measuring the answers that a run waits for. */
export function newAnswerTimes(clock: Clock): AnswerTimes {
  const open = new Set<{ host: string; since: number }>()
  let most: Wait | undefined
  const longer = (host: string, since: number): void => {
    const ms = clock.now() - since
    if (!most || ms > most.ms) most = { host, ms }
  }
  return {
    begin: (host) => {
      const one = { host, since: clock.now() }
      open.add(one)
      return () => {
        if (open.delete(one)) longer(host, one.since)
      }
    },
    longest: () => {
      for (const { host, since } of open) longer(host, since)
      return most
    },
  }
}

/** Waits for `work` until a little after `until` (monotonic); then RPC_UNREACHABLE. */
export async function withDeadline<T>(
  { clock, until, answerTimes }: { clock: Clock; until: number; answerTimes?: AnswerTimes },
  host: string,
  work: () => Promise<T>,
): Promise<T> {
  const late = () =>
    new AppError('RPC_UNREACHABLE', `The time limit was reached before ${host} answered`, {
      details: { host, fault: 'time over' },
      next: advice`If there is another endpoint, you can remove ${host}. To allow more time: ${sameWith({ '--timeout': '10m' })}`,
    })
  const left = until + graceMs - clock.now()
  if (left <= 0) throw late()
  const done = new AbortController()
  const answered = answerTimes?.begin(host)
  const over = clock.sleep(Math.min(left, maxTimerMs), done.signal).then(() => {
    throw late()
  })
  try {
    return await Promise.race([(async () => work())(), over])
  } finally {
    done.abort()
    answered?.()
  }
}

/** Whether a request failed only because of the run's deadline: the node may be well. */
export const isDeadlineFault = ({ code, details }: AppError): boolean =>
  code === 'RPC_UNREACHABLE' && details?.fault === 'time over'

/** A client that sends nothing after the deadline of a run, so that a slow node cannot delay the command. */
export const clientWithDeadline = (
  client: ChainClient,
  run: { clock: Clock; until: number; answerTimes?: AnswerTimes },
): ChainClient => aroundCalls(client, (node, _, send) => withDeadline(run, node.host, send))

/** A client with a time limit for each answer, in ms: a hanging node fails as RPC_UNREACHABLE. */
export const withAnswerTimeout = (client: ChainClient, ms = nodeTimeoutMs): ChainClient =>
  aroundCalls(client, async ({ host }, _, send) => {
    const answer = await withTimeout(
      send().then((said) => ({ said })),
      ms,
    )
    if (answer) return answer.said
    throw new AppError('RPC_UNREACHABLE', `The node at ${host} did not answer within ${ms} ms`, {
      details: { host, fault: 'deadline' },
    })
  })
