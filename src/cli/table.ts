import Table from 'cli-table3'

import { plain } from '../domain/text.ts'
import type { Stream } from './io.ts'

/** One column of a list. `width` orders what gives way first on a narrow terminal: the highest `drop` goes first. */
export type Column<row> = {
  title: string
  /** The field of the JSON that this column shows; `--fields` names it. */
  field: string
  text: (row: row, paint: Stream['paint']) => string
  /** What CSV holds instead of the text: the exact value, for programs. */
  csv?: (row: row) => string
  align?: 'right'
  drop?: number
}

/** Rows as an aligned table without boxes. On a terminal that is too narrow, the least important columns are left out. */
export function table<row>(columns: readonly Column<row>[], rows: readonly row[], to: Stream): string {
  const shown = to.isTerminal ? fitting(columns, rows, to.columns) : columns
  const grid = new Table({
    head: shown.map(({ title }) => to.paint.dim(title)),
    colAligns: shown.map(({ align }) => align ?? 'left'),
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 2 },
    chars: Object.fromEntries(borders.map((name) => [name, ''])),
  })
  grid.push(...rows.map((row) => shown.map(({ text }) => text(row, to.paint))))
  return trimmed(grid.toString())
}

/** Label and value, one pair a line. */
export function fields(rows: readonly (readonly [label: string, value: string])[], to: Stream): string {
  const width = Math.max(...rows.map(([label]) => label.length))
  return rows.map(([label, value]) => `${to.paint.dim(label.padEnd(width))}  ${value}`).join('\n')
}

const borders = [
  'top',
  'top-mid',
  'top-left',
  'top-right',
  'bottom',
  'bottom-mid',
  'bottom-left',
  'bottom-right',
  'left',
  'left-mid',
  'mid',
  'mid-mid',
  'right',
  'right-mid',
  'middle',
]

const trimmed = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')

function fitting<row>(
  columns: readonly Column<row>[],
  rows: readonly row[],
  width: number,
): readonly Column<row>[] {
  const bare = (text: string) => plain(text.replace(/\u001b\[[0-9;]*m/g, '')).length
  const widths = new Map(
    columns.map((column) => [
      column,
      Math.max(column.title.length, ...rows.map((row) => bare(column.text(row, colourless)))) + 2,
    ]),
  )
  let shown = [...columns]
  const total = () => shown.reduce((sum, column) => sum + widths.get(column)!, 0) - 2
  while (total() > width) {
    const last = shown.filter(({ drop }) => drop !== undefined).sort((a, b) => b.drop! - a.drop!)[0]
    if (!last) break
    shown = shown.filter((column) => column !== last)
  }
  return shown
}

const colourless = new Proxy((text: string) => text, {
  get: (target, name) => (name in Function.prototype ? Reflect.get(target, name) : colourless),
}) as unknown as Stream['paint']
