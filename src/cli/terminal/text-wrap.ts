import { stripVTControlCharacters } from 'node:util'
import Table from 'cli-table3'
import type { Stream } from './io-types.ts'

const edges = ['top', 'bottom', 'left', 'right', 'mid', 'middle']
const ends = ['left', 'mid', 'right']
const corners = ['top', 'bottom', 'left', 'mid', 'right'].flatMap((edge) =>
  ends.map((end) => `${edge}-${end}`),
)
/** The gap between two columns of a table. */
export const columnGap = 2

/** A table without boxes. */
export const borderless = {
  style: { head: [], border: [], 'padding-left': 0, 'padding-right': columnGap },
  chars: Object.fromEntries([...edges, ...corners].map((name) => [name, ''])),
}

/** How many columns of a terminal a text takes: of anything but ASCII the library that aligns it knows. */
export function displayWidth(painted: string): number {
  // Escape sequences take no column.
  const text = stripVTControlCharacters(painted)
  if (/^[\u0020-\u007e]*$/.test(text)) return text.length
  const grid = new Table({ ...borderless, style: { ...borderless.style, 'padding-right': 0 } })
  grid.push([text])
  return grid.width
}

/** A label and its values, wrapped to the terminal; elsewhere each value is one line. */
export function wrapLabelled(
  [label, ...values]: readonly [label: string, ...values: string[]],
  { indent = 0, column }: { indent?: number; column: number },
  to: Stream,
): string {
  const room = to.isTerminal ? Math.max(20, to.columns - indent - column) : Infinity
  const left = ' '.repeat(indent)
  const lines = values.flatMap((value) => wrapWords(value, room))
  // A value that is too long goes below its label, where it has more room.
  if (lines.some((line) => displayWidth(line) > room))
    return [`${left}${to.paint.dim(label)}`, ...lines.map((line) => `${left}    ${line}`)].join('\n')
  return lines
    .map((line, at) => `${left}${at === 0 ? to.paint.dim(label.padEnd(column)) : ' '.repeat(column)}${line}`)
    .join('\n')
}

/** Two texts side by side if they fit, else below each other. */
export const sideBySide = (text: string, more: string, to: Stream): string =>
  to.isTerminal && displayWidth(text) + 1 + displayWidth(more) > to.columns
    ? `${text}\n  ${more}`
    : `${text} ${more}`

/**
 * A text as a terminal shows it, with its lines wrapped between words; elsewhere as it is. A line with a command is left to the terminal, because it is
 * pasted.
 */
export const wrapText = (text: string, to: Pick<Stream, 'isTerminal' | 'columns'>): string =>
  to.isTerminal
    ? text
        .split('\n')
        .flatMap((line) => (/\bsluice [a-z]/.test(line) ? [line] : wrapLine(line, Math.max(20, to.columns))))
        .join('\n')
    : text

function wrapLine(line: string, room: number): string[] {
  if (line.length <= room || displayWidth(line) <= room) return [line]
  const indent = /^ */.exec(line)![0].length + 2
  const [first = '', ...rest] = wrapWords(line, room)
  const more = wrapWords(rest.join(' '), room - indent)
  return [first, ...more.map((one) => `${' '.repeat(indent)}${one}`)]
}

/** Wraps a text between words; a longer word gets its own line. */
export function wrapWords(text: string, room: number): string[] {
  if (room === Infinity) return [text]
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && displayWidth(`${last} ${word}`) <= room)
      lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}
