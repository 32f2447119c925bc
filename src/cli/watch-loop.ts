import { setTimeout as sleep } from 'node:timers/promises'
import type { Announcements } from '../api/announcements-type.ts'
import { AppError, errorRow } from '../domain/errors.ts'
import type { Next } from '../domain/text/next-step.ts'
import { sanitizeText } from '../domain/text/terminal-sanitizing.ts'
import { maxTimerMs } from '../domain/timer-limit.ts'
import type { Cli } from './command-run-types.ts'
import { toJson, writeDocument, written } from './output/document-writer.ts'
import { selectFields } from './output/output.ts'
import type { View } from './output/view-types.ts'

/**
 * `again` is the command that continues watching, `what` the text of the progress. `announced` opens what the service announces of a state that
 * only the service knows.
 */
type Watch<value> = {
  what: string
  isOver: (value: value) => boolean
  view: View<value>
  intervalMs: number
  again: () => Next
  announced?: (value: value) => Promise<Announcements> | undefined
}

/** How long a watch waits between reads while changes are announced, in ms: an announcement that is lost costs this much. */
const announcedMs = 60_000

/**
 * Watches until `isOver` and prints each change: a document per line with `--json`, else words. Returns
 * the last state; PENDING if the time is over or the output has no reader.
 */
export const watchUntil = <value>(
  cli: Cli,
  look: () => Promise<value>,
  watch: Watch<value>,
): Promise<value> =>
  whileRead(
    cli,
    watch.what,
    (signal) => watching(cli, look, watch, signal),
    async () => {
      throw new AppError('PENDING', 'The output of the watch is closed, and the action is not finished', {
        next: watch.again(),
      })
    },
  )

async function watching<value>(
  cli: Cli,
  look: () => Promise<value>,
  watch: Watch<value>,
  signal: AbortSignal,
): Promise<value> {
  let open: Promise<Announcements> | undefined
  const announced = (now: value) => (open ??= watch.announced?.(now))
  try {
    return await stateAtEnd(cli, look, { ...watch, announced }, signal)
  } finally {
    void open?.then(({ close }) => close())
  }
}

async function stateAtEnd<value>(
  cli: Cli,
  look: () => Promise<value>,
  { isOver, view, intervalMs, again, announced }: Watch<value>,
  signal: AbortSignal,
): Promise<value> {
  const { time } = cli.program
  const until = performance.now() + (time.left() ?? 30 * 60_000)
  time.follow()
  let shown = ''
  let last: value | undefined
  for (;;) {
    let now: value
    try {
      now = await unlessEnded(look(), signal, timeOfLook(last === undefined, until), () =>
        last === undefined ? time.overError() : notYet(last, again()),
      )
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
    const document = selectFields(cli.globals, now)
    const line = toJson(document, false)
    if (line !== shown) {
      shown = line
      if (cli.globals.json) writeDocument(cli.io, document, { ...cli.globals, isLine: true })
      else cli.emit(now, view)
      await written(cli.globals)
    }
    if (isOver(now)) return now
    if (performance.now() + intervalMs > until) throw notYet(now, again())
    const announcements = await announced?.(now)
    await pause(intervalMs, signal)
    if (!announcements?.areLive()) continue
    await announcements.wait(Math.min(announcedMs, until - performance.now()), signal)
    if (signal.aborted) throw ended(signal.reason)
    if (performance.now() >= until) throw notYet(now, again())
  }
}

/**
 * Yields states until `--timeout`, an interruption, or the output has no reader. The first read must
 * succeed; a later failure of the service or a chain is reported and retried. Rate limits are waited
 * for.
 */
export const watchContinuously = <value>(
  cli: Cli,
  look: () => Promise<value>,
  shown: { show: (value: value) => void; intervalMs: number },
): Promise<void> =>
  whileRead(
    cli,
    // A list that is redrawn shows itself.
    cli.io.err.redraws ? undefined : 'watching the list',
    (signal) => looking(cli, look, shown, signal),
    () => undefined,
  )

async function looking<value>(
  { program: { time }, notice, globals }: Cli,
  look: () => Promise<value>,
  { show, intervalMs }: { show: (value: value) => void; intervalMs: number },
  signal: AbortSignal,
): Promise<void> {
  const leftMs = time.left()
  const until = leftMs === undefined ? Infinity : performance.now() + leftMs
  time.follow()
  let shown = false
  for (;;) {
    let waitMs = intervalMs
    try {
      const now = await unlessEnded(look(), signal, timeOfLook(!shown, until), () => time.overError())
      show(now)
      await written(globals)
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

/** Runs a watch that ends as `left` says once the output has no reader. */
async function whileRead<value>(
  { program: { interrupt, time }, io: { out } }: Cli,
  what: string | undefined,
  work: (signal: AbortSignal) => Promise<value>,
  left: () => value | Promise<value>,
): Promise<value> {
  const { unread } = out
  if (what !== undefined) time.progress.doing(what)
  try {
    return await work(unread ? AbortSignal.any([interrupt.signal, unread]) : interrupt.signal)
  } catch (error) {
    const isLeft = error instanceof AppError && error.code === 'INTERRUPTED' && unread?.aborted
    if (isLeft && !interrupt.signal.aborted) return await left()
    throw error
  } finally {
    time.progress.done()
  }
}

/** Ending a watch is not an error. */
const ended = (cause?: unknown): AppError =>
  new AppError('INTERRUPTED', 'The watch was stopped. It signed nothing.', {
    cause,
    next: 'To watch again, run the same command.',
  })

/** The least time of the first look, in ms: a watch reads at least once. */
const firstLookMs = 2_000

/** How long a look may take, in ms; `until` is monotonic. */
const timeOfLook = (isFirst: boolean, until: number): number =>
  Math.max(isFirst ? firstLookMs : 0, until - performance.now())

/** The state, unless the person ends the watch first, or the time left (ms) is over: then the error of `late`. */
async function unlessEnded<value>(
  look: Promise<value>,
  signal: AbortSignal,
  leftMs: number,
  late: () => Error,
): Promise<value> {
  const done = new AbortController()
  const end = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(ended()), { once: true, signal: done.signal })
  })
  const over = sleep(Math.min(Math.max(0, leftMs), maxTimerMs), undefined, { signal: done.signal }).then(() =>
    Promise.reject(late()),
  )
  look.catch(() => undefined)
  over.catch(() => undefined)
  try {
    return await Promise.race([look, end, over])
  } finally {
    done.abort()
  }
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(Math.min(ms, maxTimerMs), undefined, { signal }).catch((cause: unknown) => {
    throw signal.aborted ? ended(cause) : cause
  })

/** Whether a failure is the service's or a chain's, and so may be gone at the next read. */
const mayPass = ({ code }: AppError): boolean => [5, 6, 7].includes(errorRow(code).exit)

const nextLook = ({ message }: AppError, ms: number): string =>
  `${sanitizeText(message)}; retrying in ${Math.ceil(ms / 1000)}s`

const notYet = (last: unknown, next: Next): AppError =>
  new AppError('PENDING', 'The action is not finished', { details: { last: last as never }, next })

/** The longest pause between reads, in ms, whatever a service asks for. */
const mostLimitMs = 5 * 60_000

/** How long to wait for a rate limit, in ms. */
const limitMs = (error: unknown): number | undefined =>
  error instanceof AppError && error.code === 'RATE_LIMITED'
    ? Math.min(mostLimitMs, Number(error.details?.retryAfterSeconds) * 1000)
    : undefined
