import type { Globals } from './options/global-options.ts'

/** The progress on stderr: finished lines stay; the current one moves on a terminal, and elsewhere is printed every 15 s. */
export type ProgressLine = {
  /** A line that stays. */
  say: (line: string) => void
  /** The current work; on a terminal with a spinner. */
  doing: (line: string) => void
  /** Nothing is being done any more. */
  done: () => void
}

/** A clock with timers. `now` is monotonic, in ms; `after` calls back once, and returns a function that cancels. */
export type Timers = { now: () => number; after: (ms: number, call: () => void) => () => void }

/** The time of one command line: its limit, and the progress on stderr. */
export type CommandTime = {
  /** The one progress line of the command. */
  progress: ProgressLine
  /** Begins the limit and the progress, once the options are parsed. */
  start: (globals: Globals) => void
  /** What is left of `--timeout`, in ms; `undefined` without it. */
  left: () => number | undefined
  /** Runs work that may take longer than the default time of reads; `what` is shown meanwhile. */
  long: <value>(what: string, work: () => Promise<value>) => Promise<value>
  /** From now on the command limits its own time, because it follows something. */
  follow: () => void
  /** From now on the command runs until it is stopped. */
  endless: () => void
  /** Aborts when the time is over. */
  over: AbortSignal
  /** The error that the time is over: it names what did not answer, and the flag that gives more time. */
  overError: () => Error
}
