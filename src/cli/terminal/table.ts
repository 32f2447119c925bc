import Table from 'cli-table3'
import type { Column } from '../output/view-types.ts'
import type { Stream } from './io-types.ts'
import { unpainted } from './terminal-abilities.ts'
import { borderless, columnGap, displayWidth, wrapLabelled, wrapWords } from './text-wrap.ts'

/** How many decimals of an amount a list shows there. */
export const decimalPlacesOn = ({ isTerminal }: Pick<Stream, 'isTerminal'>): number =>
  isTerminal ? 6 : Number.POSITIVE_INFINITY

/**
 * Rows as an aligned table without boxes, fitted to the width of a terminal; elsewhere everything is there. Columns that do not fit are dropped, the
 * least important first, and a last line names them. If those that are never dropped do not fit either, one of them gets a line of its own.
 */
export function table<row>(columns: readonly Column<row>[], rows: readonly row[], to: Stream): string {
  const places = decimalPlacesOn(to)
  const widths = columns.map((column) =>
    Math.max(column.title.length, ...rows.map((row) => displayWidth(column.text(row, unpainted, places)))),
  )
  if (!to.isTerminal) return grid(columns.map(whole), rows, to).join('\n')
  const isBlank = (column: Column<row>) => rows.every((row) => column.text(row, unpainted, places) === '')
  const least = columns.reduce(
    (sum, { drop }, at) => (drop === undefined ? sum + widths[at]! + columnGap : sum),
    -columnGap,
  )
  const own = Math.max(
    0,
    columns.findIndex(({ ownLine }) => ownLine),
  )
  const isBeside = (_: unknown, at: number) => at !== own
  const isStacked = least > to.columns && columns.filter(isBeside).some(({ drop }) => drop === undefined)
  const [beside, room] = isStacked
    ? [columns.filter(isBeside), to.columns - stackIndent.length]
    : [columns, to.columns]
  const fitted = fitting(beside, isStacked ? widths.filter(isBeside) : widths, room, isBlank)
  const lines = grid(fitted, rows, to)
  const shown = isStacked
    ? grid([whole(columns[own]!)], rows, to).flatMap((first, at) => [first, `${stackIndent}${lines[at]}`])
    : lines
  const dropped = fitted
    .filter(({ column, cut }) => cut === 0 && !isBlank(column))
    .map(({ column }) => column.title)
  if (dropped.length === 0) return shown.join('\n')
  const note = `Not shown: ${dropped.join(', ')} (a wider terminal or --json shows them)`
  return [...shown, ...wrapWords(note, to.columns).map((line) => to.paint.dim(line))].join('\n')
}

/** What the second line of a row begins with. */
const stackIndent = '  '

/** The lines of a table: its titles and its rows. */
function grid<row>(fitted: readonly Fitted<row>[], rows: readonly row[], to: Stream): string[] {
  const places = decimalPlacesOn(to)
  const shown = fitted.filter(({ cut }) => cut !== 0)
  const made = new Table({
    ...borderless,
    head: shown.map(({ column }) => to.paint.dim(column.title)),
    colAligns: shown.map(({ column }) => column.align ?? 'left'),
    truncate: to.ascii ? '~' : '…',
    colWidths: shown.map(({ cut }) => (cut === null ? null : cut + columnGap)),
  })
  const text = ({ column, cut }: Fitted<row>, row: row) => {
    const all = column.text(row, to.paint, places)
    return cut === null && column.link ? column.link(row, all, to) : all
  }
  made.push(...rows.map((row) => shown.map((one) => text(one, row))))
  return made
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
}

export type FieldRow = readonly [label: string, value: string]

/** A row, or nothing where it has nothing to say. */
export type MaybeRow = FieldRow | '' | false | null | undefined

/** The rows that have something to say. */
export const presentRows = (rows: readonly MaybeRow[]): FieldRow[] => rows.filter((row) => !!row)

/**
 * Label and value, one pair per line; a row that is nothing is left out. A long value wraps on a terminal; a command never
 * does, because it is pasted.
 */
export function fieldTable(rows: readonly MaybeRow[], to: Stream): string {
  const shown = presentRows(rows)
  const column = Math.max(...shown.map(([label]) => label.length)) + 2
  return shown
    .map(([label, value]) =>
      /^(\u001b\[\d+m)*sluice |\n/.test(value)
        ? `${to.paint.dim(label.padEnd(column))}${value}`
        : wrapLabelled([label, value], { column }, to),
    )
    .join('\n')
}

/** A column and how wide it is: `null` is as wide as it wants, 0 is left out. */
type Fitted<row> = { column: Column<row>; cut: number | null }
const whole = <row>(column: Column<row>): Fitted<row> => ({ column, cut: null })

/** The narrowest that words are shortened to. */
const least = 8

function fitting<row>(
  columns: readonly Column<row>[],
  widths: readonly number[],
  room: number,
  isBlank: (column: Column<row>) => boolean,
): Fitted<row>[] {
  const fitted = columns.map(whole)
  let over = widths.reduce((sum, width) => sum + width + columnGap, -columnGap) - room
  // An empty column is dropped before any other.
  const weights = columns.map((column) =>
    column.drop === undefined ? 0 : isBlank(column) ? Number.POSITIVE_INFINITY : column.drop,
  )
  const order = [...columns.keys()]
    .filter((at) => weights[at]! > 0)
    .sort((one, other) => weights[other]! - weights[one]!)
  for (const at of order) {
    if (over <= 0) break
    const { align, title, whole: isWhole } = columns[at]!
    const left = widths[at]! - over
    const isCut = align !== 'right' && !isWhole && left >= Math.max(title.length, least)
    fitted[at]!.cut = isCut ? left : 0
    over -= isCut ? over : widths[at]! + columnGap
  }
  return fitted
}
