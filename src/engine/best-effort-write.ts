import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../domain/errors.ts'
import { isDatabaseBusy } from '../store/sql/sqlite.ts'

/** The longest time an answer waits for a cache write, in ms. */
const waitMs = 1_000

/**
 * Writes data that can be read again, such as a cache. If another process locks the store, the caller neither
 * waits nor fails: the result is `undefined`, and the write may still complete later.
 */
export async function writeInBackground<value>(
  keeping: Promise<value>,
  mostMs: number = waitMs,
): Promise<value | undefined> {
  const timer = new AbortController()
  const late = sleep(mostMs, undefined, { signal: timer.signal }).catch(() => undefined)
  const written = keeping.catch((error: unknown) => {
    if (error instanceof AppError && isDatabaseBusy(error.cause)) return undefined
    throw error
  })
  // A failure after the wait has no caller left to report to.
  written.catch(() => undefined)
  try {
    return await Promise.race([written, late])
  } finally {
    timer.abort()
  }
}
