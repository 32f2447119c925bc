import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { KeptPlans } from '../../chain/rpc/pacing.ts'
import { moveFile } from '../../store/durable-files.ts'
import type { Directories } from '../profiles/directories.ts'

/** How many calls a second an endpoint allows, by the digest of its URL, which may hold a key. */
const Plans = z.record(
  z.string().regex(/^[0-9a-f]{64}$/),
  z.object({ callsPerSecond: z.int().min(1).max(1_000_000), refusedAt: z.number() }),
)
type Plans = z.output<typeof Plans>

const hourMs = 3_600_000
/** How long a plan is used after the last refusal or growth, in ms: to learn it again costs two seconds, and a wrong one slows every command. */
const keptMs = hourMs

/** The digest of a URL without user and password, which are not part of the address. */
function digestOf(url: string): string {
  const { origin, pathname, search } = new URL(url)
  return createHash('sha256').update(`${origin}${pathname}${search}`).digest('hex')
}

/** The plans of RPC endpoints that this machine has learned, in a file of the cache directory for all later processes. */
export function keptRpcPlans({ cache }: Directories, now: () => number): KeptPlans {
  const file = join(cache, 'rpc-plans.json')
  const all = (): Plans => {
    try {
      const plans = Object.entries(Plans.parse(JSON.parse(readFileSync(file, 'utf8'))))
      return Object.fromEntries(
        plans.filter(([, { refusedAt }]) => refusedAt <= now() + hourMs && now() - refusedAt < keptMs),
      )
    } catch {
      // No file, or one of another version: the nodes say it again.
      return {}
    }
  }
  return {
    find: (url) => all()[digestOf(url)],
    keep: (url, plan) => {
      try {
        mkdirSync(cache, { recursive: true, mode: 0o700 })
        const draft = `${file}.${process.pid}`
        writeFileSync(draft, JSON.stringify({ ...all(), [digestOf(url)]: plan }), { mode: 0o600 })
        moveFile(draft, file)
      } catch {
        // A later process learns it again; no command fails for it.
      }
    },
  }
}
