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
  /** Discards the keys typed so far; returns whether there was a Ctrl-C. */
  discardTyped?: () => Promise<boolean>
  /** Calls back when the input is no longer read, for example after Ctrl-D. The returned function cancels that. */
  whenUnread?: (call: () => void) => () => void
}

/** One column of a list. */
export type Column<row> = {
  title: string
  /** The field of the JSON that this column shows; `--fields` names it. */
  field: string
  /** The cell text; an amount has at most `places` decimals, all of them unless on a terminal. */
  text: (row: row, paint: Stream['paint'], places: number) => string
  /** The CSV value instead of the text: exact, for programs. */
  csv?: (row: row) => string
  /** Where a text that is shown whole leads to: `hashLink` or `addressLink` of it. */
  link?: (row: row, text: string, to: Stream) => string
  /** Numbers are aligned right and never shortened. */
  align?: 'right'
  /** Which column a narrow terminal shortens or drops first: the highest. A column without it stays whole. */
  drop?: number
}

/** Text for people, drawn from the same value that `--json` prints. */
export type View<value> = (value: value, to: Stream) => string

/** A page of a list as `--json` prints it; `total` is `null` if it was not counted. */
export type List<row> = {
  items: row[]
  page: number
  limit: number
  total: number | null
  hasMore: boolean
}

/** How a list is shown: its columns, the message for an empty list, and the meaning of a mark in it. */
export type ListView<row> = { columns: readonly Column<row>[]; empty: string; note?: string | undefined }
