import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Pool } from 'undici'
import type { Service } from '../src/api/service-type.ts'
import type { RequestAdmission } from '../src/server/authentication.ts'
import { serveHttp } from '../src/server/listen.ts'
import { type KeyLimits, openKeyLimits } from '../src/store/api-keys/server-key-limits.ts'
import { usualFees } from '../test/support/default-operator-fees.ts'
import { seeded } from './seeded.ts'

const windows = [
  { ms: 60_000, most: 100 },
  { ms: 3_600_000, most: 1_000 },
] as const
const spanMs = 2.5 * 3_600_000

/** Broken limiters that the campaign must detect: common implementation errors. */
export const sabotages = ['fixed-window', 'retry-too-soon', 'no-hour', 'forgets'] as const
type Sabotage = (typeof sabotages)[number]

/** Two and a half hours of one to three keys at a server restarted at random times and at window edges, compared with a model that keeps everything. Returns the differences. */
export async function limitsCell(
  seed: number,
  cell: number,
  sabotage: Sabotage | undefined,
): Promise<string[]> {
  const random = seeded(seed * 1_000_003 + cell)
  const dir = mkdtempSync(join(tmpdir(), 'sluice-limits-'))
  let now = 1_700_000_000_000 + Math.floor(random() * 1e9)
  const clock = () => now
  const begin = async () => {
    const kept = sabotage === 'no-hour' ? windows.slice(0, 1) : windows
    const path = join(dir, sabotage === 'forgets' ? `${now}.db` : 'limits.db')
    const limits = await openKeyLimits(path, { windows: kept, now: clock })
    const allow = sabotage ? broken(sabotage, limits, clock) : limits.take
    const listening = await serveHttp(
      { access: async (key) => ({ keyId: key, customer: key, service }), allow },
      { host: '127.0.0.1', port: 0, graceMs: 0 },
    )
    const pool = new Pool(listening.url, { connections: 16 })
    const end = async () => {
      await pool.close()
      await listening.close()
      await limits.close()
    }
    return { pool, end }
  }
  let server = await begin()
  const keys = Array.from({ length: 1 + Math.floor(random() * 3) }, (_, at) => `key-${at}`)
  const model = new Map(keys.map((key) => [key, [] as number[]]))
  const wrong: string[] = []
  const ends = now + spanMs
  let wait = 0
  while (now < ends && wrong.length < 5) {
    const key = keys[Math.floor(random() * keys.length)]!
    const accepted = model.get(key)!
    const asked = random() < 0.5 ? 1 + Math.floor(random() * 3) : Math.floor(random() * 160)
    const answers = await Promise.all(Array.from({ length: asked }, () => ask(server.pool, key)))
    const free = freeAt(accepted, now)
    const ok = answers.filter(({ status }) => status === 200).length
    if (ok !== Math.min(asked, free))
      wrong.push(`cell ${cell}: ${ok} of ${asked} let in at ${now}, ${free} were free`)
    accepted.push(...Array.from({ length: ok }, () => now))
    for (const { status, retryAfter, inBody } of answers) {
      if (status !== 429) continue
      const needed = waitOf(accepted, now)
      if (retryAfter !== inBody) wrong.push(`cell ${cell}: the header says ${retryAfter}, the body ${inBody}`)
      if (retryAfter * 1000 < needed)
        wrong.push(`cell ${cell}: Retry-After ${retryAfter} s is too soon, ${needed} ms are needed`)
      if ((retryAfter - 1) * 1000 > needed)
        wrong.push(`cell ${cell}: Retry-After ${retryAfter} s is more than ${needed} ms`)
      wait = retryAfter * 1000
      break
    }
    now += step(random, accepted, now, wait)
    if (random() < 0.02) {
      await server.end()
      server = await begin()
    }
  }
  await server.end()
  rmSync(dir, { recursive: true, force: true })
  return wrong
}

/** The time until the next request: zero, short, exactly the requested wait, or the exact edge of a window. */
function step(random: () => number, accepted: readonly number[], now: number, wait: number): number {
  const kind = random()
  if (kind < 0.25) return 0
  if (kind < 0.45) return Math.floor(random() * 5_000)
  if (kind < 0.6 && wait > 0) return wait
  // Waiting for the hour is useful only when its limit is full.
  const [minute, hour] = windows
  const isFull = accepted.filter((at) => now - at <= hour.ms).length >= hour.most
  const { ms } = isFull && random() < 0.5 ? hour : minute
  const within = accepted.filter((at) => now - at <= ms)
  const edge = (within[Math.floor(random() * within.length)] ?? now) + ms + Math.floor(random() * 3) - 1
  return Math.max(0, edge > now ? edge - now : Math.floor(random() * 60_000))
}

/** The model: at most the maximum in every stretch of a window, with both ends included. */
const freeAt = (accepted: readonly number[], now: number): number =>
  Math.min(...windows.map(({ ms, most }) => most - accepted.filter((at) => now - at <= ms).length))

/** The time in ms until one more request is admitted. */
function waitOf(accepted: readonly number[], now: number): number {
  const ends = accepted.flatMap((at) => windows.map(({ ms }) => at + ms + 1 - now)).filter((ms) => ms > 0)
  return ends.toSorted((a, b) => a - b).find((ms) => freeAt(accepted, now + ms) > 0) ?? 0
}

type Answered = { status: number; retryAfter: number; inBody: number }

async function ask(pool: Pool, key: string): Promise<Answered> {
  const { statusCode, headers, body } = await pool.request({
    method: 'GET',
    path: '/fees',
    headers: { 'x-api-key': key },
  })
  const document = (await body.json()) as { error?: { details?: { retryAfter?: number } } }
  return {
    status: statusCode,
    retryAfter: Number(headers['retry-after']),
    inBody: document.error?.details?.retryAfter ?? Number.NaN,
  }
}

const service = {
  getFees: async () => usualFees,
} as unknown as Service

function broken(sabotage: Sabotage, limits: KeyLimits, now: () => number): RequestAdmission {
  if (sabotage === 'no-hour' || sabotage === 'forgets') return limits.take
  if (sabotage === 'retry-too-soon')
    return async (key) => {
      const taken = await limits.take(key)
      if (taken.ok) return taken
      return { ok: false, retryAfterSeconds: Math.max(1, taken.retryAfterSeconds - 1) }
    }
  const counts = new Map<string, number>()
  return async (key) => {
    const minute = Math.floor(now() / 60_000)
    const taken = (counts.get(`${key} ${minute}`) ?? 0) + 1
    if (taken > 100)
      return { ok: false, retryAfterSeconds: Math.ceil(((minute + 1) * 60_000 - now()) / 1000) }
    counts.set(`${key} ${minute}`, taken)
    return { ok: true }
  }
}
