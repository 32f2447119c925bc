/** A character in hex with this number of digits. */
const hex = (one: string, length: number) => one.charCodeAt(0).toString(16).padStart(length, '0')
const named: Record<string, string> = {
  '+': '&plus;',
  '/': '&sol;',
  '=': '&equals;',
  '&': '&amp;',
  '"': '&quot;',
  '<': '&lt;',
  _: '&lowbar;',
  '\\': '&bsol;',
}
/** Spellings of one character. */
export const ways: readonly ((one: string) => string)[] = [
  (one) => JSON.stringify(one).slice(1, -1),
  (one) => `\\u${hex(one, 4)}`,
  (one) => `\\u${hex(one, 4).toUpperCase()}`,
  (one) => `%${hex(one, 2)}`,
  (one) => `%25${hex(one, 2).toUpperCase()}`,
  (one) => `&#${one.charCodeAt(0)};`,
  (one) => `&#x000${hex(one, 2)};`,
  (one) => named[one] ?? `&#X${hex(one, 2)};`,
  (one) => `\\\\u${hex(one, 4)}`,
  (one) => `&amp;#${one.charCodeAt(0)};`,
  (one) => JSON.stringify(one.toUpperCase()).slice(1, -1),
]
/** Invisible text between two characters, also in escaped form. */
export const gaps: readonly string[] = [
  '',
  '\u200b',
  '\u00ad',
  '\u202e',
  '\u2060',
  '\ue000',
  '\u{f0000}',
  '\ufffe',
  '\u0378',
  '\ud800',
  '\u2800',
  '\ufeff',
  '\u0000',
  '\u007f',
  '\u009f',
  '\n',
  '\u001b[0m',
  '\\u200b',
  '\\u0000',
  '\\n',
  '\\u001b[31m',
  '&#8203;',
  '&shy;',
  '%00',
]
/** Spellings of a whole text. */
export const whole: readonly ((key: string) => string)[] = [
  (one) => one,
  (one) => JSON.stringify(one),
  (one) => JSON.stringify(JSON.stringify(one)),
  (one) => JSON.stringify(JSON.stringify(JSON.stringify(one))),
  encodeURIComponent,
  (one) => encodeURIComponent(encodeURIComponent(one)),
  (one) => Buffer.from(one).toString('hex'),
  (one) => Buffer.from(one).toString('hex').toUpperCase(),
  (one) => Buffer.from(one).toString('base64'),
  (one) => Buffer.from(one).toString('base64url'),
  (one) => Buffer.from(`user:${one}`).toString('base64'),
  (one) => Buffer.from(`u:${one}!`).toString('base64url'),
  (one) => one.toUpperCase(),
]
