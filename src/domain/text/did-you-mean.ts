/**
 * Returns the end of a sentence that suggests the nearest known word; empty if none is near, or if the word is known.
 */
export function didYouMean(word: string, known: readonly string[]): string {
  const typed = word.toLowerCase()
  const most = typed.length < 4 ? 1 : 2
  const near = known
    .map((one) => ({ one, edits: editsBetween(typed, one.toLowerCase()) }))
    .filter(({ edits }) => edits <= most)
    .sort((a, b) => a.edits - b.edits)[0]
  return near && near.edits > 0 ? `; did you mean ${near.one}?` : ''
}

/** Counts the letters to insert, delete, change or swap with the next one (optimal string alignment). */
function editsBetween(a: string, b: string): number {
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1]
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      next[j] = Math.min(
        row[j]! + 1,
        next[j - 1]! + 1,
        row[j - 1]! + (isSame ? 0 : 1),
        isSwapped ? before[j - 2]! + 1 : Number.POSITIVE_INFINITY,
      )
    }
    before = row
    row = next
  }
  return row[b.length]!
}

/** How many names are suggested at most. */
const mostSuggested = 3

/**
 * The same for an id whose parts are joined by `-`, of which some were left out: the shortest known ones with all typed parts. Empty if there
 * are none.
 */
export function didYouMeanWhole(typed: string, known: readonly string[]): string {
  const parts = typed.toLowerCase().split('-')
  const whole = [...new Set(known)]
    .filter((one) => {
      const its = one.toLowerCase().split('-')
      return its.length > parts.length && parts.every((part) => its.includes(part))
    })
    .toSorted((a, b) => a.length - b.length || (a < b ? -1 : 1))
    .slice(0, mostSuggested)
  return whole.length === 0 ? '' : `; did you mean ${whole.join(' or ')}?`
}
