import type { CommandTime, Timers } from '../cli/command-time-type.ts'
import type { Globals } from '../cli/options/global-options.ts'
import type { Io } from '../cli/terminal/io-types.ts'
import { elapsed, progressDisplay } from '../cli/terminal/progress-display.ts'
import { AppError, errorRow, impliesUnsigned } from '../domain/errors.ts'
import { displayNetwork } from '../domain/networks.ts'
import { advice, bothAdvices, sameWith, sluice } from '../domain/text/next-step.ts'
import { spanText } from '../domain/text/time-spans.ts'
import { maxTimerMs } from '../domain/timer-limit.ts'
import { currentWaits, timeOverFault, type Waits } from '../http/waits.ts'

/** The timers of this machine. */
export const systemTimers: Timers = {
  now: () => performance.now(),
  after: (ms, call) => {
    const timer = setTimeout(call, ms)
    return () => clearTimeout(timer)
  },
}

/** The time limit of a command without `--timeout`, in ms, for all that it reads. */
const readsMs = 30_000

/**
 * How long a command may go on after its time is over, in ms: its requests end at once, so that it only prints what it has. Work that
 * waits for nothing is left then.
 */
const graceMs = 2_000

/** The least time to report what was signed, in ms. */
const reportMs = 5_000

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
  explained: (error: unknown) => unknown
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
  let explicitMs: number | undefined
  let leftMs = Number.POSITIVE_INFINITY
  let since: number | undefined
  let cancel: (() => void) | undefined
  let cancelGrace: (() => void) | undefined
  let holds = 0
  let longs = 0
  let isFollowing = false
  let isEndless = false
  let silentAtEnd: { name: string; ms: number }[] = []
  let giveUp: (error: Error) => void = () => undefined
  const ended = new Promise<never>((_, reject) => {
    giveUp = reject
  })
  ended.catch(() => undefined)

  const isOver = () => over.signal.aborted
  /** Counts the time so far, and goes on counting if something is limited now. */
  const count = (): void => {
    cancel?.()
    if (since !== undefined) leftMs -= timers.now() - since
    since = undefined
    const isHeld = holds > 0 || isFollowing || isEndless || (longs > 0 && explicitMs === undefined)
    if (isHeld || isOver() || leftMs === Number.POSITIVE_INFINITY) return
    since = timers.now()
    cancel = timers.after(Math.min(Math.max(0, leftMs), maxTimerMs), () => {
      if (since !== undefined && leftMs - (timers.now() - since) > 0) count()
      else expire()
    })
  }
  const expire = (): void => {
    silentAtEnd = display.waiting()
    over.abort()
    cancelGrace = timers.after(graceMs, () => giveUp(overError()))
  }
  const onOuterEnd = () => {
    silentAtEnd = display.waiting()
    over.abort()
  }
  outer?.signal.addEventListener('abort', onOuterEnd, { once: true })

  const limitMs = () => explicitMs ?? readsMs
  const overError = (cause?: AppError): AppError => {
    const silent = isOver() ? silentAtEnd : display.waiting()
    const who = silent
      .slice(0, 3)
      .map(({ name, ms }) => `${name}${elapsed(ms) === '' ? '' : ` (${elapsed(ms)})`}`)
    const more = silent.length > 3 ? ` and ${silent.length - 3} more` : ''
    const what = who.length > 0 ? `: no answer from ${who.join(', ')}${more}` : ''
    const isService = silent[0] !== undefined && !chainNames.has(silent[0].name)
    return new AppError(
      isService ? 'SERVICE_UNREACHABLE' : 'RPC_UNREACHABLE',
      `The time limit of ${inWords(limitMs())} was reached${what}`,
      {
        details: {
          ...cause?.details,
          fault: timeOverFault,
          timeoutMs: limitMs(),
          unanswered: silent.map(({ name, ms }) => ({ name, waitedMs: Math.round(ms) })),
        },
        next: advice`To see what answers: ${sluice('doctor')}. Or allow more time: ${sameWith({ '--timeout': moreThan(limitMs()) })}`,
        cause,
      },
    )
  }
  /** A failure that says more than who did not answer, such as that nothing was saved: its words and its hint stay. */
  const alsoOver = (error: AppError): AppError => {
    const over = overError(error)
    const isKept = [6, 7].includes(errorRow(error.code).exit)
    return new AppError(
      isKept ? error.code : over.code,
      `The time limit of ${inWords(limitMs())} was reached. ${error.message}`,
      {
        details: over.details ?? {},
        next:
          isKept && error.next !== undefined
            ? bothAdvices(
                error.next,
                advice`Or allow more time: ${sameWith({ '--timeout': moreThan(limitMs()) })}`,
              )
            : (over.next ?? ''),
        cause: error,
      },
    )
  }
  const chainNames = new Set<string>()
  const nameOf = (host: string, chainId: number | undefined): string => {
    if (chainId === undefined) return host
    const name = `${displayNetwork([], chainId).name} at ${host}`
    chainNames.add(name)
    return name
  }
  const hold = (): (() => void) => {
    const releaseOuter = outer?.hold()
    holds++
    count()
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      holds--
      count()
      releaseOuter?.()
    }
  }
  /** Runs work that is no read: without `--timeout`, the time of reads begins anew after it. */
  const unlimited = async <value>(work: () => Promise<value>): Promise<value> => {
    longs++
    count()
    try {
      return await work()
    } finally {
      longs--
      if (explicitMs === undefined && longs === 0) leftMs = readsMs
      count()
    }
  }
  const left = (): number | undefined => {
    if (explicitMs === undefined) return undefined
    return leftMs - (since === undefined ? 0 : timers.now() - since)
  }
  const waits: Waits = {
    begin: (host, chainId) => (isEndless ? () => undefined : display.begin(nameOf(host, chainId))),
    signal: over.signal,
    hold,
    person: async (work) => {
      const release = hold()
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
        return await unlimited(work)
      } finally {
        ended()
      }
    },
    left,
    isEndless: () => isEndless,
  }
  return {
    waits,
    progress: display,
    start: ({ timeoutMs, quiet }: Globals) => {
      explicitMs = timeoutMs
      // What the process took to load is time of its command line; one inside another has its own.
      leftMs = limitMs() - (outer ? 0 : sinceStart())
      display.start(quiet || outer?.isEndless() === true)
      count()
    },
    left,
    long: waits.long,
    nested: async (work) => {
      const resume = display.pause()
      try {
        return await unlimited(work)
      } finally {
        resume()
      }
    },
    follow: () => {
      isFollowing = true
      count()
    },
    endless: () => {
      isEndless = true
      display.pause()
      count()
    },
    over: over.signal,
    overError,
    bounded: (work) => {
      work.catch(() => undefined)
      return Promise.race([work, ended])
    },
    critical: async (work) => {
      if (isOver()) throw overError()
      const began = timers.now()
      const release = hold()
      try {
        return await work()
      } finally {
        leftMs = explicitMs === undefined ? readsMs : Math.max(reportMs, leftMs - (timers.now() - began))
        release()
      }
    },
    explained: (error) => {
      if (!isOver() || !(error instanceof AppError)) return error
      const { exit } = errorRow(error.code)
      const isCaused =
        (exit === 6 || exit === 7 || isWithoutQuote(error)) && error.code !== 'WRITE_UNCONFIRMED'
      if (!isCaused || !impliesUnsigned(error.code)) return error
      return error.details?.fault === timeOverFault ? overError(error) : alsoOver(error)
    },
    end: () => {
      cancel?.()
      cancelGrace?.()
      outer?.signal.removeEventListener('abort', onOuterEnd)
      display.end()
    },
  }
}

/** Whether no provider gave a quote, which they may not have had the time for. */
const isWithoutQuote = ({ code }: AppError): boolean =>
  ['NO_ROUTE_FOUND', 'QUOTE_GENERATION_FAILED', 'PREFERRED_PROVIDER_QUOTE_UNAVAILABLE'].includes(code)

/** `1.5 s`, `30 s`, `5 minutes`. */
const inWords = (ms: number): string => (ms < 60_000 ? `${ms / 1000} s` : spanText(ms))

/** A limit of at least twice this time, as it is typed. */
const moreThan = (ms: number): string =>
  ['1m', '2m', '10m', '1h', '1d'].find((_, at) => [60, 120, 600, 3600, 86_400][at]! * 1000 >= 2 * ms) ?? '2d'
