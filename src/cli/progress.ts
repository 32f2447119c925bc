import { shown } from './output.ts'
import type { Io } from './terminal/io.ts'

/** What goes on, said on stderr: finished lines stay, the current one moves on a terminal and is left out elsewhere. */
export type Teller = {
  /** A line that stays. */
  say: (line: string) => void
  /** What is being done now; on a terminal it turns until the next word. */
  doing: (line: string) => void
  /** Nothing is being done any more. */
  done: () => void
}

/** Tells on stderr; `quiet` says nothing at all. */
export async function teller({ err, drawOn }: Io, quiet: boolean): Promise<Teller> {
  if (quiet) return { say: () => undefined, doing: () => undefined, done: () => undefined }
  const say = (line: string) => err.write(`${shown(line, err)}\n`)
  if (!err.redraws) return { say, doing: () => undefined, done: () => undefined }
  const { default: ora } = await import('ora')
  let since = 0
  const spinner = ora({
    ...(drawOn && { stream: drawOn }),
    discardStdin: false,
    isEnabled: true,
    suffixText: () => err.paint.dim(elapsed(performance.now() - since)),
    ...(err.ascii && { spinner: { interval: 130, frames: ['-', '\\', '|', '/'] } }),
    color: err.paint.level === 0 ? (false as never) : 'cyan',
  })
  let unwatch: (() => void) | undefined
  // On no columns it would count lines without end, at its next turn.
  const stopUnsized = () => {
    if (!err.redraws) spinner.stop()
  }
  return {
    say: (line) => {
      spinner.stop()
      say(line)
    },
    doing: (line) => {
      if (!err.redraws) return
      unwatch ??= err.onResize?.(stopUnsized)
      if (!spinner.isSpinning) since = performance.now()
      spinner.start(shown(line, err))
    },
    done: () => {
      unwatch?.()
      unwatch = undefined
      spinner.stop()
    },
  }
}

/** How long something takes already, once that is worth a word: `12s`, `3m05s`. */
export function elapsed(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  if (seconds < 1) return ''
  if (seconds < 60) return `${seconds}s`
  return `${Math.floor(seconds / 60)}m${String(seconds % 60).padStart(2, '0')}s`
}
