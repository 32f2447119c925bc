import type { Advice } from '../../domain/text/next-step.ts'
import type { Stream } from '../terminal/io-types.ts'

/** A value for programs: a number or a decimal string prints as a number, a missing one is empty. */
export type Cell = string | number | boolean | null | undefined

/** One column of a list. */
export type Column<row> = {
  title: string
  /** The field of the JSON that this column shows; `--fields` takes it and the title. */
  field: string
  /** The cell text; an amount has at most `places` decimals, all of them unless on a terminal. */
  text: (row: row, paint: Stream['paint'], places: number) => string
  /** The CSV columns that this one becomes, by their names, exact. An amount has its token and its decimals in columns of their own (`amountCsv`). */
  csv: Readonly<Record<string, (row: row) => Cell>>
  /** Where a text that is shown whole leads to: `hashLink` or `addressLink` of it. */
  link?: (row: row, text: string, to: Stream) => string
  /** Numbers are aligned right and never shortened. */
  align?: 'right'
  /** Which column a narrow terminal shortens or drops first: the highest. A column without it stays whole. */
  drop?: number
  /** A time or another text whose part says something else: it is dropped, never shortened. */
  whole?: true
  /** It gets a line of its own where the columns that are never dropped do not fit; without one, the first column does. */
  ownLine?: true
}

/** A command as a line to paste, or an advice with such lines, with signer, profile and network of the line that ran. */
export type Line = (given: Advice) => string

/** Text for people, drawn from the same value that `--json` prints; `line` makes the commands in it. */
export type View<value> = (value: value, to: Stream, line: Line) => string

/** The rows of a value that has a table: `--csv` prints them. */
export type Rows<row> = { items: readonly row[]; columns: readonly Column<row>[] }

/** A page of a list as `--json` prints it; `total` is `null` if it was not counted. */
export type List<row> = {
  items: row[]
  page: number
  limit: number
  total: number | null
  hasMore: boolean
}

/** How a list is shown: its columns, the message for an empty list, and the meaning of a mark in it. */
export type ListView<row> = { columns: readonly Column<row>[]; empty: Advice; note?: string | undefined }
