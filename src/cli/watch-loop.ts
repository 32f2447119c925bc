import { setTimeout as sleep } from 'node:timers/promises'
import { AppError, errorRow } from '../domain/errors.ts'
import { plain } from '../domain/text.ts'
import { mostTimerMs } from '../domain/timers.ts'
import { chosen, toJson } from './output/output.ts'
import type { View } from './terminal/stream.ts'
import type { Cli } from './world.ts'

/** `again` is the command that goes on with it. */
type Watch<value> = {
  isOver: (value: value) => boolean
  view: View<value>
  intervalMs: number
  again: () => string
}

/**
 * Looks at something until it is over, and prints it whenever it changed: a document a line with `--json`, else in words. Gives back the
 * last look; PENDING where the time is over before, or nobody reads it any more.
 */
export const observe = <value>(cli: Cli, look: () => Promise<value>, watch: Watch<value>): Promise<value> =>
  whileRead(
    cli,
    (signal) => observing(cli, look, watch, signal),
    async () => {
      throw new AppError('PENDING', 'The output of the watch is closed, and the action is not finished', {
        hint: watch.again(),
      })
    },
  )

async function observing<value>(
  cli: Cli,
  look: () => Promise<value>,
  { isOver, view, intervalMs, again }: Watch<value>,
  signal: AbortSignal,
): Promise<value> {
  const until = performance.now() + (cli.globals.timeoutMs ?? 30 * 60_000)
  let shown = ''
  let last: value | undefined
  for (;;) {
    let now: value
    try {
      now = await unlessEnded(look(), signal)
    } catch (error) {
      const left = until - performance.now()
      const waitMs = Math.min(limitMs(error) ?? 0, left)
      if (waitMs <= 0)
        throw last !== undefined && limitMs(error) !== undefined ? notYet(last, again()) : error
      cli.notice(nextLook(error as AppError, waitMs))
      await pause(waitMs, signal)
      continue
    }
    last = now
    const line = toJson(chosen(cli.globals, now), false)
    if (line !== shown) {
      shown = line
      if (cli.globals.json) cli.io.out.write(`${line}\n`)
      else cli.emit(now, view)
    }
    if (isOver(now)) return now
    if (performance.now() + intervalMs > until) throw notYet(now, again())
    await pause(intervalMs, signal)
  }
}

/**
 * Looks at something again and again until the time of `--timeout` is over, the person interrupts, or nobody reads it any more. The first look must succeed; of
 * those after it, one that the service or a chain fails is told and the next one tried. A limit of requests is waited for, also before the first.
 */
export const keepLooking = <value>(
  cli: Cli,
  look: () => Promise<value>,
  shown: { show: (value: value) => void; intervalMs: number },
): Promise<void> =>
  whileRead(
    cli,
    (signal) => looking(cli, look, shown, signal),
    () => undefined,
  )

async function looking<value>(
  { globals, notice }: Cli,
  look: () => Promise<value>,
  { show, intervalMs }: { show: (value: value) => void; intervalMs: number },
  signal: AbortSignal,
): Promise<void> {
  const until = globals.timeoutMs === undefined ? Infinity : performance.now() + globals.timeoutMs
  let shown = false
  for (;;) {
    let waitMs = intervalMs
    try {
      show(await unlessEnded(look(), signal))
      shown = true
    } catch (error) {
      const limited = limitMs(error)
      const isPassing = error instanceof AppError && (shown ? mayPass(error) : limited !== undefined)
      if (!isPassing || (!shown && performance.now() >= until)) throw error
      waitMs = Math.max(intervalMs, limited ?? 0)
      if (!shown) waitMs = Math.min(waitMs, until - performance.now())
      notice(nextLook(error, waitMs))
    }
    if (shown && performance.now() + waitMs > until) return
    await pause(waitMs, signal)
  }
}

/** Does what only watches, which ends as `left` says once nobody reads what is written: it goes on for nobody. */
async function whileRead<value>(
  { world: { interrupt }, io: { out } }: Cli,
  work: (signal: AbortSignal) => Promise<value>,
  left: () => value | Promise<value>,
): Promise<value> {
  const { unread } = out
  if (!unread) return work(interrupt.signal)
  try {
    return await work(AbortSignal.any([interrupt.signal, unread]))
  } catch (error) {
    const isLeft = error instanceof AppError && error.code === 'INTERRUPTED' && unread.aborted
    if (isLeft && !interrupt.signal.aborted) return left()
    throw error
  }
}

/** Who only watches ends that when he likes, and nothing is wrong then. */
const ended = (cause?: unknown): AppError =>
  new AppError('INTERRUPTED', 'The watch was stopped. It signed nothing.', {
    cause,
    hint: 'To watch again, run the same command.',
  })

/** What a look gives, unless the person ends the watch before. */
async function unlessEnded<value>(look: Promise<value>, signal: AbortSignal): Promise<value> {
  const done = new AbortController()
  const end = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(ended()), { once: true, signal: done.signal })
  })
  try {
    return await Promise.race([look, end])
  } finally {
    done.abort()
  }
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(Math.min(ms, mostTimerMs), undefined, { signal }).catch((cause: unknown) => {
    throw signal.aborted ? ended(cause) : cause
  })

/** Whether what went wrong is the service's or a chain's: it may be over by the next look. */
const mayPass = ({ code }: AppError): boolean => [5, 6, 7].includes(errorRow(code).exit)

const nextLook = ({ message }: AppError, ms: number): string =>
  `${plain(message)}; retrying in ${Math.ceil(ms / 1000)}s`

const notYet = (last: unknown, hint: string): AppError =>
  new AppError('PENDING', 'The action is not finished', { details: { last: last as never }, hint })

/** A service may be well again long before it said: so long, in ms, at most, nobody looks. */
const mostLimitMs = 5 * 60_000

/** How long to wait for a limit of requests, in ms: who only watches does. */
const limitMs = (error: unknown): number | undefined =>
  error instanceof AppError && error.code === 'RATE_LIMITED'
    ? Math.min(mostLimitMs, Number(error.details?.retryAfterSeconds) * 1000)
    : undefined
