import { expect, test } from 'vitest'
import { seeded } from '../../../bench/seeded.ts'
import { openSharedKeyLimits } from '../../../src/store/api-keys/shared-key-limits.ts'
import { engineMigrations } from '../../../src/store/engine/store.ts'
import type { PostgresSql } from '../../../src/store/sql/postgres.ts'
import { describePostgres, newDatabase, openPostgres } from '../../support/postgres.ts'

const windows = [
  { ms: 60_000, most: 100 },
  { ms: 3_600_000, most: 1_000 },
]

/** Several instances over one database, with one clock for all: of the database and of each process. */
async function instances(count: number) {
  const database = await newDatabase()
  let now = 1_700_000_000_000
  const clocks = { windows, clock: () => now, elapsed: () => now }
  const sqls: PostgresSql[] = []
  for (let at = 0; at < count; at++)
    sqls.push(await openPostgres(engineMigrations, { database, query: '?pool_max_conns=2' }))
  const opened = (at: number) => openSharedKeyLimits(sqls[at]!, clocks)
  return {
    sqls,
    limits: sqls.map((_, at) => opened(at)),
    opened,
    now: () => now,
    pass: (ms: number) => {
      now += ms
    },
    end: async () => {
      for (const sql of sqls) await sql.close()
    },
  }
}

describePostgres('limits of several instances', () => {
  test.each([1, 2, 3])(
    'match a model that keeps everything, although instances end without notice (seed %d)',
    async (seed) => {
      const random = seeded(seed)
      const { sqls, limits, opened, now, pass, end } = await instances(3)
      const accepted: number[] = []
      const free = (): number =>
        Math.min(...windows.map(({ ms, most }) => most - accepted.filter((at) => now() - at <= ms).length))
      let fullest = 0
      for (let step = 0; step < 120; step++) {
        const asked = random() < 0.6 ? 1 + Math.floor(random() * 4) : Math.floor(random() * 150)
        const place = Math.floor(random() * 3)
        const [{ leased }] = (await sqls[0]!.query<{ leased: number }>(
          'select coalesce(sum(n), 0)::integer as leased from limit_uses where lease is not null and at >= $1',
          [now() - 3_600_000],
        )) as [{ leased: number }]
        const before = free()
        const answers = await Promise.all(Array.from({ length: asked }, () => limits[place]!.take('key')))
        const ok = answers.filter((one) => one.ok).length
        accepted.push(...Array.from({ length: ok }, () => now()))
        expect(ok, `step ${step}: ${ok} of ${asked}, ${before} were free`).toBeLessThanOrEqual(before)
        // Only what is leased to an instance may be refused although it is free.
        expect(ok).toBeGreaterThanOrEqual(Math.min(asked, before - leased))
        const refusal = answers.find((one) => !one.ok)
        if (refusal && !refusal.ok && leased === 0) {
          // The wait is enough, and not a second more than that.
          pass(refusal.retryAfterSeconds * 1_000)
          expect(free()).toBeGreaterThan(0)
          pass(-1_000)
          if (refusal.retryAfterSeconds > 1) expect(free()).toBe(0)
        }
        fullest = Math.max(fullest, 100 - free())
        pass(random() < 0.3 ? 0 : Math.floor(random() * (random() < 0.5 ? 3_000 : 40_000)))
        if (random() < 0.1) limits[place] = opened(place)
      }
      expect(fullest).toBe(100)
      await end()
    },
  )

  test('are counted without the database while a key is far from them, and given back', async () => {
    const { sqls, limits, end, pass } = await instances(2)
    const asked: string[] = []
    const counting = {
      query: ((text: string, values: never) => {
        asked.push(text)
        return sqls[0]!.query(text, values)
      }) as PostgresSql['query'],
    }
    let now = 0
    const one = openSharedKeyLimits(counting, { windows, elapsed: () => now })
    for (let at = 0; at < 12; at++) expect(await one.take('key')).toEqual({ ok: true })
    expect(asked).toHaveLength(1)
    await one.close()
    const [rows] = await sqls[0]!.query(
      'select count(*) as n, sum(n)::integer as sum, count(lease) as leases from limit_uses',
    )
    expect(rows).toEqual({ n: 12, sum: 12, leases: 0 })
    now += 1
    pass(1)
    // Requests at once are one question.
    asked.length = 0
    const other = openSharedKeyLimits(counting, { windows })
    const all = await Promise.all(Array.from({ length: 150 }, () => other.take('other')))
    expect(all.filter(({ ok }) => ok)).toHaveLength(100)
    expect(asked).toHaveLength(1)
    // So are those of many keys, each with its own limit.
    const many = await Promise.all(
      Array.from({ length: 205 }, (_, at) => other.take(at < 102 ? 'one' : `key ${at}, "of" {many}`)),
    )
    expect(many.map(({ ok }, at) => (ok ? -1 : at)).filter((at) => at >= 0)).toEqual([100, 101])
    expect(asked).toHaveLength(2)
    await other.close()
    for (const limit of limits) await limit.close()
    await end()
  })

  test('count on from now after the clock of the database was set back, and are free again after their window', async () => {
    const { limits, pass, end } = await instances(1)
    const [limit] = limits
    const ask = (count: number) => Promise.all(Array.from({ length: count }, () => limit!.take('key')))
    const free = (answers: { ok: boolean }[]) => answers.filter(({ ok }) => ok).length
    expect(free(await ask(120))).toBe(100)
    pass(-7_200_000)
    const [refusal] = await ask(1)
    expect(refusal).toEqual({ ok: false, retryAfterSeconds: 61 })
    pass(60_000)
    expect(free(await ask(1))).toBe(0)
    pass(1)
    expect(free(await ask(120))).toBe(100)
    await end()
  })

  test('refuse with SERVICE_UNAVAILABLE while the database does not answer, and work again', async () => {
    let isDown = true
    const limits = openSharedKeyLimits(
      {
        query: async () =>
          isDown
            ? Promise.reject(new Error('down'))
            : ([{ id: 'key', taken_at: 1, granted: 1, leased: 0, wait_ms: 0 }] as never),
      },
      { windows },
    )
    await expect(limits.take('key')).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    isDown = false
    expect(await limits.take('key')).toEqual({ ok: true })
    await limits.close()
  })
})
