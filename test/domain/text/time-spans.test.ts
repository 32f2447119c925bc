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

test('a wait of 3,601 s is rounded up to 61 minutes, and a remaining time is rounded down to 60', () => {
  expect(spanText(3_601_000, Math.ceil)).toBe('61 minutes')
  expect(spanText(3_659_000, Math.floor)).toBe('60 minutes')
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
