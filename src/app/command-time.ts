import type { CommandTime, Timers } from '../cli/command-time-type.ts'
import type { Globals } from '../cli/options/global-options.ts'
import type { Io } from '../cli/terminal/io-types.ts'
import { progressDisplay } from '../cli/terminal/progress-display.ts'
import type { AppError } from '../domain/errors.ts'
import { displayNetwork } from '../domain/networks.ts'
import { currentWaits, type Waits } from '../http/waits.ts'
import { timeLimit } from './time-limit.ts'
import { explainedByTime, limitReachedError, type Unanswered } from './time-over-errors.ts'

/** The timers of this machine. */
export const systemTimers: Timers = {
  now: () => performance.now(),
  after: (ms, call) => {
    const timer = setTimeout(call, ms)
    return () => clearTimeout(timer)
  },
}

/**
 * How long a command may go on after its time is over, in ms: its requests end at once, so that it only prints what it has. Work that
 * waits for nothing is left then.
 */
const graceMs = 2_000

/** The time of a command with what `main` needs of it. */
export type RunningTime = CommandTime & {
  waits: Waits
  /** The result of the work; rejects some time after the limit. */
  bounded: <value>(work: Promise<value>) => Promise<value>
  /** Runs work that signs: its own time limit applies. Throws if the time is over already, so that nothing is signed late. */
  critical: <value>(work: () => Promise<value>) => Promise<value>
  /** Runs another command line, which has a progress and a limit of its own. */
  nested: <value>(work: () => Promise<value>) => Promise<value>
  /** A failure that the end of the time caused, as that; others unchanged. */
  explained: (error: AppError) => AppError
  /** Ends the timers and the progress. */
  end: () => void
}

/**
 * Makes the time of one command line. All commands pass through it: a command that says nothing else has 30 s for what it reads, and
 * `--timeout` counts everything but answers of a person and work at a signer, from the start of the process, which `sinceStart` (ms) tells. A command line inside another one also ends with that.
 */
export function commandTime({
  io,
  timers = systemTimers,
  sinceStart = () => 0,
}: {
  io: Io
  timers?: Timers | undefined
  sinceStart?: (() => number) | undefined
}): RunningTime {
  const outer = currentWaits()
  const display = progressDisplay(io, timers)
  const over = new AbortController()
  const isOver = () => over.signal.aborted
  const gaveUp = Promise.withResolvers<never>()
  gaveUp.promise.catch(() => undefined)
  const chainNames = new Set<string>()
  const nameOf = (host: string, chainId: number | undefined): string => {
    if (chainId === undefined) return host
    const name = `${displayNetwork([], chainId).name} at ${host}`
    chainNames.add(name)
    return name
  }
  const unanswered = (): Unanswered =>
    display.waiting().map((one) => ({ ...one, isService: !chainNames.has(one.name) }))
  let atEnd: Unanswered = []
  let cancelGrace: (() => void) | undefined
  const expire = () => {
    atEnd = unanswered()
    over.abort()
  }
  const limit = timeLimit(timers, () => {
    expire()
    cancelGrace = timers.after(graceMs, () => gaveUp.reject(overError()))
  })
  const overError = () => limitReachedError(limit.ms(), isOver() ? atEnd : unanswered())
  const onOuterEnd = () => {
    expire()
    limit.stop()
  }
  outer?.signal.addEventListener('abort', onOuterEnd, { once: true })

  let isEndless = false
  const waits: Waits = {
    begin: (host, chainId) => (isEndless ? () => undefined : display.begin(nameOf(host, chainId))),
    signal: over.signal,
    hold: () => {
      const releases = [outer?.hold(), limit.hold()]
      return () => {
        for (const release of releases) release?.()
      }
    },
    person: async (work) => {
      const release = waits.hold()
      const resume = display.pause()
      try {
        return await work()
      } finally {
        resume()
        release()
      }
    },
    long: async (what, work) => {
      const ended = display.during(what)
      try {
        return await limit.unlimited(work)
      } finally {
        ended()
      }
    },
    left: limit.left,
    isEndless: () => isEndless,
  }
  return {
    waits,
    progress: display,
    start: ({ timeoutMs, quiet }: Globals) => {
      // What the process took to load is time of its command line; one inside another has its own.
      limit.start(timeoutMs, outer ? 0 : sinceStart())
      display.start(quiet || outer?.isEndless() === true)
    },
    left: limit.left,
    long: waits.long,
    nested: async (work) => {
      const resume = display.pause()
      try {
        return await limit.unlimited(work)
      } finally {
        resume()
      }
    },
    follow: limit.stop,
    endless: () => {
      isEndless = true
      display.pause()
      limit.stop()
    },
    over: over.signal,
    overError,
    bounded: (work) => {
      work.catch(() => undefined)
      return Promise.race([work, gaveUp.promise])
    },
    critical: async (work) => {
      if (isOver()) throw overError()
      const releaseOuter = outer?.hold()
      try {
        return await limit.critical(work)
      } finally {
        releaseOuter?.()
      }
    },
    explained: (error) => (isOver() ? explainedByTime(error, limit.ms(), atEnd) : error),
    end: () => {
      limit.stop()
      cancelGrace?.()
      outer?.signal.removeEventListener('abort', onOuterEnd)
      display.end()
    },
  }
}
