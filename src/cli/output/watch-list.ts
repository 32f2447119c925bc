import { AppError } from '../../domain/errors.ts'
import { sameWith } from '../../domain/text/next-step.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import { momentText } from '../../domain/text/time-spans.ts'
import type { Cli } from '../command-run-types.ts'
import type { Stream } from '../terminal/io-types.ts'
import { table } from '../terminal/table.ts'
import { unpainted } from '../terminal/terminal-abilities.ts'
import { watchContinuously } from '../watch-loop.ts'
import { sanitizedFor, toJson, writeBytes, writeDocument, writeText } from './document-writer.ts'
import type { Column, List, ListView } from './view-types.ts'

/** How a list is watched: its columns, the key of a row, and the interval. */
export type Live<row> = ListView<row> & { key: keyof row & string; intervalMs: number }

/**
 * Prints a list and watches it: a terminal redraws it with changes marked, a pipe gets a line per
 * change, and `--json` prints a document per changed list.
 */
export async function followList<row>(
  cli: Cli,
  look: () => Promise<List<row>>,
  view: Live<row>,
): Promise<void> {
  const { globals, io } = cli
  if (globals.csv || globals.raw || globals.fields)
    throw new AppError('USAGE', '--watch cannot be combined with --csv, --fields or --raw', {
      next: sameWith({ '--json': true }, '--csv', '--fields', '--raw'),
    })
  const { intervalMs } = view
  if (globals.json) return watchContinuously(cli, look, { show: documents<row>(cli), intervalMs })
  if (!io.out.redraws) return watchContinuously(cli, look, { show: changes(cli, view), intervalMs })
  const { show, again } = screens(cli, view)
  const stop = io.out.onResize?.(again)
  await watchContinuously(cli, look, { show, intervalMs }).finally(stop)
}

function documents<row>({ io, globals }: Cli): (list: List<row>) => void {
  let last = ''
  return (list) => {
    const line = toJson(list, false)
    if (line !== last) writeDocument(io, list, { ...globals, isLine: true })
    last = line
  }
}

/** All decimals, because a change in any of them counts. */
const all = Number.POSITIVE_INFINITY

/** To the upper left, and nothing below. */
const cleared = '\u001b[H\u001b[J'

/** A list that fills the screen: `show` draws a new list, `again` redraws the last one after a resize. */
function screens<row>({ io: { out }, program, line }: Cli, view: Live<row>) {
  let before: Cells | undefined
  let now: Cells | undefined
  let last: { items: readonly row[]; time: string } | undefined
  const again = () => {
    if (!last) return
    const columns = view.columns.map(
      (column): Column<row> => ({
        ...column,
        text: (row, paint, places) => {
          const same =
            !before || before.get(keyOf(view, row))?.get(column.field) === column.text(row, unpainted, all)
          return same ? column.text(row, paint, places) : marked(column.text(row, unpainted, places), paint)
        },
      }),
    )
    const { items, time } = last
    const lines = (items.length === 0 ? line(view.empty) : table(columns, items, out)).split('\n')
    const room = Math.max(2, (out.rows ?? 24) - (view.note ? 3 : 2))
    const left = lines.length - room
    const fit = left > 0 ? [...lines.slice(0, room - 1), out.paint.dim(`${left + 1} more`)] : lines
    const foot = out.paint.dim(
      `${view.note ? `${view.note}\n` : ''}${time}  every ${view.intervalMs / 1000}s, Ctrl-C to stop`,
    )
    writeBytes({ out }, `${cleared}${sanitizedFor([...fit, foot].join('\n'), out)}\n`)
  }
  const show = ({ items }: List<row>) => {
    before = now
    now = cellsOf(view, items)
    last = { items, time: at(program.now()) }
    again()
  }
  return { show, again }
}

/** Without colours a mark is a sign. */
const marked = (text: string, paint: Stream['paint']): string =>
  paint.level > 0 ? paint.inverse(text) : `*${text}`

function changes<row>({ io, program }: Cli, view: Live<row>): (list: List<row>) => void {
  let before: Cells = new Map()
  return ({ items }) => {
    const now = cellsOf(view, items)
    const time = at(program.now())
    const say = (key: string, what: string) => writeText(io, `${time}  ${key}  ${what}`)
    for (const [key, cells] of now) {
      const old = before.get(key)
      const changes = [...cells].filter(([field, text]) =>
        old ? old.get(field) !== text : text !== '' && field !== view.key,
      )
      if (changes.length > 0)
        say(
          key,
          changes.map(([field, text]) => `${field} ${old ? `${old.get(field)} -> ` : ''}${text}`).join(', '),
        )
    }
    for (const key of before.keys()) if (!now.has(key)) say(key, 'removed from the list')
    before = now
  }
}

const keyOf = <row>({ key }: Live<row>, row: row): string => sanitizeText(String(row[key]))

/** The text of each row, by key and field. */
type Cells = Map<string, Map<string, string>>

const cellsOf = <row>(view: Live<row>, rows: readonly row[]): Cells =>
  new Map(
    rows.map((row) => [
      keyOf(view, row),
      new Map(view.columns.map(({ field, text }) => [field, text(row, unpainted, all)])),
    ]),
  )

const at = (ms: number) => momentText(ms)
