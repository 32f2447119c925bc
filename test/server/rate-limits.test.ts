import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { describe, expect, test } from 'vitest'
import { limitsCell } from '../../bench/limits.ts'
import type { Service } from '../../src/api/service-type.ts'
import { serveHttp } from '../../src/server/listen.ts'
import { openKeyLimits } from '../../src/store/api-keys/server-key-limits.ts'
import { usualFees } from '../support/default-operator-fees.ts'
import { useServe } from '../support/services/serve-as-process.ts'
import { startSluice } from '../support/spawn-program.ts'
import { oneDocument } from '../support/use-commands.ts'
import { useSandbox } from '../support/use-sandbox.ts'

const service = {
  getFees: async () => usualFees,
} as unknown as Service

test.each([0, 1, 2, 3])(
  'limits at the edges of every window, with restarts, match the model (cell %d)',
  async (cell) => {
    expect(await limitsCell(20260101, cell, undefined)).toEqual([])
  },
)

test('under load, limits admit exactly their maximum, and every client that waits for its Retry-After', async () => {
  const windows = [
    { ms: 500, most: 50 },
    { ms: 3_000, most: 200 },
  ]
  const dir = mkdtempSync(join(tmpdir(), 'sluice-limits-'))
  const accepted: number[] = []
  const refused: number[] = []
  let at = 0
  const limits = await openKeyLimits(join(dir, 'limits.db'), { windows, now: () => (at = Date.now()) })
  const listening = await serveHttp(
    {
      access: async (key) => ({ keyId: key, customer: key, service }),
      allow: async (keyId) => {
        const asked = limits.take(keyId)
        const when = at
        const taken = await asked
        if (keyId === 'greedy') (taken.ok ? accepted : refused).push(when)
        return taken
      },
    },
    { host: '127.0.0.1', port: 0, graceMs: 0 },
  )
  const pool = new Pool(listening.url, { connections: 8 })
  const ask = async (key: string) => {
    const answer = await pool.request({ method: 'GET', path: '/fees', headers: { 'x-api-key': key } })
    await answer.body.dump()
    return { status: answer.statusCode, waitMs: Number(answer.headers['retry-after']) * 1000 }
  }
  const until = performance.now() + 7_000
  const greedy = Array.from({ length: 8 }, async () => {
    while (performance.now() < until) {
      const { status } = await ask('greedy')
      if (status === 429) await sleep(20)
    }
  })
  let waits = 0
  const polite = async () => {
    while (performance.now() < until) {
      const { status, waitMs } = await ask('polite')
      if (status === 200) continue
      if (performance.now() + waitMs > until) return
      await sleep(waitMs)
      expect((await ask('polite')).status).toBe(200)
      waits++
    }
  }
  await Promise.all([...greedy, polite()])
  await pool.close()
  await listening.close()
  await limits.close()
  rmSync(dir, { recursive: true, force: true })
  for (const { ms, most } of windows)
    for (let at = most; at < accepted.length; at++)
      expect(accepted[at]! - accepted[at - most]!).toBeGreaterThan(ms)
  // Each refusal has a cause: a window before it is full, with a tolerance of a tenth for late expiry.
  expect(refused.length).toBeGreaterThan(10)
  for (const when of refused)
    expect(
      windows.some(
        ({ ms, most }) => accepted.filter((one) => one > when - 1.1 * ms && one <= when).length >= most,
      ),
    ).toBe(true)
  expect(waits).toBeGreaterThan(1)
})

describe('a served deployment', () => {
  const sandbox = useSandbox()
  const served = useServe(sandbox)
  const second = (...more: string[]) =>
    startSluice(served.place().home, ['serve', '--port', '0', '--json', '--quiet', ...more])

  test('locks its database for one server, and keeps its counts after SIGKILL', async () => {
    const refused = await second().ended
    expect(refused.exit).toBe(12)
    expect(oneDocument(refused.out).error).toMatchObject({
      code: 'STATE_UNUSABLE',
      hint: expect.stringContaining('--database'),
    })
    const database = `sqlite:${join(served.place().data, 'other.db')}`
    const begin = async () => {
      const program = second('--database', database)
      return { program, url: oneDocument(await program.line()).url as string }
    }
    const made = await startSluice(served.place().home, [
      'keys',
      'create',
      '--customer',
      'a',
      '--json',
      '--database',
      database,
    ]).ended
    const { key } = oneDocument(made.out)
    const ask = async (url: string) => {
      const answer = await fetch(`${url}/fees`, { headers: { 'x-api-key': key } })
      return {
        status: answer.status,
        retry: Number(answer.headers.get('retry-after')),
        body: await answer.json(),
      }
    }
    const first = await begin()
    const many = (count: number, url: string) => Promise.all(Array.from({ length: count }, () => ask(url)))
    for (const { status } of await many(60, first.url)) expect(status).toBe(200)
    first.program.child.kill('SIGKILL')
    await first.program.ended
    const next = await begin()
    const more = await many(100, next.url)
    expect(more.filter(({ status }) => status === 200)).toHaveLength(40)
    const late = more.find(({ status }) => status === 429)!
    expect(late.retry).toBeGreaterThan(0)
    expect(late.retry).toBeLessThanOrEqual(61)
    expect(late.body).toEqual({
      error: { code: 'RATE_LIMITED', message: 'too many requests', details: { retryAfter: late.retry } },
    })
    next.program.child.kill('SIGTERM')
    expect((await next.program.ended).exit).toBe(0)
  })
})
