import type { Command } from 'commander'
import { AppError } from '../../domain/errors.ts'
import { escaped, plain, settled } from '../../domain/text.ts'
import type { Globals } from '../options/global-options.ts'
import { type Io, type Stream, unpainted } from '../terminal/io.ts'
import { type Column, placesOn, table } from '../terminal/table.ts'

/**
 * A value as one JSON document. Amounts inside are already objects; a bare `bigint` becomes text. What JSON would leave
 * as it is, and a terminal would act on, is written as an escape: the value is the same.
 */
export const toJson = (value: unknown, pretty: boolean): string =>
  escaped(
    JSON.stringify(
      value,
      (_, item: unknown) => (typeof item === 'bigint' ? item.toString() : item),
      pretty ? 2 : undefined,
    ),
  )

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

/** A text for people as it goes to a stream: the last net under every foreign string. */
export const shown = (text: string, { paint }: Stream): string => settled(text, paint.level > 0)

/** That one thing is no table. */
export const onlyLists = (): AppError =>
  new AppError('USAGE', '--csv is for lists only', { hint: 'Use --json here.' })

/** Prints one thing. */
export function emitOne<value>(io: Io, globals: Globals, value: value, view: View<value>): void {
  if (globals.csv) throw onlyLists()
  if (globals.json) return void io.out.write(`${toJson(chosen(globals, value), io.out.isTerminal)}\n`)
  if (globals.fields && !globals.quiet)
    io.err.write('--fields is ignored here; it works on lists and with --json\n')
  io.out.write(`${shown(view(value, io.out), io.out)}\n`)
}

/** Prints a page of a list as JSON, CSV or a table. */
export async function emitList<row>(
  io: Io,
  globals: Globals,
  list: List<row>,
  view: ListView<row>,
): Promise<void> {
  if (globals.json) {
    const { fields } = globals
    return void io.out.write(
      `${toJson(fields ? { ...list, items: list.items.map((row) => picked(row, fields, false)) } : list, io.out.isTerminal)}\n`,
    )
  }
  const { columns, empty, note } = view
  const shownColumns = globals.fields ? globals.fields.map((name) => columnNamed(columns, name)) : columns
  if (globals.csv) {
    const { stringify } = await import('csv-stringify/sync')
    return void io.out.write(
      stringify(
        list.items.map((row) =>
          shownColumns.map(({ csv, text }) =>
            cell(given(csv?.(row) ?? text(row, unpainted, placesOn({ isTerminal: false })))),
          ),
        ),
        { header: true, columns: shownColumns.map(({ field }) => field) },
      ),
    )
  }
  if (list.items.length === 0) return io.err.write(`${list.page > 1 ? beyond(list) : empty}\n`)
  io.out.write(`${shown(table(shownColumns, list.items, io.out), io.out)}\n`)
  if (note && !globals.quiet) io.err.write(`${io.err.paint.dim(note)}\n`)
  if (list.hasMore && !globals.quiet)
    io.err.write(
      io.err.paint.dim(
        `${list.items.length}${list.total === null ? '' : ` of ${list.total}`}; --page ${list.page + 1} shows more\n`,
      ),
    )
}

/** A page behind the last one: that nothing is on it does not say that there is nothing. */
const beyond = ({ page, total }: List<unknown>): string =>
  `Page ${page} is empty${total === null ? '' : `; there are ${total} rows in all`}. First page: --page 1`

/** What was not given is nothing in a table for programs, and a dash only where people read it. */
const given = (text: string): string => (text === '-' ? '' : text)

/** A text that a spreadsheet would calculate, before or after what cannot be seen of it is gone, stands behind an apostrophe; a negative number stays one. */
function cell(text: string): string {
  const seen = plain(text)
  const isNumber = /^[-+]?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?$/i.test(text)
  const isFormula = [text, seen].some((one) => /^\s*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/.test(one))
  return `${isFormula && !isNumber ? "'" : ''}${seen}`
}

/** What `--fields` chooses of one thing as JSON; all of it without. */
export function chosen({ fields, fieldsKnown = false }: Globals, value: unknown): unknown {
  return fields ? picked(value, fields, fieldsKnown) : value
}

function picked(value: unknown, fields: readonly string[], areKnown: boolean): unknown {
  const record = value as Record<string, unknown>
  const unknown = fields.find((name) => !Object.hasOwn(record, name))
  if (unknown !== undefined && !areKnown) throw unknownField(unknown, Object.keys(record))
  return Object.fromEntries(fields.map((name) => [name, record[name] ?? null]))
}

function columnNamed<row>(columns: readonly Column<row>[], name: string): Column<row> {
  const found = columns.find(({ field }) => field === name)
  if (found) return found
  throw unknownField(
    name,
    columns.map(({ field }) => field),
  )
}

/** Nothing that is listed or shown has a field of that name. */
export const unknownField = (name: string, known: readonly string[]) =>
  new AppError('USAGE', `There is no field "${name}"`, { hint: `Fields: ${known.join(', ')}` })

type Schema = {
  properties?: Record<string, Schema>
  additionalProperties?: unknown
  items?: Schema
  anyOf?: Schema[]
}

/**
 * Refuses a field that no row of a list has, where there is no row to look at: what is mistyped is found on every day, and not only on one
 * with rows. What the command says that it prints is loaded for that alone.
 */
export async function refuseUnknownFields(command: Command, names: readonly string[]): Promise<void> {
  const [{ outputs }, { jsonSchema, wordsOf }] = await Promise.all([
    import('../schema/outputs.ts'),
    import('../schema/describe.ts'),
  ])
  const success = outputs[wordsOf(command)]?.success
  const known = success ? eachOf(jsonSchema(success)).flatMap(fieldsOfRows) : []
  for (const name of names) if (known.length > 0 && !known.includes(name)) throw unknownField(name, known)
}

/**
 * Refuses what cannot be printed of what a command gives, before it does anything: a table of one thing, and fields that it never has. The
 * answer is the options with what is known of the fields now: those that only some of what it gives has are no error of what has them not.
 */
export async function printable(command: Command, globals: Globals): Promise<Globals> {
  const { csv, json, fields } = globals
  if (!csv && !(json && fields)) return globals
  const [{ outputs }, { jsonSchema, wordsOf }] = await Promise.all([
    import('../schema/outputs.ts'),
    import('../schema/describe.ts'),
  ])
  const { success, plan, line } = outputs[wordsOf(command)] ?? {}
  const { dryRun } = command.opts<{ dryRun?: boolean }>()
  const given = (plan && dryRun ? plan : success) ?? line
  const shapes = given ? eachOf(jsonSchema(given)) : []
  if (shapes.length === 0 || shapes.some(({ properties }) => properties?.items !== undefined)) return globals
  if (csv) throw onlyLists()
  // What may have any other field, as a keystore, says itself which it has.
  if (shapes.some((one) => one.additionalProperties !== false)) return globals
  const known = [...new Set(shapes.flatMap(({ properties }) => Object.keys(properties ?? {})))]
  for (const name of fields ?? []) if (!known.includes(name)) throw unknownField(name, known)
  return { ...globals, fieldsKnown: true }
}

/** A shape, or each of those that it may be. */
const eachOf = (schema: Schema): Schema[] => schema.anyOf?.flatMap(eachOf) ?? [schema]

const fieldsOfRows = ({ properties }: Schema): string[] =>
  eachOf(properties?.items?.items ?? {}).flatMap((row) => Object.keys(row.properties ?? {}))
