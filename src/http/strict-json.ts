import { AppError } from '../domain/errors.ts'

/** The maximum nesting of a response, because later code is recursive. */
const mostDepth = 64

/**
 * Parses JSON; `undefined` for empty text. SERVICE_BAD_RESPONSE if it nests deeper than 64, checked before parsing; SyntaxError if it is
 * not JSON.
 */
export function parseStrict(text: string): unknown {
  if (text === '') return undefined
  if (depthOf(text) > mostDepth)
    throw new AppError('SERVICE_BAD_RESPONSE', `The answer is nested deeper than ${mostDepth}`, {
      details: { fault: 'too-deep' },
    })
  return JSON.parse(text) as unknown
}

/** Parses valid JSON with every number as its source text, so that no digit is lost. */
export const numbersAsText = (text: string): unknown => JSON.parse(text, asWritten) as unknown

const asWritten = (_name: string, value: unknown, context?: { source: string }): unknown =>
  typeof value === 'number' ? context!.source : value

/** The nesting depth of brackets in a text, outside strings. */
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

/** The index of the closing quote of the string at `start`; the end of the text without one. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0
    while (text.charCodeAt(at - 1 - slashes) === 0x5c) slashes++
    if (slashes % 2 === 0) return at
  }
  return text.length
}

/** The property name that has a meaning in JavaScript. */
export const prototypeName = '__proto__'

/**
 * The first name that makes valid JSON ambiguous: a duplicate name in an object, because JSON.parse keeps the last value and other parsers
 * the first, or `__proto__`.
 */
export function ambiguousName(text: string): string | undefined {
  const outer: (Set<string> | undefined)[] = []
  /** The names so far of the innermost object; `undefined` in a list. */
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
        if (name === prototypeName || names.has(name)) return name
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
