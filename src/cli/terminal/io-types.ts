import type { ChalkInstance } from 'chalk'

/** One of the two output streams: where it goes, whether a person reads it there, and its colours. */
export type Stream = {
  write: (text: string) => void
  isTerminal: boolean
  /** How wide it is now: a window may be resized. */
  readonly columns: number
  /** How many lines it shows; missing where there is no end. */
  readonly rows?: number
  /** Whether the output can be redrawn: a terminal that supports it, with a size, and no log. */
  readonly redraws?: boolean
  /** Calls back when the window is resized, until the returned function is called. */
  onResize?: (draw: () => void) => () => void
  paint: ChalkInstance
  /** A text that leads somewhere; missing where the terminal does not understand it. */
  link?: (text: string, url: string) => string
  /** Whether nothing but ASCII can be shown there; a pipe takes everything. */
  ascii?: boolean
  /** Aborts once a write finds no reader, for example after `head`. */
  unread?: AbortSignal
}

/** All input and output of the program. */
export type Io = {
  /** The answer. The only thing that a pipe sees. */
  out: Stream
  /** The conversation: progress, notices, warnings, questions. */
  err: Stream
  /** Whether a person can answer a question. */
  canAsk: boolean
  /** The terminal behind `err`, for the libraries that draw on it themselves. */
  drawOn?: NodeJS.WritableStream
  /**
   * Reads a typed line, only of a terminal that obeys no control sequences: there, no library asks. `undefined` if the person leaves.
   */
  plainLine?: (how: { hidden: boolean }) => Promise<string | undefined>
  /** Discards the keys typed so far; returns whether there was a Ctrl-C. */
  discardTyped?: () => Promise<boolean>
  /** Runs the work in which a person answers: it counts for no time limit, and no progress is drawn over it. */
  whileAsking?: <value>(work: () => Promise<value>) => Promise<value>
  /** Calls back when the input is no longer read, for example after Ctrl-D. The returned function cancels that. */
  whenUnread?: (call: () => void) => () => void
}
