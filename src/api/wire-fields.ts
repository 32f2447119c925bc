import { z } from 'zod'

/** A whole number within bounds, which may arrive as text, as everything in a query string does. The OpenAPI document shows the bounds. */
export function whole(least: number, most = Number.MAX_SAFE_INTEGER) {
  const value = z.int().min(least, `must be ${least} or more`).max(most, `must be ${most} or less`)
  const number = z.int().meta({ minimum: least, maximum: most })
  const expected = 'expected a whole number'
  // Where only the pattern does not hold, its words are told and not those of the union.
  const forms = z.union([number, z.string().regex(/^[0-9]{1,15}$/, expected)], expected)
  return z.codec(forms.meta({ writes: 0 }), value, { decode: Number, encode: (value) => value })
}

/** What a client says of the page that it wants. Pages count from 1, and the longest has 100 items. */
export const paging = {
  page: whole(1).optional(),
  limit: whole(1, 100).optional(),
}

/** An id or a name that a client sends: text, and not a long one. */
export const Name = z.string().max(200, 'must not be longer than 200 characters')

/** A yes or no that may arrive as text. */
export const Flag = z.codec(
  z.union([z.boolean(), z.enum(['true', 'false'])], 'expected true or false'),
  z.boolean(),
  {
    decode: (value) => value === true || value === 'true',
    encode: (value) => value,
  },
)

/** What a deployment may leave out or send as null; inside it is `null`. */
export const maybe = <inner extends z.ZodType>(inner: inner) => z.nullish(inner)

/** A field that the specification does not have at this place: what another deployment means by such a name, and is not understood, is `null`. It is written as it is. */
export const ours = <inner extends z.ZodType>(inner: inner) => z.nullish(inner).catch(null)

/** What was kept, where it is of the kind that ours is; otherwise `null`. */
export const understood = <inner extends z.ZodType>(inner: inner, value: unknown): z.input<inner> | null =>
  z.safeDecode(inner, value as never).success ? (value as z.input<inner>) : null

const mostDecimals = 255

/** How many decimals a token has: what a contract can say (uint8), and no more than can be written out. */
export const Decimals = z.int().min(0).max(mostDecimals)

/** The same as a client says it. */
export const DecimalsInput = whole(0, mostDecimals)

/** Shapes that are read as one, of which this program writes the one at a place: that is the one that the OpenAPI document shows. */
export const oneOf = <shapes extends readonly [z.ZodType, ...z.ZodType[]]>(shapes: shapes, writes: number) =>
  z.union(shapes).meta({ writes })

/** A field that the specification does not have, in a document that goes back as it came: it is kept whatever it is, and read with `understood`. */
export const asSent = <inner extends z.ZodType>(inner: inner) =>
  oneOf([z.nullish(inner), z.unknown()], 0).optional()

/** A number that some deployments send as text. */
export const Numeric = z.union([z.number(), z.string().regex(/^-?[0-9]+(\.[0-9]+)?$/, 'expected a number')])

/** A number in decimals, never with an exponent: `1.5e-7` is `0.00000015`. A text is one already. */
export function decimalText(value: number | string): string {
  const [, sign = '', whole = '', part = '', power] =
    /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(String(value)) ?? []
  if (power === undefined) return String(value)
  const places = Number(power)
  return places < 0
    ? `${sign}0.${'0'.repeat(-places - 1)}${whole}${part}`
    : `${sign}${whole}${part.padEnd(places, '0')}`
}

/** A fraction that may arrive as text and leaves as text without an exponent, as a query string carries it. */
export const Fraction = z.codec(Numeric, z.number(), {
  decode: Number,
  encode: decimalText,
})

/** A field that a deployment may name freely: read as it is, `null` where it is not sent. */
export const orNull = <value>(value: value | null | undefined): value | null => value ?? null

/** A unix time in seconds or an ISO text, as ISO text in UTC. Throws nothing: what is neither is `null`. */
export function isoTime(value: unknown): string | null {
  const date =
    typeof value === 'number' || (typeof value === 'string' && /^[0-9]+$/.test(value))
      ? new Date(Number(value) * 1000)
      : typeof value === 'string'
        ? new Date(value)
        : undefined
  return date && !Number.isNaN(date.getTime()) ? date.toISOString() : null
}

/** The words that this version knows for the status of an action, upper case (the last three are final). */
export const actionStatuses = ['INITIAL', 'PENDING', 'SUCCESS', 'FAILED', 'REFUNDED'] as const

/** The words of the specification for the status of a swap or a quote. */
export const swapStatuses = [
  'pending',
  'confirmed',
  'processing',
  'fulfilled',
  'expired',
  'failed',
  'refunded',
] as const

/** What can have happened to a position. The specification leaves these words open. */
export const historyTypes = ['deposit', 'withdraw', 'transfer_in', 'transfer_out', 'claim'] as const

/** How far an event of the history, or one transaction of an action, has come. */
export const historyStatuses = ['pending', 'confirmed', 'failed'] as const

/** A word in the casing that is ours, where it is known; as it came otherwise. */
export const ourWord = (known: readonly string[], word: string): string =>
  known.find((one) => one.toLowerCase() === word.toLowerCase()) ?? word
