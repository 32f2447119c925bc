import { type Form, formsOf, lower } from './forms.ts'
import { type Reading, readings } from './readings.ts'

type Span = { from: number; to: number }

/** Characters that make a text another one when it is read; without any it is what it is. */
const special = /[^\u0020-\u007e]|[\\%&]/

/**
 * Makes what takes secrets out of a text, however JSON, HTML or a URL may have spelled them, in either case, with whatever nobody
 * sees between their letters, and in hex or base64: who repeats what it was asked with must not have it printed. A secret under eight
 * characters goes only where it is a word by itself. Takes time in proportion to the text.
 */
export function hider(secrets: readonly string[], instead: string): (text: string) => string {
  const forms = secrets.flatMap(formsOf)
  return (text) => {
    if (!special.test(text) && !mayHold(text, forms)) return text
    const found = [...readings(text)].flatMap((reading) => places(reading, forms))
    return found.length === 0 ? text : without(text, found, instead)
  }
}

function mayHold(text: string, forms: readonly Form[]): boolean {
  const low = lower(text)
  return forms.some((form) => (form.isEitherCase ? low : text).includes(form.text))
}

/** Where in the original the forms stand. */
function places({ text, from, to }: Reading, forms: readonly Form[]): Span[] {
  const low = lower(text)
  const found: Span[] = []
  for (const form of forms) {
    const { length } = form.text
    const where = form.isEitherCase ? low : text
    const isWord = (at: number): boolean =>
      (at === 0 || to[at - 1] !== from[at] || !/[A-Za-z0-9\\]/.test(text[at - 1]!)) &&
      (at + length === text.length ||
        to[at + length - 1] !== from[at + length] ||
        !/[A-Za-z0-9]/.test(text[at + length]!))
    for (let at = where.indexOf(form.text); at >= 0; ) {
      const isOne = !form.isWord || isWord(at)
      if (isOne) found.push({ from: from[at]!, to: to[at + length - 1]! })
      at = where.indexOf(form.text, at + (isOne ? length : 1))
    }
  }
  return found
}

/** The text without the places. An escape of JSON goes as a whole, so that what was JSON still is. */
function without(text: string, found: readonly Span[], instead: string): string {
  const escaping = /\\(?:u[0-9a-fA-F]{4}|[^u])/gs
  let next = escaping.exec(text)
  const merged: Span[] = []
  for (const span of found.toSorted((a, b) => a.from - b.from)) {
    const last = merged.at(-1)
    if (last && span.from < last.to) last.to = Math.max(last.to, span.to)
    else merged.push({ ...span })
  }
  let out = ''
  let done = 0
  for (const { from, to } of merged) {
    let [begin, end] = [from, to]
    for (; next && next.index < to; next = escaping.exec(text)) {
      if (next.index < from && next.index + next[0].length > from) begin = next.index
      if (next.index + next[0].length > to) end = next.index + next[0].length
    }
    out += `${text.slice(done, Math.max(done, begin))}${instead}`
    done = Math.max(done, end)
  }
  return out + text.slice(done)
}
