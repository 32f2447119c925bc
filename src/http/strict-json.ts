import { AppError } from '../domain/errors.ts'

/** How deep an answer may nest: what is read afterwards goes down by recursion. */
const mostDepth = 64

/** A JSON text as a value; `undefined` when it is empty. What nests deeper than 64 is refused before it is parsed, what is no JSON is a SyntaxError. */
export function parseStrict(text: string): unknown {
  if (text === '') return undefined
  if (depthOf(text) > mostDepth)
    throw new AppError('SERVICE_BAD_RESPONSE', `The answer nests deeper than ${mostDepth}`, {
      details: { fault: 'too-deep' },
    })
  return JSON.parse(text) as unknown
}

/** The same text with every number as it is written, so that no digit is lost. The text is JSON already. */
export const numbersAsText = (text: string): unknown => JSON.parse(text, asWritten) as unknown

const asWritten = (_name: string, value: unknown, context?: { source: string }): unknown =>
  typeof value === 'number' ? context!.source : value

/** How deep brackets nest in a text, those inside strings left out. */
function depthOf(text: string): number {
  let depth = 0
  let deepest = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x22) at = endOfString(text, at)
    else if (code === 0x5b || code === 0x7b) deepest = Math.max(deepest, ++depth)
    else if (code === 0x5d || code === 0x7d) depth--
  }
  return deepest
}

/** Where the string that begins at `start` has its closing quote; the end of the text where it has none. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0
    while (text.charCodeAt(at - 1 - slashes) === 0x5c) slashes++
    if (slashes % 2 === 0) return at
  }
  return text.length
}

/** The name that means something to the language and nothing to the service. */
export const poisonous = '__proto__'

/**
 * The first name that makes a text have two meanings: one that an object has twice, of which JSON.parse keeps the last and another
 * reader the first, or one that the language takes for its own. The text is JSON already.
 */
export function doubtfulName(text: string): string | undefined {
  const outer: (Set<string> | undefined)[] = []
  /** The names of the innermost object so far; none in a list. */
  let names: Set<string> | undefined
  let isName = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x22) {
      const start = at
      at = endOfString(text, start)
      if (isName && names) {
        const written = text.slice(start + 1, at)
        const name = written.includes('\\') ? (JSON.parse(`"${written}"`) as string) : written
        if (name === poisonous || names.has(name)) return name
        names.add(name)
      }
      isName = false
    } else if (code === 0x5b || code === 0x7b) {
      outer.push(names)
      isName = code === 0x7b
      names = isName ? new Set() : undefined
    } else if (code === 0x5d || code === 0x7d) {
      names = outer.pop()
      isName = false
    } else if (code === 0x2c) isName = names !== undefined
  }
  return undefined
}
