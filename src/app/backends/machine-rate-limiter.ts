import { createHash } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { AppError } from '../../domain/errors.ts'
import type { RateLimiter } from '../../remote/rate-limiter.ts'
import { type Limiter, openLimiter } from '../../store/api-keys/rate-limiter.ts'
import { refuseSharedFile } from '../../store/file-ownership.ts'
import { storeFault } from '../../store/sql/sqlite.ts'
import type { RegisterResource } from './backend-input-types.ts'

/** Rate limits of a key, over any window of that length (interface specification, Limits). */
const windows = [
  { ms: 60_000, most: 100 },
  { ms: 3_600_000, most: 1000 },
]

const name = 'governor.db'

/**
 * Returns the rate limiter of one key at one host, shared by all processes of this user on this machine. If the
 * shared file is unusable, it uses one in the `data` directory and reports that to `traced`. If that is unusable too,
 * requests are sent unlimited after one notice. The files hold digests and times.
 */
export function machineRateLimiter(
  where: {
    env: Readonly<Record<string, string | undefined>>
    data: string
    baseUrl: string
    apiKey: string
  },
  how: {
    now: () => number
    notice: (line: string) => void
    traced: (line: string) => void
    keep: RegisterResource
  },
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
 * Returns the limiter file for all processes of this user, in any home: in the system's temporary directory, in a
 * subdirectory that this user must own. XDG_RUNTIME_DIR does not exist for cron jobs.
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

/** Any error of this directory leads to the other one. */
function unusable(path: string, cause: unknown): AppError {
  const known = storeFault(cause, path)
  if (known instanceof AppError) return known
  return new AppError('STATE_UNUSABLE', `Cannot create ${path}`, { cause, details: { path } })
}
