/** The characters that HTML has names for, as far as a secret can be made of them or hidden among them (html.spec.whatwg.org, named character references). */
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

/** An error and its causes with every text of theirs read through `hide`; the name and the code stay. */
export function hidden(error: unknown, hide: (text: string) => string): unknown {
  if (!(error instanceof Error)) return typeof error === 'string' ? hide(error) : error
  const { name, message, stack, cause } = error
  const safe = new Error(hide(message), cause === undefined ? {} : { cause: hidden(cause, hide) })
  const code = (error as NodeJS.ErrnoException).code
  return Object.assign(safe, {
    name,
    ...(stack !== undefined && { stack: hide(stack) }),
    ...(code !== undefined && { code }),
  })
}

/** A text as somebody would read it, and of each of its characters where in the original it begins and ends. */
type Reading = { text: string; from: Uint32Array; to: Uint32Array }

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
function* readings(text: string): Generator<Reading> {
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

/** What is looked for: a text in lower case if it counts in either, and whether only as a word by itself. */
type Form = { text: string; isEitherCase: boolean; isWord: boolean }

/** So short a secret is a part of many words that are none. */
const shortest = 8
/** So short, digits come up by chance where numbers are written in hex. */
const shortestHex = 16

/** A text of which all characters count in either case, of the same length. */
const lower = (text: string): string => text.replaceAll('\u0130', 'I').toLowerCase()

const form = (text: string, isEitherCase = true): Form => ({
  text: isEitherCase ? lower(text) : text,
  isEitherCase,
  isWord: text.length < shortest || (text.length < shortestHex && /^[0-9a-f]*$/i.test(text)),
})

/** The forms in which a secret can stand in a text that was read: itself, what it would be read as, and in hex and base64. */
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

/** The part of a base64 text that is the secret's alone, where other bytes stand before and after it. */
function inside(bytes: Buffer, before: number): Form[] {
  const whole = Buffer.concat([Buffer.alloc(before), bytes])
  return (['base64', 'base64url'] as const)
    .map((alphabet) => whole.toString(alphabet).replace(/=+$/, ''))
    .map((text) => text.slice(Math.ceil((before * 8) / 6), Math.floor((whole.length * 8) / 6)))
    .filter((text) => text.length >= shortest)
    .map((text) => form(text, false))
}

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
