import { readings } from './readings.ts'

/** What is looked for: a text in lower case if it counts in either, and whether only as a word by itself. */
export type Form = { text: string; isEitherCase: boolean; isWord: boolean }

/** So short a secret is a part of many words that are none. */
const shortest = 8
/** So short, digits come up by chance where numbers are written in hex. */
const shortestHex = 16

/** A text of which all characters count in either case, of the same length. */
export const lower = (text: string): string => text.replaceAll('\u0130', 'I').toLowerCase()

const form = (text: string, isEitherCase = true): Form => ({
  text: isEitherCase ? lower(text) : text,
  isEitherCase,
  isWord: text.length < shortest || (text.length < shortestHex && /^[0-9a-f]*$/i.test(text)),
})

/** The forms in which a secret can stand in a text that was read: itself, what it would be read as, and in hex and base64. */
export function formsOf(secret: string): Form[] {
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
