import { Chalk } from 'chalk'
import { expect, test } from 'vitest'
import { followList } from '../../../src/cli/output/watch-list.ts'
import type { Stream } from '../../../src/cli/terminal/io-types.ts'
import { unpainted } from '../../../src/cli/terminal/terminal-abilities.ts'
import { AppError } from '../../../src/domain/errors.ts'

type Row = { name: string; rate: string }
type Look = Row[] | Error

const columns = [
  { title: 'NAME', field: 'name', csv: {}, text: ({ name }: Row) => name },
  { title: 'RATE', field: 'rate', csv: {}, text: ({ rate }: Row) => rate, align: 'right' as const },
]

/** Follows a list whose successive reads return `looks`, and returns the output; the last read interrupts. */
async function followed(looks: readonly Look[], more: { json?: boolean; out?: Partial<Stream> } = {}) {
  const said = { out: '', err: '' }
  const interrupted = new AbortController()
  const stream = (name: 'out' | 'err'): Stream => ({
    write: (text) => {
      said[name] += text
    },
    isTerminal: false,
    columns: 80,
    paint: unpainted,
    ...(name === 'out' && more.out),
  })
  const left = [...looks]
  const look = async () => {
    const next = left.shift()!
    if (left.length === 0) interrupted.abort()
    if (next instanceof Error) throw next
    return { items: next, page: 1, limit: 10, total: next.length, hasMore: false }
  }
  const cli = {
    io: { out: stream('out'), err: stream('err'), canAsk: false },
    globals: { json: more.json === true, csv: false, raw: false },
    program: {
      now: () => Date.parse('2026-11-21T12:00:00Z'),
      interrupt: { signal: interrupted.signal },
      time: {
        left: () => undefined,
        follow: () => undefined,
        progress: { doing: () => undefined, done: () => undefined },
      },
    },
    notice: (line: string) => {
      said.err += `${line}\n`
    },
  }
  const ended = await followList(cli as never, look, {
    columns,
    empty: 'nothing',
    key: 'name',
    intervalMs: 1,
  }).then(
    () => undefined,
    (error: Error) => error,
  )
  return { ...said, ended }
}

const a = (rate: string) => ({ name: 'a', rate })
const b = (rate: string) => ({ name: 'b', rate })
const down = new AppError('SERVICE_UNREACHABLE', 'Nobody answers at \u001b[31mhost')

test('followList prints one line per change in a pipe, and nothing for an unchanged list', async () => {
  const { out, ended } = await followed([
    [a('1'), b('2')],
    [a('1'), b('2')],
    [a('3'), b('2')],
    [b('2')],
    [b('2')],
  ])
  expect(out).toBe(
    [
      '2026-11-21 12:00:00Z  a  rate 1',
      '2026-11-21 12:00:00Z  b  rate 2',
      '2026-11-21 12:00:00Z  a  rate 1 -> 3',
      '2026-11-21 12:00:00Z  a  removed from the list',
      '',
    ].join('\n'),
  )
  expect(ended).toMatchObject({ code: 'INTERRUPTED', message: 'The watch was stopped. It signed nothing.' })
})

test('followList with --json prints one document per line, for changed lists only', async () => {
  const { out } = await followed([[a('1')], [a('1')], [a('2')]], { json: true })
  const documents = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(documents.map(({ items }) => items)).toEqual([[a('1')], [a('2')]])
})

test('followList redraws a terminal from the upper left and marks changed values', async () => {
  const painted = { isTerminal: true, redraws: true, rows: 24, paint: new Chalk({ level: 1 }) }
  const screens = (
    await followed(
      [
        [a('1'), b('2')],
        [a('3'), b('2')],
      ],
      { out: painted },
    )
  ).out.split('\u001b[H\u001b[J')
  expect(screens).toHaveLength(3)
  expect(screens[1]).not.toContain('\u001b[7m')
  expect(screens[2]).toContain('\u001b[7m3\u001b[27m')
  expect(screens[2]!.match(/\u001b\[7m/g)).toHaveLength(1)
  const plain = await followed(
    [
      [a('1'), b('2')],
      [a('3'), b('2')],
    ],
    { out: { ...painted, paint: unpainted } },
  )
  expect(plain.out).toContain('*3')
  expect(plain.out).not.toContain('*2')
})

test('followList cuts a list to the screen and shows how many rows are left', async () => {
  const rows = Array.from({ length: 40 }, (_, at) => ({ name: `n${at}`, rate: '1' }))
  const { out } = await followed([rows, rows], { out: { isTerminal: true, redraws: true, rows: 12 } })
  const [, screen] = out.split('\u001b[H\u001b[J')
  expect(screen!.trimEnd().split('\n').length).toBeLessThan(12)
  expect(screen).toContain('32 more')
})

test('followList reports and retries an unreachable service, unless it is the first read; other errors end it', async () => {
  const { out, err } = await followed([[a('1')], down, [a('2')]])
  expect(out).toContain('rate 1 -> 2')
  expect(err).toMatch(/^Nobody answers at \[31mhost; retrying in 1s\n$/)
  const first = await followed([down, [a('2')]])
  expect(first).toMatchObject({ out: '', ended: down })
  const other = new AppError('UNKNOWN_NETWORK', 'There is no such network')
  expect((await followed([[a('1')], other, [a('2')]])).ended).toBe(other)
})

test('followList waits as long as a rate limit demands', async () => {
  const limited = new AppError('RATE_LIMITED', 'Too many', { details: { retryAfterSeconds: 0.3 } })
  const before = performance.now()
  const { out } = await followed([[a('1')], limited, [a('2')]])
  expect(performance.now() - before).toBeGreaterThanOrEqual(290)
  expect(out).toContain('rate 1 -> 2')
})
