import { AppError } from '../../domain/errors.ts'
import { escapeJsonText, sanitizeOutput, sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import type { Globals } from '../options/global-options.ts'
import type { Io, Stream } from '../terminal/io-types.ts'
import { decimalPlacesOn, table } from '../terminal/table.ts'
import { unpainted } from '../terminal/terminal-abilities.ts'
import type { Column, List, ListView, View } from './view-types.ts'

/**
 * Encodes a value as one JSON document. A `bigint` becomes text, and characters that a terminal would
 * act on are escaped; the value is the same.
 */
export const toJson = (value: unknown, pretty: boolean): string =>
  escapeJsonText(
    JSON.stringify(
      value,
      (_, item: unknown) => (typeof item === 'bigint' ? item.toString() : item),
      pretty ? 2 : undefined,
    ),
  )

/** A text for people as it goes to a stream: the last net under every foreign string. */
export const sanitizedFor = (text: string, { paint }: Stream): string => sanitizeOutput(text, paint.level > 0)

/** That one thing is no table. */
export const onlyListsError = (): AppError =>
  new AppError('USAGE', '--csv is for lists only', { hint: 'Use --json here.' })

/** Prints one thing. */
export function emitOne<value>(io: Io, globals: Globals, value: value, view: View<value>): void {
  if (globals.csv) throw onlyListsError()
  if (globals.json) return void io.out.write(`${toJson(selectFields(globals, value), io.out.isTerminal)}\n`)
  if (globals.fields && !globals.quiet)
    io.err.write('--fields is ignored here; it works on lists and with --json\n')
  io.out.write(`${sanitizedFor(view(value, io.out), io.out)}\n`)
}

/** Prints a page of a list as JSON, CSV or a table. */
export async function emitList<row>(
  io: Io,
  globals: Globals,
  list: List<row>,
  view: ListView<row>,
): Promise<void> {
  const { columns, empty, note } = view
  const why = list.page > 1 ? beyond(list) : empty
  if (globals.json) {
    const { fields } = globals
    const items = fields ? list.items.map((row) => picked(row, fields, false)) : list.items
    const page = { ...list, items, ...(items.length === 0 && { why }) }
    return void io.out.write(`${toJson(page, io.out.isTerminal)}\n`)
  }
  const shownColumns = globals.fields ? globals.fields.map((name) => columnNamed(columns, name)) : columns
  if (globals.csv) {
    const { stringify } = await import('csv-stringify/sync')
    return void io.out.write(
      stringify(
        list.items.map((row) =>
          shownColumns.map(({ csv, text }) =>
            cell(given(csv?.(row) ?? text(row, unpainted, decimalPlacesOn({ isTerminal: false })))),
          ),
        ),
        { header: true, columns: shownColumns.map(({ field }) => field) },
      ),
    )
  }
  if (list.items.length === 0) return io.err.write(`${why}\n`)
  io.out.write(`${sanitizedFor(table(shownColumns, list.items, io.out), io.out)}\n`)
  if (note && !globals.quiet) io.err.write(`${io.err.paint.dim(note)}\n`)
  if (list.hasMore && !globals.quiet)
    io.err.write(
      io.err.paint.dim(
        `${list.items.length}${list.total === null ? '' : ` of ${list.total}`}; --page ${list.page + 1} shows more\n`,
      ),
    )
}

/** The message for a page after the last one. */
const beyond = ({ page, total }: List<unknown>): string =>
  `Page ${page} is empty${total === null ? '' : `; there are ${total} rows in all`}. First page: --page 1`

/** A missing value is empty in CSV, and a dash only for people. */
const given = (text: string): string => (text === '-' ? '' : text)

/**
 * Puts an apostrophe before a text that a spreadsheet would calculate, with or without its invisible
 * characters; a negative number stays.
 */
function cell(text: string): string {
  const seen = sanitizeText(text)
  const isNumber = /^[-+]?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?$/i.test(text)
  const isFormula = [text, seen].some((one) => /^\s*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/.test(one))
  return `${isFormula && !isNumber ? "'" : ''}${seen}`
}

/** The `--fields` of one object as JSON; all of it without. */
export function selectFields({ fields, fieldsKnown = false }: Globals, value: unknown): unknown {
  return fields ? picked(value, fields, fieldsKnown) : value
}

function picked(value: unknown, fields: readonly string[], areKnown: boolean): unknown {
  const record = value as Record<string, unknown>
  const unknown = fields.find((name) => !Object.hasOwn(record, name))
  if (unknown !== undefined && !areKnown) throw unknownFieldError(unknown, Object.keys(record))
  return Object.fromEntries(fields.map((name) => [name, record[name] ?? null]))
}

function columnNamed<row>(columns: readonly Column<row>[], name: string): Column<row> {
  const found = columns.find(({ field }) => field === name)
  if (found) return found
  throw unknownFieldError(
    name,
    columns.map(({ field }) => field),
  )
}

/** Nothing that is listed or shown has a field of that name. */
export const unknownFieldError = (name: string, known: readonly string[]) =>
  new AppError('USAGE', `There is no field "${name}"`, { hint: `Fields: ${known.join(', ')}` })
