import { createHash } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { AppError } from '../../domain/errors.ts'
import type { RateLimiter } from '../../remote/rate-limiter.ts'
import { type Limiter, openLimiter } from '../../store/api-keys/rate-limiter.ts'
import { refuseSharedFile } from '../../store/file-ownership.ts'
import { storeFault } from '../../store/sql/sqlite.ts'
import type { Keep } from './backend-inputs.ts'

/** What a key may ask for in any stretch of time (interface specification, Limits). */
const windows = [
  { ms: 60_000, most: 100 },
  { ms: 3_600_000, most: 1000 },
]

const name = 'governor.db'

/**
 * The governor of one key at one host, for all processes of this user on this machine. Where its file there cannot be used, it is
 * one of this `data` directory, which `traced` is told; where that cannot be used either, requests go on without it, and one
 * notice says so. The files hold digests and times.
 */
export function machineRateLimiter(
  where: {
    env: Readonly<Record<string, string | undefined>>
    data: string
    baseUrl: string
    apiKey: string
  },
  how: { now: () => number; notice: (line: string) => void; traced: (line: string) => void; keep: Keep },
): RateLimiter {
  const { now, notice, traced, keep } = how
  const host = URL.parse(where.baseUrl)?.host ?? ''
  const id = createHash('sha256').update(`${host} ${where.apiKey}`).digest('hex')
  let isGone = false
  const usable = <value>(work: () => value, otherwise: value): value => {
    if (isGone) return otherwise
    try {
      return work()
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      isGone = true
      notice(`Requests are sent without client-side rate limiting: ${error.message}`)
      return otherwise
    }
  }
  const open = (file: string): Limiter => keep(openLimiter(file, { windows, now, busyMs: 2_000 }))
  const limiter = usable(() => {
    try {
      return open(sharedFile(where.env))
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      traced(`The rate limit is tracked only for this data directory: ${error.message}`)
      return open(join(where.data, name))
    }
  }, undefined)
  return {
    take: () => usable(() => limiter!.take(id), { ok: true }),
    block: (untilMs) => usable(() => limiter!.block(id, untilMs), undefined),
    unblock: () => usable(() => limiter!.unblock(id), undefined),
  }
}

/**
 * The file that every process of this user finds, whatever home it is given: in the temporary directory of the system, where the
 * directory must be this user's own. The directory of a session (XDG_RUNTIME_DIR) is not there for a job that runs by the clock.
 */
function sharedFile(env: Readonly<Record<string, string | undefined>>): string {
  const root = env.TMPDIR && isAbsolute(env.TMPDIR) ? env.TMPDIR : tmpdir()
  if (!isAbsolute(root))
    throw new AppError('STATE_UNUSABLE', 'The temporary directory is not an absolute path', {
      details: { path: root },
    })
  const own = join(root, `sluice-${process.getuid?.() ?? 'governor'}`)
  try {
    mkdirSync(own, { mode: 0o700 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw unusable(own, error)
  }
  const file = join(own, name)
  refuseSharedFile(file)
  return file
}

/** Whatever is wrong with the directory, the other one is tried. */
function unusable(path: string, cause: unknown): AppError {
  const known = storeFault(cause, path)
  if (known instanceof AppError) return known
  return new AppError('STATE_UNUSABLE', `Cannot create ${path}`, { cause, details: { path } })
}
