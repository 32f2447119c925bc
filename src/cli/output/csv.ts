import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import type { Cell } from './view-types.ts'

/** Rows as CSV text (RFC 4180, with \n) under a header. A text that a spreadsheet would calculate gets an apostrophe; a missing value is empty. */
export const csvText = <row>(
  columns: readonly { name: string; cell: (row: row) => Cell }[],
  rows: readonly row[],
): string =>
  [columns.map(({ name }) => name), ...rows.map((row) => columns.map(({ cell }) => shown(cell(row))))]
    .map((cells) => `${cells.map(quoted).join(',')}\n`)
    .join('')

const quoted = (text: string): string => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/**
 * Puts an apostrophe before a text that a spreadsheet would calculate, with or without its invisible
 * characters; a negative number stays.
 */
function shown(cell: Cell): string {
  if (typeof cell !== 'string') return cell === null || cell === undefined ? '' : String(cell)
  const seen = sanitizeText(cell)
  const isNumber = /^[-+]?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?$/i.test(cell)
  const isFormula = [cell, seen].some((one) => /^\s*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/.test(one))
  return `${isFormula && !isNumber ? "'" : ''}${seen}`
}
