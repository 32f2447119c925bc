import { AppError } from '../../domain/errors.ts'
import { didYouMean } from '../../domain/text/did-you-mean.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import { decimal } from '../terminal/format.ts'
import type { Cell, Column } from './view-types.ts'

/** A field that `--fields` names, in a list: how JSON, CSV and a table show it. */
export type NamedField<row> = {
  name: string
  json: (row: row) => unknown
  cell: (row: row) => Cell
  column: Column<row>
}

/**
 * The fields of a list by the names of `--fields`: fields of its JSON, titles of its columns and names of its CSV columns, in any case and with or
 * without spaces. USAGE for an unknown one. `known` are the fields of the rows by the output's schema.
 */
export function fieldsNamed<row>(
  names: readonly string[],
  { columns, items }: { columns: readonly Column<row>[]; items: readonly row[] },
  known: readonly string[] = [],
): NamedField<row>[] {
  const json = [
    ...new Set([
      ...known,
      ...items.flatMap((row) => Object.keys(row as object)),
      ...columns.map(({ field }) => field),
    ]),
  ]
  const csv = Object.assign({}, ...columns.map((column) => column.csv)) as Column<row>['csv']
  const all = [...json, ...Object.keys(csv)]
  return names.map((name) => {
    const isThat = (one: string) => plain(one) === plain(name)
    const field = all.find(isThat) ?? columns.find(({ title }) => isThat(title))?.field
    if (field === undefined)
      throw unknownFieldError(
        name,
        [...new Set(all)],
        columns.map(({ title }) => title),
      )
    const fieldIn = (row: row): unknown =>
      json.includes(field) ? ((row as Record<string, unknown>)[field] ?? null) : (csv[field]?.(row) ?? null)
    const cell = csv[field] ?? ((row: row) => cellOf(fieldIn(row)))
    const column = columns.find((one) => one.field === field) ?? {
      title: field.replace(/([a-z])([A-Z])/g, '$1 $2').toUpperCase(),
      field,
      csv: { [field]: cell },
      text: (row: row, _: unknown, places: number) => textOf(fieldIn(row), places),
    }
    return { name: field, json: fieldIn, cell, column }
  })
}

/** The fields of one object that `--fields` names, in any case, as the object spells them. USAGE for an unknown one; of `known` fields, one that is not there is `null`. */
export function pickedFields(
  value: unknown,
  names: readonly string[],
  known?: readonly string[],
): Record<string, unknown> {
  const record = value as Record<string, unknown>
  const all = [...new Set([...Object.keys(record), ...(known ?? [])])]
  return Object.fromEntries(
    names.map((name) => {
      const field = all.find((one) => plain(one) === plain(name))
      if (field === undefined) throw unknownFieldError(name, all)
      return [field, record[field] ?? null]
    }),
  )
}

/** A name without its case, spaces and dashes: `NET USD`, `net-usd` and `netUsd` are the same. */
const plain = (name: string): string => name.toLowerCase().replace(/[\s_-]/g, '')

/** Nothing that is listed or shown has a field of that name. */
export const unknownFieldError = (name: string, known: readonly string[], titles: readonly string[] = []) =>
  new AppError(
    'USAGE',
    `There is no field "${sanitizeText(name)}"${didYouMean(name, [...known, ...titles.map((title) => title.toLowerCase())])}`,
    { next: `Fields: ${known.join(', ')}` },
  )

type Amount = { formatted: string; symbol: string; decimals: number }

/** Whether a value is an amount as JSON has it. */
const isAmount = (value: unknown): value is Amount =>
  typeof value === 'object' &&
  value !== null &&
  Object.hasOwn(value, 'raw') &&
  Object.hasOwn(value, 'formatted')

/** A value of the JSON as one cell of CSV: an amount as its number, an object as its JSON. */
function cellOf(value: unknown): Cell {
  if (isAmount(value)) return value.formatted
  if (typeof value === 'bigint') return value.toString()
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : (value as Cell)
}

/** A value of the JSON as a cell of a table. */
function textOf(value: unknown, places: number): string {
  if (isAmount(value)) return `${decimal(value.formatted, places)} ${sanitizeText(value.symbol)}`
  return sanitizeText(String(cellOf(value) ?? '-'))
}

/** The CSV columns of an amount: its number, its token and its decimals. */
export const amountCsv = <row, name extends string>(
  name: name,
  of: (row: row) => Amount | null | undefined,
): Record<string, (row: row) => Cell> => ({
  [name]: (row) => of(row)?.formatted,
  [`${name}Token`]: (row) => of(row)?.symbol,
  [`${name}Decimals`]: (row) => of(row)?.decimals,
})
