import type { ProgressLine, Timers } from '../command-time-type.ts'
import { fittedFor, sanitizedFor } from '../output/document-writer.ts'
import type { Io, Stream } from './io-types.ts'
import { displayWidth } from './text-wrap.ts'

/** How long nothing is drawn, in ms: what is faster needs no words. */
const patienceMs = 300

/** The interval of the lines where nothing can be redrawn, in ms. A job runner takes minutes of silence for a dead job. */
const beatMs = 15_000

/** The progress on stderr: one line that moves on a terminal, and elsewhere a line every 15 s while something is waited for. */
export type ProgressDisplay = ProgressLine & {
  /** Notes that a name is waited for; the returned function ends it. A name without an answer keeps its start time. */
  begin: (name: string) => (isAnswered: boolean) => void
  /** The names without an answer and how long they are waited for, in ms; the longest first. */
  waiting: () => { name: string; ms: number }[]
  /** Shows work over what is shown now, until the returned function is called. */
  during: (text: string) => () => void
  /** Begins the regular lines. */
  start: (quiet: boolean) => void
  /** Draws nothing until the returned function is called. */
  pause: () => () => void
  /** Draws nothing any more. */
  end: () => void
}

/** How long something takes already, once that is worth a word: `12s`, `3m05s`, `1h02m`. */
export function elapsed(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  const minutes = Math.floor(seconds / 60)
  const two = (count: number) => String(count).padStart(2, '0')
  if (seconds < 1) return ''
  if (minutes < 1) return `${seconds}s`
  return minutes < 60
    ? `${minutes}m${two(seconds % 60)}s`
    : `${Math.floor(minutes / 60)}h${two(minutes % 60)}m`
}

/** Ends and begins the wrapping of lines that are longer than the terminal is wide (DECAWM of the VT100). */
const [wrapsOff, wrapsOn] = ['\u001b[?7l', '\u001b[?7h']

type Named = { open: number; since: number }
type Spinner = { start: () => unknown; stop: () => unknown; readonly isSpinning: boolean }

/** Makes the progress of a command. Nothing is drawn before `start`. */
export function progressDisplay(
  { err, drawOn }: Pick<Io, 'err' | 'drawOn'>,
  timers: Timers,
): ProgressDisplay {
  const names = new Map<string, Named>()
  let doing: { text: string; since: number } | undefined
  let isOn = false
  let pauses = 0
  let spinner: Spinner | undefined
  let isLoading = false
  let cancelPatience: (() => void) | undefined
  let cancelBeat: (() => void) | undefined
  let unwatch: (() => void) | undefined

  const waiting = () => {
    const open = [...names].filter(([, one]) => one.open > 0)
    return (open.length > 0 ? open : [...names])
      .map(([name, { since }]) => ({ name, ms: timers.now() - since }))
      .toSorted((a, b) => b.ms - a.ms)
  }
  const isBusy = () => doing !== undefined || names.size > 0
  const mayDraw = () => isOn && pauses === 0 && err.redraws === true

  /** What is drawn after the sign that moves. */
  const line = (): string => {
    const head = doing ? sanitizedFor(doing.text, err) : 'waiting for'
    const words = `${head} ${err.paint.dim(moving())}`
    // What fits never wraps, however narrow the window has become since it was measured: the next frame clears one row.
    return displayWidth(words) + 2 <= err.columns ? `${wrapsOff}${words}${wrapsOn}` : words
  }
  /** The moving part of the line, as long as it fits. */
  const moving = (): string => {
    if (doing) return elapsed(timers.now() - doing.since)
    const room = err.columns - 'x waiting for '.length - 2
    const text = list(waiting())
    return text.length <= room ? text : `${text.slice(0, Math.max(0, room - 3))}...`
  }
  const draw = (): void => {
    if (!mayDraw() || !isBusy()) return
    if (!spinner) return void load()
    unwatch ??= err.onResize?.(() => {
      // On no columns it would count lines without end, at its next turn.
      if (!err.redraws) spinner?.stop()
    })
    spinner.start()
  }
  const load = async (): Promise<void> => {
    if (isLoading) return
    isLoading = true
    spinner = await newSpinner({ err, ...(drawOn && { drawOn }) }, line)
    draw()
  }
  const halt = (): void => {
    cancelPatience?.()
    cancelPatience = undefined
    unwatch?.()
    unwatch = undefined
    spinner?.stop()
  }
  const soon = (): void => {
    if (!mayDraw() || spinner?.isSpinning || cancelPatience) return
    cancelPatience = timers.after(patienceMs, () => {
      cancelPatience = undefined
      draw()
    })
  }
  const beat = (): void => {
    cancelBeat = timers.after(beatMs, () => {
      if (pauses === 0 && isBusy() && !err.redraws) {
        const what = doing
          ? `${doing.text} ${elapsed(timers.now() - doing.since)}`
          : `waiting for ${list(waiting())}`
        err.write(`${fittedFor(`still ${/^[a-z]+ing\b/.test(what) ? '' : 'waiting: '}${what}`, err)}\n`)
      }
      beat()
    })
  }
  return {
    waiting,
    begin: (name) => {
      const known = names.get(name)
      if (known) known.open++
      else names.set(name, { open: 1, since: timers.now() })
      soon()
      return (isAnswered) => {
        const now = names.get(name)
        if (!now) return
        now.open--
        if (isAnswered) now.since = timers.now()
        // Without an answer it is probably asked again.
        if (isAnswered && now.open <= 0) names.delete(name)
        if (!isBusy()) halt()
      }
    },
    during: (text) => {
      const before = doing
      const own = { text, since: timers.now() }
      doing = own
      soon()
      return () => {
        if (doing === own) doing = before
        if (doing && spinner?.isSpinning) draw()
      }
    },
    start: (quiet) => {
      if (quiet || isOn) return
      isOn = true
      beat()
    },
    pause: () => {
      pauses++
      halt()
      let isPaused = true
      return () => {
        if (isPaused) pauses--
        isPaused = false
      }
    },
    end: () => {
      isOn = false
      cancelBeat?.()
      halt()
    },
    say: (line) => {
      halt()
      doing = undefined
      if (isOn) err.write(`${fittedFor(line, err)}\n`)
    },
    doing: (text) => {
      doing = { text, since: doing?.since ?? timers.now() }
      if (isOn) draw()
    },
    done: () => {
      doing = undefined
      halt()
    },
  }
}

const list = (waiting: readonly { name: string; ms: number }[]): string =>
  waiting.map(({ name, ms }) => `${name}${elapsed(ms) === '' ? '' : ` ${elapsed(ms)}`}`).join(', ')

async function newSpinner(
  { err, drawOn }: Pick<Io, 'drawOn'> & { err: Stream },
  line: () => string,
): Promise<Spinner> {
  const { default: ora } = await import('ora')
  const spinner = ora({
    ...(drawOn && { stream: drawOn }),
    discardStdin: false,
    isEnabled: true,
    // Called at the beginning of each frame, whose width decides how it is drawn.
    prefixText: () => {
      spinner.text = line()
      return ''
    },
    ...(err.ascii && { spinner: { interval: 130, frames: ['-', '\\', '|', '/'] } }),
    color: err.paint.level === 0 ? (false as never) : 'cyan',
  })
  return spinner
}
