/**
 * A line of one-column letters, broken between words for a terminal that is `width` columns wide; the lines after the first are indented by two. A longer
 * word stays whole.
 */
export function brokenBetweenWords(line: string, width: number): string {
  const lines: string[] = []
  for (const word of line.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${last} ${word}`
    else lines.push(last === undefined ? word : `  ${word}`)
  }
  return lines.join('\n')
}
