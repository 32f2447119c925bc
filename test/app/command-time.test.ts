import { Chalk } from 'chalk'
import { expect, test } from 'vitest'
import { commandTime } from '../../src/app/command-time.ts'
import type { Globals } from '../../src/cli/options/global-options.ts'
import type { Io } from '../../src/cli/terminal/io-types.ts'
import { AppError } from '../../src/domain/errors.ts'
import { timeOverError, withWaits } from '../../src/http/waits.ts'
import { drivenTimers } from '../support/driven-timers.ts'

const globals = { quiet: false } as Globals

/** A command of which nothing but the time is there, without a terminal. */
function started(given: Partial<Globals> = {}, loadedMs?: number) {
  const timers = drivenTimers()
  const lines: string[] = []
  const stream = {
    write: (text: string) => void lines.push(text),
    isTerminal: false,
    columns: 80,
    paint: new Chalk({ level: 0 }),
  }
  const io: Io = { out: stream, err: stream, canAsk: false }
  const time = commandTime({ io, timers, ...(loadedMs !== undefined && { sinceStart: () => loadedMs }) })
  time.start({ ...globals, ...given })
  return { time, timers, lines, io, isOver: () => time.waits.signal.aborted }
}
const never = () => new Promise<never>(() => undefined)

test('a command has 30 s for its reads, and the time of --timeout with it', () => {
  for (const [given, ms] of [
    [{}, 30_000],
    [{ timeoutMs: 3_000 }, 3_000],
  ] as const) {
    const { timers, isOver } = started(given)
    timers.advance(ms - 1)
    expect(isOver()).toBe(false)
    timers.advance(1)
    expect(isOver()).toBe(true)
  }
})

test('the time that the process took to start counts, for --timeout and for the reads', () => {
  for (const [given, ms] of [
    [{}, 30_000],
    [{ timeoutMs: 3_000 }, 3_000],
  ] as const) {
    const { timers, isOver } = started(given, 1_200)
    timers.advance(ms - 1_201)
    expect(isOver()).toBe(false)
    timers.advance(1)
    expect(isOver()).toBe(true)
  }
  // A start that took longer than the limit leaves no time at all.
  const { timers, isOver } = started({ timeoutMs: 1_000 }, 1_200)
  timers.advance(0)
  expect(isOver()).toBe(true)
})

test('a command line inside another one has its whole time, however long ago the process started', () => {
  const outer = started()
  const inner = withWaits(outer.time.waits, () =>
    commandTime({ io: outer.io, timers: outer.timers, sinceStart: () => 3_600_000 }),
  )
  inner.start({ ...globals, timeoutMs: 1_000 })
  expect(inner.left()).toBe(1_000)
})

test('answers of a person and work at a signer count for no limit, even with --timeout', async () => {
  for (const kind of ['person', 'hold'] as const) {
    const { time, timers, isOver } = started({ timeoutMs: 3_000 })
    timers.advance(2_000)
    const release = time.waits.hold()
    if (kind === 'person') void time.waits.person(never)
    timers.advance(3_600_000)
    if (kind === 'hold') {
      release()
      expect(time.left()).toBe(1_000)
      timers.advance(1_000)
    }
    expect(isOver()).toBe(kind === 'hold')
  }
})

test('work that is no read counts for --timeout only', () => {
  for (const [given, isEnded] of [
    [{}, false],
    [{ timeoutMs: 60_000 }, true],
  ] as const) {
    const { time, timers, isOver } = started(given)
    void time.waits.long('starting the sandbox', never)
    timers.advance(60_000)
    expect(isOver()).toBe(isEnded)
  }
})

test('what signs has its own limit, does not begin when the time is over, and leaves 5 s for the report', async () => {
  const { time, timers, isOver } = started({ timeoutMs: 3_000 })
  timers.advance(1_000)
  let end = () => {}
  const signing = time.critical(
    () =>
      new Promise<void>((done) => {
        end = done
      }),
  )
  expect(time.left()).toBe(2_000)
  timers.advance(600_000)
  expect(isOver()).toBe(false)
  end()
  await signing
  timers.advance(4_999)
  expect(isOver()).toBe(false)
  timers.advance(1)
  await expect(time.critical(async () => 'signed')).rejects.toMatchObject({ code: 'RPC_UNREACHABLE' })
})

test('a command line inside another one ends with it, and a signature inside stops the clock of both', async () => {
  const outer = started({ timeoutMs: 10_000 })
  const inner = withWaits(outer.time.waits, () => commandTime({ io: outer.io, timers: outer.timers }))
  inner.start(globals)
  let end = () => {}
  const signing = inner.critical(
    () =>
      new Promise<void>((done) => {
        end = done
      }),
  )
  outer.timers.advance(60_000)
  expect([outer.isOver(), inner.waits.signal.aborted]).toEqual([false, false])
  end()
  await signing
  outer.timers.advance(10_000)
  expect([outer.isOver(), inner.waits.signal.aborted]).toEqual([true, true])
})

test('the error names what did not answer and a longer --timeout; work that waits for nothing is left 2 s later', async () => {
  const { time, timers } = started({ timeoutMs: 3_000 })
  time.waits.begin('node.example', 8453)(true)
  time.waits.begin('node.example', 8453)
  timers.advance(500)
  time.waits.begin('api.example', undefined)
  const bounded = time.bounded(never())
  timers.advance(2_500)
  const thrown = time.explained(timeOverError('api.example'))
  timers.advance(2_000)
  for (const error of [thrown, await bounded.catch((cause: unknown) => cause)])
    expect(error).toMatchObject({
      code: 'RPC_UNREACHABLE',
      message:
        'The time limit of 3 s was reached: no answer from base at node.example (3s), api.example (2s)',
      hint: 'To see what answers: sluice doctor. Or allow more time: --timeout 1m',
      details: {
        fault: 'time over',
        timeoutMs: 3_000,
        unanswered: [
          { name: 'base at node.example', waitedMs: 3_000 },
          { name: 'api.example', waitedMs: 2_500 },
        ],
      },
    })
  const unsaved = new AppError('RPC_UNREACHABLE', 'Nothing was saved.', { next: 'To save it: --yes.' })
  expect(time.explained(unsaved)).toMatchObject({
    code: 'RPC_UNREACHABLE',
    message: 'The time limit of 3 s was reached. Nothing was saved.',
    hint: 'To save it: --yes. Or allow more time: --timeout 1m',
  })
  // What the end of the time did not cause stays.
  const other = new AppError('WALLET_BUSY', 'busy')
  expect(time.explained(other)).toBe(other)
})

test('without a terminal a line every 15 s says what is waited for, unless --quiet or at the end', () => {
  const { time, timers, lines } = started()
  timers.advance(15_000)
  expect(lines).toEqual([])
  const first = time.waits.begin('node.example', 8453)
  timers.advance(15_000)
  first(true)
  time.follow()
  time.progress.doing('waiting for the bridge to deliver the funds on base')
  timers.advance(3_600_000)
  time.progress.done()
  timers.advance(60_000)
  expect(lines).toHaveLength(241)
  expect([lines[0], lines[4], lines.at(-1)]).toEqual([
    'still waiting for base at node.example 15s\n',
    'still waiting for the bridge to deliver the funds on base 1m00s\n',
    'still waiting for the bridge to deliver the funds on base 1h00m\n',
  ])
  const quiet = started({ quiet: true })
  quiet.time.waits.begin('node.example', 8453)
  quiet.time.follow()
  quiet.timers.advance(3_600_000)
  quiet.time.progress.say('arrived')
  expect(quiet.lines).toEqual([])
  const endless = started()
  endless.time.endless()
  endless.time.waits.begin('node.example', 8453)
  endless.timers.advance(3_600_000)
  expect([endless.lines, endless.isOver()]).toEqual([[], false])
  time.end()
})

test('the time of reads begins anew after work that is no read, and --timeout goes on', async () => {
  for (const [given, isEnded] of [
    [{}, false],
    [{ timeoutMs: 30_000 }, true],
  ] as const) {
    const { time, timers, isOver } = started(given)
    timers.advance(20_000)
    await time.waits.long('starting the sandbox', async () => undefined)
    timers.advance(29_000)
    expect(isOver()).toBe(isEnded)
  }
})

test('a write that may be applied keeps its error after the time is over', () => {
  const { time, timers } = started({ timeoutMs: 1_000 })
  timers.advance(1_000)
  const unconfirmed = new AppError('WRITE_UNCONFIRMED', 'The webhook may be there')
  expect(time.explained(unconfirmed)).toBe(unconfirmed)
  expect(time.explained(new AppError('RPC_UNREACHABLE', 'No answer'))).toMatchObject({
    message: 'The time limit of 1 s was reached. No answer',
  })
})
