import { entities } from './entities.ts'

/** A text as somebody would read it, and of each of its characters where in the original it begins and ends. */
export type Reading = { text: string; from: Uint32Array; to: Uint32Array }

/** All that nobody sees or reads: what `plain` takes away, what Unicode says is ignored, what is nobody's character, and what stands for a broken byte. */
const unseen = /[\p{C}\p{Default_Ignorable_Code_Point}\u2028\u2029\u2800\ufffd]+/gu
/** What a terminal takes for a colour or a movement. */
const sequence = /(?:\u001b\[|\u009b)[0-?]{0,64}[ -/]{0,8}[@-~]/g

/** A run of backslashes, one of four digits, one of a letter. */
const inJson = String.raw`((?:\\\\)+)|\\u([0-9a-f]{4})|\\(["'/bfnrt])`
/** Each begins with a character of its own, and what follows is of one kind: reading takes no longer than the text is long. */
const escapes = {
  json: new RegExp(inJson, 'gi'),
  all: new RegExp(
    [
      inJson,
      '&([a-z]{2,16});',
      '&#0*([0-9]{1,7});?',
      // From here on the digits are hex.
      '%([0-9a-f]{2})',
      '%u([0-9a-f]{4})',
      '&#x0*([0-9a-f]{1,6});?',
      String.raw`\\x([0-9a-f]{2})`,
      String.raw`\\u\{0*([0-9a-f]{1,6})\}`,
    ].join('|'),
    'gi',
  ),
}

const ofOne: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

/** What an escape stands for; `undefined` where it stands for nothing. */
function meant(match: RegExpExecArray): string | undefined {
  const [, run, four, one, name, decimal] = match
  if (run !== undefined) return run.slice(run.length / 2)
  if (one !== undefined) return ofOne[one] ?? one
  if (name !== undefined) return entities[name.toLowerCase()]
  const code =
    decimal === undefined
      ? Number.parseInt(four ?? match[6] ?? match[7] ?? match[8] ?? match[9] ?? match[10]!, 16)
      : Number(decimal)
  return code <= 0x10ffff ? String.fromCodePoint(code) : undefined
}

/** The same with every match of a pattern replaced by what it means; the same object where nothing is. */
function replaced(
  reading: Reading,
  pattern: RegExp,
  meaning: (match: RegExpExecArray) => string | undefined,
) {
  const { text } = reading
  const parts: string[] = []
  const from = new Uint32Array(text.length)
  const to = new Uint32Array(text.length)
  let length = 0
  let done = 0
  const keep = (until: number) => {
    if (until === done) return
    parts.push(text.slice(done, until))
    for (let at = done; at < until; at++, length++) {
      from[length] = reading.from[at]!
      to[length] = reading.to[at]!
    }
  }
  pattern.lastIndex = 0
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const what = meaning(match)
    if (what === undefined) continue
    keep(match.index)
    done = match.index + match[0].length
    parts.push(what)
    const each = Math.floor(match[0].length / what.length)
    for (let at = 0; at < what.length; at++, length++) {
      from[length] = reading.from[match.index + at * each]!
      to[length] = reading.to[match.index + (at + 1) * each - 1]!
    }
  }
  if (parts.length === 0) return reading
  keep(text.length)
  return { text: parts.join(''), from: from.subarray(0, length), to: to.subarray(0, length) }
}

const mostLevels = 8

/**
 * Every way in which a text can be read: as it is, and with what JSON, URLs and HTML write as escapes read as what it stands
 * for, also one inside of the other; always without what nobody sees.
 */
export function* readings(text: string): Generator<Reading> {
  const from = Uint32Array.from({ length: text.length }, (_, at) => at)
  const original = { text, from, to: from.map((at) => at + 1) }
  const seen = (one: Reading) => replaced(one, unseen, () => '')
  const still = (one: Reading) => seen(replaced(one, sequence, () => ''))
  for (const clean of /[\u001b\u009b]|[19]b|#0*27/i.test(text) ? [seen, still] : [seen]) {
    const first = clean(original)
    yield first
    for (const escaping of [escapes.json, escapes.all]) {
      let last = first
      for (let level = 0; level < mostLevels; level++) {
        const next = clean(replaced(last, escaping, meant))
        if (next === last) break
        yield next
        last = next
      }
      // Where one letter is an escape inside of an escape and the next one is not, nobody can tell whose a backslash is.
      yield replaced(last, /\\+/g, () => '')
    }
  }
}
