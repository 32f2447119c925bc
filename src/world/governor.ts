import { createHash } from 'node:crypto'
import { join } from 'node:path'

import { AppError } from '../domain/errors.ts'
import type { Governor } from '../remote/governor.ts'
import { openLimiter } from '../store/limiter.ts'

/** What a key may ask for in any stretch of time (interface specification, Limits). */
const windows = [
  { ms: 60_000, most: 100 },
  { ms: 3_600_000, most: 1000 },
]

/**
 * The governor of one key at one host, for all processes of this machine. Where its file cannot be used, requests go on
 * without it, and one notice says so.
 */
export function governorOf(
  where: { data: string; baseUrl: string; apiKey: string },
  { now, notice }: { now: () => number; notice: (line: string) => void },
): Governor {
  const host = URL.parse(where.baseUrl)?.host ?? ''
  const id = `${host} ${createHash('sha256').update(where.apiKey).digest('hex')}`
  let isGone = false
  const usable = <value>(work: () => value, otherwise: value): value => {
    if (isGone) return otherwise
    try {
      return work()
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      isGone = true
      notice(`Nothing keeps these requests within the limits of the key: ${error.message}`)
      return otherwise
    }
  }
  const limiter = usable(
    () => openLimiter(join(where.data, 'governor.db'), { windows, now, busyMs: 2_000 }),
    undefined,
  )
  return {
    take: () => usable(() => limiter!.take(id), { ok: true }),
    block: (untilMs) => usable(() => limiter!.block(id, untilMs), undefined),
  }
}
