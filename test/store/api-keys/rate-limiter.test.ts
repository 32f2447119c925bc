import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { openLimiter, type Window } from '../../../src/store/api-keys/rate-limiter.ts'

const specification: readonly Window[] = [
  { ms: 60_000, most: 100 },
  { ms: 3_600_000, most: 1000 },
]

let home: string
let path: string
let clock: number
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'sluice-limiter-'))
  path = join(home, 'limits.db')
  clock = Date.UTC(2026, 0, 1)
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

/** A limiter on the test's clock that is closed when the test ends. */
function limiter(windows = specification, file = path) {
  const one = openLimiter(file, { windows, now: () => clock })
  onTestFinished(() => {
    try {
      one.close()
    } catch (error) {
      // Some tests close it themselves.
      if ((error as Error).message !== 'database is not open') throw error
    }
  })
  return one
}

/** The highest number of these times in any interval of `ms`, both ends included. */
function densest(times: readonly number[], ms: number): number {
  let [first, most] = [0, 0]
  for (const [at, time] of times.entries()) {
    while (times[first]! < time - ms) first++
    most = Math.max(most, at - first + 1)
  }
  return most
}

describe('the rate limiter', () => {
  const gaps = fc.array(fc.oneof(fc.nat(5), fc.nat(60), fc.nat(500), fc.integer({ min: -300, max: 0 })), {
    minLength: 20,
    maxLength: 120,
  })

  test('accepts exactly what every window allows, at any request times', () => {
    const windows = [
      { ms: 50, most: 3 },
      { ms: 400, most: 7 },
      { ms: 100_000, most: 60 },
    ]
    let round = 0
    fc.assert(
      fc.property(gaps, (all) => {
        const one = openLimiter(join(home, `${round++}.db`), { windows, now: () => clock })
        const accepted: number[] = []
        for (const gap of all) {
          clock += gap
          // A clock that is set back counts as stopped.
          const at = Math.max(clock, accepted.at(-1) ?? 0)
          const fits = windows.every(
            ({ ms, most }) => accepted.filter((time) => at - time <= ms).length < most,
          )
          expect(one.take('a').ok).toBe(fits)
          if (fits) accepted.push(at)
        }
        one.close()
      }),
      { numRuns: 60 },
    )
  })

  test('accepts no more than that in elapsed time, even if the clock is set back', () => {
    const windows = [
      { ms: 50, most: 3 },
      { ms: 400, most: 7 },
    ]
    let round = 0
    fc.assert(
      fc.property(gaps, (all) => {
        const one = openLimiter(join(home, `back-${round++}.db`), { windows, now: () => clock })
        const accepted: number[] = []
        let passed = 0
        for (const gap of all) {
          clock += gap
          passed += Math.max(0, gap)
          if (one.take('a').ok) accepted.push(passed)
        }
        for (const { ms, most } of windows) expect(densest(accepted, ms)).toBeLessThanOrEqual(most)
        one.close()
      }),
      { numRuns: 100 },
    )
  })

  test('keeps to the specified 100 a minute and 1,000 an hour, and allows all of them', () => {
    const one = limiter()
    const accepted: number[] = []
    for (let n = 0; n < 60_000; n++) {
      clock += (n * 7919) % 271
      if (one.take('a').ok) accepted.push(clock)
    }
    expect([densest(accepted, 60_000), densest(accepted, 3_600_000)]).toEqual([100, 1000])
  })

  test('returns a sufficient waiting time, rounded up to the second', () => {
    const waits = fc.array(fc.tuple(fc.nat(900), fc.boolean()), { minLength: 150, maxLength: 400 })
    let round = 0
    fc.assert(
      fc.property(waits, (all) => {
        const windows = [
          { ms: 5_000, most: 10 },
          { ms: 60_000, most: 30 },
        ]
        const one = openLimiter(join(home, `${round++}.db`), { windows, now: () => clock })
        for (const [gap, obeys] of all) {
          clock += gap
          const taken = one.take('a')
          if (taken.ok || !obeys) continue
          expect(Number.isInteger(taken.retryAfterSeconds)).toBe(true)
          clock += (taken.retryAfterSeconds - 1) * 1000
          if (taken.retryAfterSeconds > 1) expect(one.take('a').ok).toBe(false)
          clock += 1000
          expect(one.take('a')).toEqual({ ok: true })
        }
        one.close()
      }),
      { numRuns: 20 },
    )
  })

  test('counts each key separately', () => {
    const one = limiter()
    for (let n = 0; n < 100; n++) one.take('a')
    expect(one.take('a')).toEqual({ ok: false, retryAfterSeconds: 61 })
    expect(one.take('b')).toEqual({ ok: true })
  })

  test('keeps its counts after a restart', () => {
    const first = limiter()
    for (let n = 0; n < 100; n++) first.take('a')
    first.close()
    clock += 60_000
    expect(limiter().take('a')).toEqual({ ok: false, retryAfterSeconds: 1 })
    clock += 1
    expect(limiter().take('a')).toEqual({ ok: true })
  })

  test('keeps at most 1,000 rows of a key, and deletes rows of inactive keys', () => {
    const one = limiter()
    for (let n = 0; n < 2_500; n++) {
      clock += 3_601
      expect(one.take('a').ok).toBe(true)
      one.take(`${n}`)
    }
    const db = new DatabaseSync(path)
    const count = (where: string) =>
      (db.prepare(`select count(*) as n from log where ${where}`).get() as { n: number }).n
    expect(count("id = 'a'")).toBe(1000)
    expect(count("id <> 'a'")).toBeLessThan(2_000)
    db.close()
  })

  test('does not delay requests by more than a window after a clock in the future', () => {
    const one = limiter()
    clock += 1e10
    for (let n = 0; n < 100; n++) one.take('a')
    clock -= 1e10
    expect(one.take('a')).toEqual({ ok: false, retryAfterSeconds: 61 })
    clock += 61_000
    expect(one.take('a')).toEqual({ ok: true })
  })

  test('refuses a blocked key until the given time, for an hour at most', () => {
    const one = limiter()
    one.block('a', clock + 30_000)
    one.block('a', clock + 5_000)
    expect(one.take('a')).toEqual({ ok: false, retryAfterSeconds: 30 })
    expect(limiter().take('a')).toEqual({ ok: false, retryAfterSeconds: 30 })
    expect(one.take('b')).toEqual({ ok: true })
    clock += 30_000
    expect(one.take('a')).toEqual({ ok: true })
    one.block('a', clock + 1e12)
    expect(one.take('a')).toEqual({ ok: false, retryAfterSeconds: 3600 })
    clock -= 1e9
    expect(one.take('a')).toEqual({ ok: true })
    one.block('a', clock + 5_000)
    expect(one.take('a')).toEqual({ ok: false, retryAfterSeconds: 5 })
  })

  test('creates a file with mode 600, and reports a damaged file as STATE_UNUSABLE', () => {
    limiter().take('a')
    expect(statSync(path).mode & 0o777).toBe(0o600)
    const broken = join(home, 'broken.db')
    writeFileSync(broken, 'no database at all '.repeat(100))
    expect(() => openLimiter(broken, { windows: specification, now: () => clock })).toThrow(
      expect.objectContaining({ code: 'STATE_UNUSABLE' }),
    )
  })
})

test('several processes, one of them killed, share one limit', async () => {
  const module = fileURLToPath(new URL('../../../src/store/api-keys/rate-limiter.ts', import.meta.url))
  const program = `const { openLimiter } = await import(${JSON.stringify(module)})
    const one = openLimiter(${JSON.stringify(path)}, { windows: [{ ms: 300, most: 40 }, { ms: 3600000, most: 150 }], now: Date.now })
    for (;;) {
      const taken = one.take('a')
      if (taken.ok) process.stdout.write('+')
      else if (taken.retryAfterSeconds > 60) break
    }`
  const children = [1, 2, 3].map(() =>
    spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] }),
  )
  onTestFinished(() => children.forEach((child) => void child.kill('SIGKILL')))
  let accepted = 0
  for (const child of children)
    child.stdout.on('data', (text: Buffer) => {
      accepted += text.length
      if (child === children[0] && accepted > 60) child.kill('SIGKILL')
    })
  await Promise.all(children.map((child) => once(child, 'close')))
  const db = new DatabaseSync(path)
  const times = (db.prepare('select at from log order by seq').all() as { at: number }[]).map(({ at }) => at)
  db.close()
  expect(times).toHaveLength(150)
  // The killed process may not have reported its last accepted requests.
  expect(150 - accepted).toBeGreaterThanOrEqual(0)
  expect(150 - accepted).toBeLessThanOrEqual(40)
  expect(densest(times, 300)).toBeLessThanOrEqual(40)
})
