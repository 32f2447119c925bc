import type { ChalkInstance } from 'chalk'

/** One of the two output streams: where it goes, whether a person reads it there, and its colours. */
export type Stream = {
  write: (text: string) => void
  isTerminal: boolean
  /** How wide it is now: a window may be resized. */
  readonly columns: number
  /** How many lines it shows; missing where there is no end. */
  readonly rows?: number
  /** Whether what was written may be drawn anew: nobody's log, and a terminal that knows how and has a size now. */
  readonly redraws?: boolean
  /** Calls back whenever the window gets another size, until what it gives is called. */
  onResize?: (draw: () => void) => () => void
  paint: ChalkInstance
  /** A text that leads somewhere; missing where the terminal does not understand it. */
  link?: (text: string, url: string) => string
  /** Whether nothing but ASCII can be shown there; a pipe takes everything. */
  ascii?: boolean
  /** Ends once a write finds nobody who reads, such as after `head` has read enough: the system tells it no sooner. */
  unread?: AbortSignal
}

/** The terminal, and nothing but the terminal. Every byte that the program prints or asks for goes through here. */
export type Io = {
  /** The answer. The only thing that a pipe sees. */
  out: Stream
  /** The conversation: progress, notices, warnings, questions. */
  err: Stream
  /** Whether somebody is there to answer a question. */
  canAsk: boolean
  /** The terminal behind `err`, for the libraries that draw on it themselves. */
  drawOn?: NodeJS.WritableStream
  /** Throws away what was typed until now, and tells whether there was a Ctrl-C among it. */
  discardTyped?: () => Promise<boolean>
  /** Calls when nobody reads any longer what is typed, as after Ctrl-D. The answer takes that back. */
  whenUnread?: (call: () => void) => () => void
}

/** One column of a list. */
export type Column<row> = {
  title: string
  /** The field of the JSON that this column shows; `--fields` names it. */
  field: string
  /** What stands there; an amount shows no more than so many decimals, which is all of them but on a terminal. */
  text: (row: row, paint: Stream['paint'], places: number) => string
  /** What CSV holds instead of the text: the exact value, for programs. */
  csv?: (row: row) => string
  /** Where a text that is shown whole leads to: `hashLink` or `addressLink` of it. */
  link?: (row: row, text: string, to: Stream) => string
  /** Numbers stand on the right, and are never shortened: a number without its end is another one. */
  align?: 'right'
  /**
   * How little it matters: on a narrow terminal the highest gives way first, shortened where it is words, left out where that is not
   * enough. A column without it stays whole: what is typed again, and what the list is for.
   */
  drop?: number
}

/** Text for people, drawn from the same value that `--json` prints. */
export type View<value> = (value: value, to: Stream) => string

/** A page of a list as `--json` prints it; `total` is `null` where nobody counted. */
export type List<row> = {
  items: row[]
  page: number
  limit: number
  total: number | null
  hasMore: boolean
}

/** How a list is shown: its columns, the words for an empty one, and what a mark in it means. */
export type ListView<row> = { columns: readonly Column<row>[]; empty: string; note?: string | undefined }
