import { AppError } from '../../domain/errors.ts'
import { sameWith } from '../../domain/text/next-step.ts'
import type { Globals } from '../options/global-options.ts'
import type { Io } from '../terminal/io-types.ts'
import { table } from '../terminal/table.ts'
import { csvText } from './csv.ts'
import { fittedFor, writeBytes, writeDocument, writeText } from './document-writer.ts'
import { fieldsNamed, pickedFields } from './field-names.ts'
import type { Line, List, ListView, Rows, View } from './view-types.ts'

/** That one thing is no table. */
export const onlyListsError = (): AppError =>
  new AppError('USAGE', '--csv is for tables only', {
    next: sameWith({ '--json': true }, '--csv'),
  })

/** Prints one thing; `rows` is its table, for `--csv`. */
export function emitOne<value, row>(
  io: Io,
  globals: Globals,
  value: value,
  view: View<value>,
  line: Line,
  rows?: Rows<row>,
): void {
  if (globals.csv) {
    if (!rows) throw onlyListsError()
    writeCsv(io, globals, rows)
  } else if (globals.json) writeDocument(io, selectFields(globals, value), globals)
  else {
    if (globals.fields && !globals.quiet)
      io.err.write('--fields is ignored here; it works on tables and with --json\n')
    writeText(io, view(value, io.out, line))
  }
}

/** Prints a page of a list as JSON, CSV or a table. `known` are the fields of its rows by the schema of the output. */
export function emitList<row>(
  io: Io,
  globals: Globals,
  list: List<row>,
  view: ListView<row>,
  line: Line,
  known: readonly string[] = [],
): void {
  const { columns, empty, note } = view
  const why = list.page > 1 ? beyond(list) : line(empty)
  const fields = globals.fields && fieldsNamed(globals.fields, { columns, items: list.items }, known)
  if (globals.json) {
    const items = fields
      ? list.items.map((row) => Object.fromEntries(fields.map(({ name, json }) => [name, json(row)])))
      : list.items
    writeDocument(io, { ...list, items, ...(items.length === 0 && { why }) }, globals)
  } else if (globals.csv) writeCsv(io, globals, { columns, items: list.items }, known)
  else if (list.items.length === 0) io.err.write(`${fittedFor(why, io.err)}\n`)
  else {
    writeText(io, table(fields ? fields.map(({ column }) => column) : columns, list.items, io.out))
    if (note && !globals.quiet) io.err.write(`${fittedFor(io.err.paint.dim(note), io.err)}\n`)
  }
  // The document of --json has `hasMore`; what is shaped from it may not.
  const isWhole = globals.json && !globals.jq && !globals.template
  if (!list.hasMore || isWhole || globals.quiet) return
  const more = `${list.items.length}${list.total === null ? '' : ` of ${list.total}`}; --page ${list.page + 1} shows more`
  io.err.write(`${fittedFor(io.err.paint.dim(more), io.err)}\n`)
}

function writeCsv<row>(
  io: Io,
  { fields }: Globals,
  { columns, items }: Rows<row>,
  known: readonly string[] = [],
): void {
  const all = columns.flatMap(({ csv }) => Object.entries(csv).map(([name, cell]) => ({ name, cell })))
  writeBytes(io, csvText(fields ? fieldsNamed(fields, { columns, items }, known) : all, items))
}

/** The message for a page after the last one. */
const beyond = ({ page, total }: List<unknown>): string =>
  `Page ${page} is empty${total === null ? '' : `; there are ${total} rows in all`}. First page: --page 1`

/** The `--fields` of one object as JSON; all of it without. */
export const selectFields = ({ fields, knownFields }: Globals, value: unknown): unknown =>
  fields ? pickedFields(value, fields, knownFields) : value
