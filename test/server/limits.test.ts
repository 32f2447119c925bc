import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { describe, expect, test } from 'vitest'

import { limitsCell } from '../../bench/limits.ts'
import type { Service } from '../../src/api/service.ts'
import { serve } from '../../src/server/serve.ts'
import { openLimiter } from '../../src/store/limiter.ts'
import { startSluice } from '../support/program.ts'
import { oneDocument } from '../support/run.ts'
import { useSandbox } from '../support/sandbox.ts'
import { useServe } from '../support/serving.ts'

const service = {
  getFees: async () => ({ swapFeeBps: 25, performanceFeeBps: 500, markupBps: 0, collector: null }),
} as unknown as Service

test.each([0, 1, 2, 3])(
  'hours at the edges of every window, at two servers over one file: as the model says (cell %d)',
  async (cell) => {
    expect(await limitsCell(20260101, cell, undefined)).toEqual([])
  },
)

test('thirty seconds of hammering with windows scaled down: exactly what fits, and who waits as long as he is told is let in', async () => {
  const windows = [
    { ms: 500, most: 100 },
    { ms: 20_000, most: 1_000 },
  ]
  const dir = mkdtempSync(join(tmpdir(), 'sluice-limits-'))
  const accepted: number[] = []
  const servers = await Promise.all(
    [0, 1].map(async () => {
      let at = 0
      const limiter = openLimiter(join(dir, 'limits.db'), { windows, now: () => (at = Date.now()) })
      const allow = (keyId: string) => {
        const taken = limiter.take(keyId)
        if (taken.ok && keyId === 'greedy') accepted.push(at)
        return taken
      }
      const listening = await serve(
        { access: async (key) => ({ keyId: key, customer: key, service }), allow },
        { host: '127.0.0.1', port: 0, graceMs: 0 },
      )
      return { limiter, listening, pool: new Pool(listening.url, { connections: 4 }) }
    }),
  )
  const ask = async (pool: Pool, key: string) => {
    const answer = await pool.request({ method: 'GET', path: '/fees', headers: { 'x-api-key': key } })
    await answer.body.dump()
    return { status: answer.statusCode, waitMs: Number(answer.headers['retry-after']) * 1000 }
  }
  const until = performance.now() + 30_000
  const greedy = servers.flatMap(({ pool }) =>
    Array.from({ length: 4 }, async () => {
      while (performance.now() < until) {
        const { status } = await ask(pool, 'greedy')
        if (status === 429) await sleep(5)
      }
    }),
  )
  let waits = 0
  const polite = async () => {
    while (performance.now() < until) {
      const { status, waitMs } = await ask(servers[0]!.pool, 'polite')
      if (status === 200) continue
      if (performance.now() + waitMs > until) return
      await sleep(waitMs)
      expect((await ask(servers[1]!.pool, 'polite')).status).toBe(200)
      waits++
    }
  }
  await Promise.all([...greedy, polite()])
  for (const { pool, listening, limiter } of servers) {
    await pool.close()
    await listening.close()
    limiter.close()
  }
  rmSync(dir, { recursive: true, force: true })
  for (const { ms, most } of windows)
    for (let at = most; at < accepted.length; at++)
      expect(accepted[at]! - accepted[at - most]!).toBeGreaterThan(ms)
  // Nobody is held back for nothing: a thousand in each twenty seconds, and more as the first of them grow old.
  expect(accepted.length).toBeGreaterThan(1_000)
  expect(accepted[999]! - accepted[0]!).toBeLessThan(19_000)
  expect(waits).toBeGreaterThan(5)
}, 60_000)

describe('two servers of one deployment', () => {
  const sandbox = useSandbox()
  const served = useServe(sandbox)

  test('count together, and go on counting after an end by force', async () => {
    const { home } = served.place()
    const begin = async () => {
      const program = startSluice(home, ['serve', '--port', '0', '--json', '--quiet'])
      return { program, url: oneDocument(await program.line()).url as string }
    }
    const key = await served.newKey()
    const ask = async (url: string) => {
      const answer = await fetch(`${url}/fees`, { headers: { 'x-api-key': key } })
      return { status: answer.status, retry: answer.headers.get('retry-after'), body: await answer.json() }
    }
    const second = await begin()
    const urls = [served.url(), second.url]
    const first = await Promise.all(Array.from({ length: 60 }, (_, at) => ask(urls[at % 2]!)))
    expect(first.map(({ status }) => status)).toEqual(first.map(() => 200))
    second.program.child.kill('SIGKILL')
    await second.program.ended
    const third = await begin()
    const more = await Promise.all(
      Array.from({ length: 100 }, (_, at) => ask([served.url(), third.url][at % 2]!)),
    )
    expect(more.filter(({ status }) => status === 200)).toHaveLength(40)
    const refused = more.find(({ status }) => status === 429)!
    expect(Number(refused.retry)).toBeGreaterThan(0)
    expect(Number(refused.retry)).toBeLessThanOrEqual(61)
    expect(refused.body).toEqual({
      error: {
        code: 'RATE_LIMITED',
        message: 'too many requests',
        details: { retryAfter: Number(refused.retry) },
      },
    })
    third.program.child.kill('SIGTERM')
    expect((await third.program.ended).exit).toBe(0)
  })
})
