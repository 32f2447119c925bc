/** The named HTML characters that a secret can contain or be hidden with (html.spec.whatwg.org, named character references). */
const entities: Readonly<Record<string, string>> = {
  excl: '!',
  quot: '"',
  num: '#',
  dollar: '$',
  percnt: '%',
  amp: '&',
  apos: "'",
  lpar: '(',
  rpar: ')',
  ast: '*',
  midast: '*',
  plus: '+',
  comma: ',',
  period: '.',
  sol: '/',
  colon: ':',
  semi: ';',
  lt: '<',
  equals: '=',
  gt: '>',
  quest: '?',
  commat: '@',
  lsqb: '[',
  lbrack: '[',
  bsol: '\\',
  rsqb: ']',
  rbrack: ']',
  hat: '^',
  lowbar: '_',
  underbar: '_',
  grave: '`',
  diacriticalgrave: '`',
  lcub: '{',
  lbrace: '{',
  verbar: '|',
  vert: '|',
  verticalline: '|',
  rcub: '}',
  rbrace: '}',
  tab: '\t',
  newline: '\n',
  shy: '\u00ad',
  zwj: '\u200d',
  zwnj: '\u200c',
  lrm: '\u200e',
  rlm: '\u200f',
  nobreak: '\u2060',
  zerowidthspace: '\u200b',
}

/** Removes secrets from all texts of an error and its causes; names and codes stay. */
export function redactError(error: unknown, hide: (text: string) => string): unknown {
  if (!(error instanceof Error)) return typeof error === 'string' ? hide(error) : error
  const { name, message, stack, cause } = error
  const safe = new Error(hide(message), cause === undefined ? {} : { cause: redactError(cause, hide) })
  const code = (error as NodeJS.ErrnoException).code
  return Object.assign(safe, {
    name,
    ...(stack !== undefined && { stack: hide(stack) }),
    ...(code !== undefined && { code }),
  })
}

/** A decoded text, and the start and end in the original of each of its characters. */
type Reading = { text: string; from: Uint32Array; to: Uint32Array }

/** Invisible characters: control and unassigned ones, those that Unicode ignores, and the replacement character of a broken byte. */
const invisible = /[\p{C}\p{Default_Ignorable_Code_Point}\u2028\u2029\u2800\ufffd]+/gu
/** A terminal escape sequence for colour or cursor movement. */
const sequence = /(?:\u001b\[|\u009b)[0-?]{0,64}[ -/]{0,8}[@-~]/g

/** JSON escapes: a run of backslashes, four hex digits, or one letter. */
const inJson = String.raw`((?:\\\\)+)|\\u([0-9a-f]{4})|\\(["'/bfnrt])`
/** The escape patterns. Each begins with its own character and continues with one kind, so matching takes linear time. */
const escapes = {
  json: new RegExp(inJson, 'gi'),
  all: new RegExp(
    [
      inJson,
      '&([a-z]{2,16});',
      '&#0*([0-9]{1,7});?',
      // The groups from here on are hexadecimal.
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

/** Decodes an escape; `undefined` if it has no meaning. */
function decodeEscape(match: RegExpExecArray): string | undefined {
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

/** Replaces every match of a pattern by its meaning; returns the same object if nothing changes. */
function replaceMatches(
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
 * All ways to decode a text: unchanged, and with escapes of JSON, URLs and HTML decoded, also nested ones; always without invisible
 * characters.
 */
function* readings(text: string): Generator<Reading> {
  const from = Uint32Array.from({ length: text.length }, (_, at) => at)
  const original = { text, from, to: from.map((at) => at + 1) }
  const seen = (one: Reading) => replaceMatches(one, invisible, () => '')
  const still = (one: Reading) => seen(replaceMatches(one, sequence, () => ''))
  for (const clean of /[\u001b\u009b]|[19]b|#0*27/i.test(text) ? [seen, still] : [seen]) {
    const first = clean(original)
    yield first
    for (const escaping of [escapes.json, escapes.all]) {
      let last = first
      for (let level = 0; level < mostLevels; level++) {
        const next = clean(replaceMatches(last, escaping, decodeEscape))
        if (next === last) break
        yield next
        last = next
      }
      // If only some letters are nested escapes, it is ambiguous which backslash belongs to which; so try without all backslashes.
      yield replaceMatches(last, /\\+/g, () => '')
    }
  }
}

/** A text to search for: `isEitherCase` texts are in lower case; `isWord` texts match only as whole words. */
type Form = { text: string; isEitherCase: boolean; isWord: boolean }

/** A shorter secret occurs inside ordinary words. */
const shortest = 8
/** Fewer digits occur by chance in hexadecimal numbers. */
const shortestHex = 16

/** Converts to lower case without changing the length. */
const lower = (text: string): string => text.replaceAll('\u0130', 'I').toLowerCase()

const form = (text: string, isEitherCase = true): Form => ({
  text: isEitherCase ? lower(text) : text,
  isEitherCase,
  isWord: text.length < shortest || (text.length < shortestHex && /^[0-9a-f]*$/i.test(text)),
})

/** The forms of a secret in a decoded text: itself, its decoded forms, hex and base64. */
function formsOf(secret: string): Form[] {
  const bytes = Buffer.from(secret)
  const found = [
    ...[...readings(secret)].map(({ text }) => form(text)),
    form(bytes.toString('hex')),
    form(bytes.toString('base64').replace(/=+$/, ''), false),
    form(bytes.toString('base64url'), false),
    ...[0, 1, 2].flatMap((before) => inside(bytes, before)),
  ]
  const byText = new Map(found.filter(({ text }) => text !== '').map((one) => [one.text, one]))
  return [...byText.values()]
}

/** The part of a base64 text that depends only on the secret, for any bytes around it. */
function inside(bytes: Buffer, before: number): Form[] {
  const whole = Buffer.concat([Buffer.alloc(before), bytes])
  return (['base64', 'base64url'] as const)
    .map((alphabet) => whole.toString(alphabet).replace(/=+$/, ''))
    .map((text) => text.slice(Math.ceil((before * 8) / 6), Math.floor((whole.length * 8) / 6)))
    .filter((text) => text.length >= shortest)
    .map((text) => form(text, false))
}

type Span = { from: number; to: number }

/** Characters that decoding may change; a text without them has only one reading. */
const special = /[^\u0020-\u007e]|[\\%&]/

/**
 * Creates a function that removes secrets from texts, because a service may repeat its request. It finds JSON, HTML and URL escapes, any
 * casing, invisible characters between the letters, hex and base64. A secret under eight characters matches only as a whole word. It takes
 * linear time.
 */
export function createRedactor(secrets: readonly string[], instead: string): (text: string) => string {
  const forms = secrets.flatMap(formsOf)
  return (text) => {
    if (!special.test(text) && !mayHold(text, forms)) return text
    const found = [...readings(text)].flatMap((reading) => findForms(reading, forms))
    return found.length === 0 ? text : replaceSpans(text, found, instead)
  }
}

function mayHold(text: string, forms: readonly Form[]): boolean {
  const low = lower(text)
  return forms.some((form) => (form.isEitherCase ? low : text).includes(form.text))
}

/** The positions of the forms in the original text. */
function findForms({ text, from, to }: Reading, forms: readonly Form[]): Span[] {
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

/** Replaces the found positions. It removes JSON escapes completely, so that JSON stays valid. */
function replaceSpans(text: string, found: readonly Span[], instead: string): string {
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
