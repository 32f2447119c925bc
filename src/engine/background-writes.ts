import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../domain/errors.ts'
import { isDatabaseBusy } from '../store/sql/sqlite.ts'

/** For so long an answer waits for what is kept for the next one, in ms. */
const waitMs = 1_000

/**
 * Keeps what could be read again. Where another process holds the store, nobody who only asked has to wait for that or fails by it: the
 * answer is `undefined` then, and the keeping may still be done later.
 */
export async function writeInBackground<value>(
  keeping: Promise<value>,
  mostMs: number = waitMs,
): Promise<value | undefined> {
  const given = new AbortController()
  const late = sleep(mostMs, undefined, { signal: given.signal }).catch(() => undefined)
  const kept = keeping.catch((error: unknown) => {
    if (error instanceof AppError && isDatabaseBusy(error.cause)) return undefined
    throw error
  })
  // What fails later than anybody waits for it is told to nobody.
  kept.catch(() => undefined)
  try {
    return await Promise.race([kept, late])
  } finally {
    given.abort()
  }
}
