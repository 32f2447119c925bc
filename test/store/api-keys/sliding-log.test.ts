import fc from 'fast-check'
import { expect, test } from 'vitest'
import { slidingLog } from '../../../src/store/api-keys/sliding-log.ts'

const windows = [
  { ms: 1_000, most: 3 },
  { ms: 10_000, most: 8 },
]

test('accepts a request if and only if it fits every window, and returns the exact waiting time', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 1_500 }), { maxLength: 200 }), (steps) => {
      const log = slidingLog(windows)
      const taken: number[] = []
      let now = 1_000_000
      const fits = (at: number) =>
        windows.every(({ ms, most }) => taken.filter((before) => at - before <= ms).length < most)
      for (const step of steps) {
        now += step
        const wait = log.waitMs(now)
        expect(wait === 0).toBe(fits(now))
        if (wait > 0) expect([fits(now + wait - 1), fits(now + wait)]).toEqual([false, true])
        else taken.push(log.take(now))
      }
    }),
  )
})

test('a clock set back by hours delays requests by no more than the longest window', () => {
  const log = slidingLog(windows)
  for (let at = 0; at < 8; at++) log.take(50_000_000)
  const wait = log.waitMs(1_000_000)
  expect(wait).toBeGreaterThan(0)
  expect(wait).toBeLessThanOrEqual(10_001)
  expect(log.waitMs(1_000_000 + wait)).toBe(0)
})
