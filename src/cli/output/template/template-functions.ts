import type { Stream } from '../../terminal/io-types.ts'
import { hyperlink, paintFor } from '../../terminal/terminal-abilities.ts'
import { displayWidth } from '../../terminal/text-wrap.ts'

/** What functions share while one document is shaped: the stream, the time in epoch milliseconds, and the rows of `tablerow`. */
export type Running = {
  to: Stream
  now: number
  row: (cells: string[]) => void
  flush: () => string
}

/** A function of templates: how many arguments it takes (least, most), and what it returns. Its errors are `Error`. */
type TemplateFunction = {
  takes: readonly [least: number, most?: number]
  call: (args: readonly unknown[], running: Running) => unknown
}

/** The functions of templates: those of Go's `text/template` that make sense on JSON, and those that `gh` adds. */
export const functions: Readonly<Record<string, TemplateFunction>> = {
  and: { takes: [1], call: (args) => args.find((one) => !isTrue(one)) ?? args.at(-1) },
  or: { takes: [1], call: (args) => args.find(isTrue) ?? args.at(-1) },
  not: { takes: [1, 1], call: ([value]) => !isTrue(value) },
  eq: { takes: [2], call: ([one, ...others]) => others.some((other) => same(one, other)) },
  ne: { takes: [2, 2], call: ([one, other]) => !same(one, other) },
  lt: { takes: [2, 2], call: ([one, other]) => order(one, other) < 0 },
  le: { takes: [2, 2], call: ([one, other]) => order(one, other) <= 0 },
  gt: { takes: [2, 2], call: ([one, other]) => order(one, other) > 0 },
  ge: { takes: [2, 2], call: ([one, other]) => order(one, other) >= 0 },
  len: { takes: [1, 1], call: ([value]) => lengthOf(value) },
  index: { takes: [1], call: ([value, ...keys]) => keys.reduce(at, value) },
  slice: { takes: [1, 3], call: ([value, from, to]) => part(value, from, to) },
  print: { takes: [0], call: (args) => args.map(printedValue).join('') },
  println: { takes: [0], call: (args) => `${args.map(printedValue).join(' ')}\n` },
  printf: { takes: [1], call: ([format, ...args]) => formatted(text(format), args) },
  html: {
    takes: [1, 1],
    call: ([value]) => printedValue(value).replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`),
  },
  urlquery: { takes: [1, 1], call: ([value]) => encodeURIComponent(printedValue(value)) },
  contains: { takes: [2, 2], call: ([wanted, value]) => text(value).includes(text(wanted)) },
  hasPrefix: { takes: [2, 2], call: ([wanted, value]) => text(value).startsWith(text(wanted)) },
  hasSuffix: { takes: [2, 2], call: ([wanted, value]) => text(value).endsWith(text(wanted)) },
  regexMatch: { takes: [2, 2], call: ([form, value]) => new RegExp(text(form), 'u').test(text(value)) },
  join: { takes: [2, 2], call: ([sign, value]) => list(value).map(printedValue).join(text(sign)) },
  pluck: {
    takes: [2, 2],
    call: ([name, value]) =>
      list(value).map((item) => (item as Record<string, unknown> | null)?.[text(name)]),
  },
  truncate: { takes: [2, 2], call: ([width, value]) => truncated(number(width), printedValue(value ?? '')) },
  color: { takes: [2, 2], call: ([style, value], { to }) => coloured(text(style), printedValue(value), to) },
  autocolor: {
    takes: [2, 2],
    call: ([style, value], { to }) => coloured(text(style), printedValue(value), to),
  },
  hyperlink: {
    takes: [2, 2],
    call: ([url, value], { to }) => {
      const shown = printedValue(value ?? '') || text(url)
      return to.link && /^https:\/\/[\x21-\x7e]+$/.test(text(url)) ? hyperlink(shown, text(url)) : shown
    },
  },
  timeago: {
    takes: [1, 1],
    call: ([value], { now }) => (isMissing(value) ? '' : ago(now - date(value).getTime())),
  },
  timefmt: {
    takes: [2, 2],
    call: ([layout, value]) => (isMissing(value) ? '' : laidOut(text(layout), date(value))),
  },
  tablerow: {
    takes: [1],
    call: (cells, { row }) => {
      row(cells.map((cell) => printedValue(cell ?? '').replace(/\s*\n\s*/g, ' ')))
      return ''
    },
  },
  tablerender: { takes: [0, 0], call: (_, { flush }) => flush() },
}

/** Whether a value counts as true: not empty, not zero, not false. */
export const isTrue = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.length > 0
    : typeof value === 'object' && value !== null
      ? Object.keys(value).length > 0
      : Boolean(value)

/** A value as text: `<no value>` for one that is missing, as Go prints it; JSON for lists and objects. */
export const printedValue = (value: unknown): string =>
  value === undefined || value === null
    ? '<no value>'
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value)

/** A time that has not come yet, such as the end of an open action, is no text. */
const isMissing = (value: unknown): boolean => value === undefined || value === null

function text(value: unknown): string {
  if (typeof value === 'string') return value
  throw new Error(`${printedValue(value)} is no text`)
}
function number(value: unknown): number {
  if (typeof value === 'number') return value
  throw new Error(`${printedValue(value)} is no number`)
}
function list(value: unknown): unknown[] {
  if (value === null || value === undefined) return []
  if (Array.isArray(value)) return value
  throw new Error(`${printedValue(value)} is no list`)
}
function date(value: unknown): Date {
  const found = new Date(text(value))
  if (!Number.isNaN(found.getTime())) return found
  throw new Error(`"${String(value)}" is no time`)
}

const same = (one: unknown, other: unknown): boolean => (one ?? null) === (other ?? null)

function order(one: unknown, other: unknown): number {
  if (typeof one === 'string' && typeof other === 'string') return one < other ? -1 : one > other ? 1 : 0
  return number(one) - number(other)
}

function lengthOf(value: unknown): number {
  if (typeof value === 'string') return [...value].length
  if (typeof value === 'object' && value !== null) return Object.keys(value).length
  throw new Error(`${printedValue(value)} has no length`)
}

function at(value: unknown, key: unknown): unknown {
  if (Array.isArray(value)) {
    const place = number(key)
    if (place < 0 || place >= value.length) throw new Error(`there is no item ${place} of ${value.length}`)
    return value[place]
  }
  if (typeof value !== 'object' || value === null) throw new Error(`${printedValue(value)} has no items`)
  return Object.hasOwn(value, text(key)) ? (value as Record<string, unknown>)[text(key)] : undefined
}

function part(value: unknown, from: unknown = 0, to?: unknown): unknown {
  if (typeof value !== 'string' && !Array.isArray(value))
    throw new Error(`${printedValue(value)} has no parts`)
  const end = to === undefined ? value.length : number(to)
  if (number(from) < 0 || end > value.length || number(from) > end)
    throw new Error(`there is no part ${number(from)} to ${end} of ${value.length}`)
  return value.slice(number(from), end)
}

function truncated(width: number, value: string): string {
  if (displayWidth(value) <= width) return value
  const end = width < 3 ? '' : '...'
  const shown = [...value]
  while (shown.length > 0 && displayWidth(shown.join('')) > width - end.length) shown.pop()
  return shown.join('') + end
}

/** The value in a style of `gh`, such as `green`, `red+b` or `black:white`; uncoloured where the stream is. */
function coloured(style: string, value: string, to: Stream): string {
  const painted = paintFor(style, to.paint)
  if (!painted) throw new Error(`unknown style "${style}"`)
  return painted(value)
}

/** `about 5 minutes ago` */
function ago(ms: number): string {
  const units: [name: string, ms: number][] = [
    ['year', 365 * 86_400_000],
    ['month', 30 * 86_400_000],
    ['day', 86_400_000],
    ['hour', 3_600_000],
    ['minute', 60_000],
  ]
  const [name, length] = units.find(([, one]) => Math.abs(ms) >= one) ?? []
  if (name === undefined || length === undefined)
    return ms < 0 ? 'in less than a minute' : 'less than a minute ago'
  const count = Math.floor(Math.abs(ms) / length)
  const said = `${count} ${name}${count === 1 ? '' : 's'}`
  return ms < 0 ? `in about ${said}` : `about ${said} ago`
}

const monthNames =
  'January February March April May June July August September October November December'.split(' ')
const dayNames = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')

/** A time in UTC by a layout of Go: the reference time `Mon Jan 2 15:04:05 2006` written as it should look. */
function laidOut(layout: string, of: Date): string {
  const two = (value: number) => String(value).padStart(2, '0')
  const hour = of.getUTCHours() % 12 || 12
  const [month, day] = [monthNames[of.getUTCMonth()]!, dayNames[of.getUTCDay()]!]
  const parts: Record<string, string> = {
    '2006': String(of.getUTCFullYear()),
    '06': two(of.getUTCFullYear() % 100),
    January: month,
    Jan: month.slice(0, 3),
    '01': two(of.getUTCMonth() + 1),
    '1': String(of.getUTCMonth() + 1),
    Monday: day,
    Mon: day.slice(0, 3),
    '02': two(of.getUTCDate()),
    _2: String(of.getUTCDate()).padStart(2),
    '2': String(of.getUTCDate()),
    '15': two(of.getUTCHours()),
    '03': two(hour),
    '3': String(hour),
    '04': two(of.getUTCMinutes()),
    '4': String(of.getUTCMinutes()),
    '05': two(of.getUTCSeconds()),
    '5': String(of.getUTCSeconds()),
    '.000': `.${String(of.getUTCMilliseconds()).padStart(3, '0')}`,
    PM: of.getUTCHours() < 12 ? 'AM' : 'PM',
    pm: of.getUTCHours() < 12 ? 'am' : 'pm',
    MST: 'UTC',
    'Z07:00': 'Z',
    '-0700': '+0000',
    '-07:00': '+00:00',
  }
  return layout.replace(
    /2006|January|Jan|Monday|Mon|MST|Z07:00|-07:00|-0700|\.000|0[1-6]|15|_2|PM|pm|[1-5]/g,
    (name) => parts[name] ?? name,
  )
}

/** The verbs of `printf` that make sense on JSON: %v %s %q %d %f %t %x %%, with a width and a precision. */
function formatted(format: string, args: readonly unknown[]): string {
  let next = 0
  return format.replace(
    /%([-+0 ]*)(\d+)?(?:\.(\d+))?([a-zA-Z%])/g,
    (_, flags: string, width, digits, verb: string) => {
      if (verb === '%') return '%'
      if (next >= args.length) throw new Error(`%${verb} has no argument`)
      const said = inVerb(verb, args[next++], digits === undefined ? undefined : Number(digits))
      const signed = flags.includes('+') && /^\d/.test(said) ? `+${said}` : said
      const room = Number(width ?? 0)
      if (flags.includes('-')) return signed.padEnd(room)
      return flags.includes('0') ? signed.padStart(room, '0') : signed.padStart(room)
    },
  )
}

function inVerb(verb: string, value: unknown, digits: number | undefined): string {
  const cut = (said: string) => (digits === undefined ? said : [...said].slice(0, digits).join(''))
  switch (verb) {
    case 'v':
    case 's':
      return cut(printedValue(value))
    case 'q':
      return JSON.stringify(printedValue(value))
    case 't':
      return String(isTrue(value))
    case 'd':
      return String(Math.trunc(number(value)))
    case 'f':
      return number(value).toFixed(digits ?? 6)
    case 'x':
      return typeof value === 'string'
        ? Buffer.from(value).toString('hex')
        : Math.trunc(number(value)).toString(16)
    default:
      throw new Error(`unknown verb %${verb}`)
  }
}
