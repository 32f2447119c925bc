import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { msSince } from '../../../src/diagnosis/instant.ts'
import { momentText, spanText } from '../../../src/domain/text/time-spans.ts'

const minute = 60_000
const day = 1_440 * minute

test.for([
  [0, '0 seconds'],
  [1_000, '1 second'],
  [90_000, '90 seconds'],
  [20 * minute, '20 minutes'],
  [60 * minute, '60 minutes'],
  [2_880 * minute, '2 days'],
  [34 * day, '34 days'],
  [day, '24 hours'],
] as const)('%i ms are %s', ([ms, text]) => {
  expect(spanText(ms)).toBe(text)
})

test.for([
  [121, '2 minutes', '2 minutes'],
  [150, '150 seconds', '150 seconds'],
  [290, '5 minutes', '290 seconds'],
  [340, '6 minutes', '340 seconds'],
  [3_601, '60 minutes', '60 minutes'],
  [60 * 3_600, '60 hours', '60 hours'],
] as const)('a wait of %i s is %s, and a remaining time of the same length %s', ([seconds, wait, left]) => {
  expect(spanText(1_000 * seconds, Math.ceil)).toBe(wait)
  expect(spanText(1_000 * seconds, Math.floor)).toBe(left)
})

test('no time in words differs from the time by more than a tenth, and no wait is shorter by more than a twentieth', () => {
  const sizes = { second: 1, minute: 60, hour: 3_600, day: 86_400 }
  const secondsOf = (text: string) => {
    const [, count, unit] = /^(\d+) (second|minute|hour|day)s?$/.exec(text)!
    return Number(count) * sizes[unit as keyof typeof sizes]
  }
  for (let seconds = 1; seconds < 400_000; seconds += 1 + Math.floor(seconds / 97)) {
    for (const round of [Math.round, Math.ceil, Math.floor])
      expect(Math.abs(secondsOf(spanText(1_000 * seconds, round)) - seconds)).toBeLessThanOrEqual(
        seconds / 10,
      )
    expect(secondsOf(spanText(1_000 * seconds, Math.ceil))).toBeGreaterThanOrEqual(seconds * 0.95)
    expect(secondsOf(spanText(1_000 * seconds, Math.floor))).toBeLessThanOrEqual(seconds * 1.05)
  }
})

test('a time is written in UTC, to the second', () => {
  expect(momentText(Date.UTC(2026, 10, 29, 12, 0, 5, 250))).toBe('2026-11-29 12:00:05Z')
})

describe('a chain 34 days ahead of this machine', () => {
  const now = { machine: 1_000 * day, chain: 1_034 * day }

  test('does not age what this machine recorded a second ago', () => {
    expect(msSince({ clock: 'machine', at: now.machine - 1_000 }, now)).toBe(1_000)
  })

  test('ages a block by its own clock', () => {
    expect(msSince({ clock: 'chain', at: now.chain - 2 * day }, now)).toBe(2 * day)
  })
})

test('no other file of src writes a measured duration, or a time as ISO 8601, into a sentence', () => {
  const root = join(import.meta.dirname, '../../../src')
  const found = globSync('**/*.ts', { cwd: root })
    .filter((file) => !file.endsWith('text/time-spans.ts') && !/^(sandbox|app.sandbox-daemon)/.test(file))
    .flatMap((file) =>
      readFileSync(join(root, file), 'utf8')
        .split('\n')
        .filter((line) => /\$\{[^}]*\} (min|minutes|hours|h)\b|\$\{[^}]*toISOString\(\)\}/.test(line))
        .map((line) => `${file}: ${line.trim()}`),
    )
  expect(found).toEqual([])
})
