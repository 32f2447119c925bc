import type { Stream } from './io.ts'
import { widthOf } from './width.ts'

/** A label and what belongs to it, as lines that fit into a terminal; elsewhere what belongs to it is one line. */
export function wrapped(
  [label, ...values]: readonly [label: string, ...values: string[]],
  { indent = 0, column }: { indent?: number; column: number },
  to: Stream,
): string {
  const room = to.isTerminal ? Math.max(20, to.columns - indent - column) : Infinity
  const left = ' '.repeat(indent)
  const lines = values.flatMap((value) => broken(value, room))
  // What is longer than its place stands below its label, where it has more room.
  if (lines.some((line) => widthOf(line) > room))
    return [`${left}${to.paint.dim(label)}`, ...lines.map((line) => `${left}    ${line}`)].join('\n')
  return lines
    .map((line, at) => `${left}${at === 0 ? to.paint.dim(label.padEnd(column)) : ' '.repeat(column)}${line}`)
    .join('\n')
}

/** A text and what belongs to it, side by side where there is room for that, else below each other. */
export const beside = (text: string, more: string, to: Stream): string =>
  to.isTerminal && widthOf(text) + 1 + widthOf(more) > to.columns ? `${text}\n  ${more}` : `${text} ${more}`

/** A text in lines of no more than so many columns, broken between words; a word that is longer stands alone. */
export function broken(text: string, room: number): string[] {
  if (room === Infinity) return [text]
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && widthOf(`${last} ${word}`) <= room) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}
