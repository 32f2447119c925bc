import { setTimeout as sleep } from 'node:timers/promises'

import { AppError } from '../../domain/errors.ts'

/** How long somebody is asked before he counts as silent, in ms: a person waits for the answer. */
export const patienceMs = 8_000

/** What work gives, unless it takes too long, in ms: then `undefined`. */
export async function within<T>(work: Promise<T>, longestMs = patienceMs): Promise<T | undefined> {
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

/** What work gives; `undefined` where a node does not answer, or not so that it can be used. */
export const ifAnswered = <T>(work: Promise<T>): Promise<T | undefined> =>
  work.catch((error: unknown) => {
    if (error instanceof AppError && error.code.startsWith('RPC_')) return undefined
    throw error
  })
