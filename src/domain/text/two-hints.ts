/** Two hints as one text, of which the second begins a sentence of its own; the second alone without a first. */
export const twoHints = (first: string | null | undefined, second: string): string =>
  first ? `${first}${/[.!?]$/.test(first) ? '' : '.'} ${second}` : second
