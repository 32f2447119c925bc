import { z } from 'zod'

/** A whole number within bounds; text is accepted, because query strings contain only text. The OpenAPI document shows the bounds. */
export function wholeNumberField(least: number, most = Number.MAX_SAFE_INTEGER) {
  const value = z.int().min(least, `must be ${least} or more`).max(most, `must be ${most} or less`)
  const number = z.int().meta({ minimum: least, maximum: most })
  const expected = 'expected a whole number'
  // If only the pattern fails, the error shows its message instead of the union's.
  const forms = z.union([number, z.string().regex(/^[0-9]{1,15}$/, expected)], expected)
  return z.codec(forms.meta({ writes: 0 }), value, { decode: Number, encode: (value) => value })
}

/** The paging parameters of a request. Pages count from 1 and have at most 100 items. */
export const pagingFields = {
  page: wholeNumberField(1).optional(),
  limit: wholeNumberField(1, 100).optional(),
}

/** An id or name from a client, of limited length. */
export const Name = z.string().max(200, 'must not be longer than 200 characters')

/** A boolean that may arrive as text. */
export const Flag = z.codec(
  z.union([z.boolean(), z.enum(['true', 'false'])], 'expected true or false'),
  z.boolean(),
  {
    decode: (value) => value === true || value === 'true',
    encode: (value) => value,
  },
)

/** A field that a deployment may omit or send as null. */
export const nullish = <inner extends z.ZodType>(inner: inner) => z.nullish(inner)

/**
 * An extension: a field that the specification does not have. A value that does not match its schema becomes `null`, because another
 * deployment may use the name for something else. It is written unchanged.
 */
export const extension = <inner extends z.ZodType>(inner: inner) => z.nullish(inner).catch(null)

/** A stored value if it matches a schema; otherwise `null`. */
export const valueIfValid = <inner extends z.ZodType>(inner: inner, value: unknown): z.input<inner> | null =>
  z.safeDecode(inner, value as never).success ? (value as z.input<inner>) : null

const mostDecimals = 255

/** The decimals of a token, a uint8 as in its contract. */
export const Decimals = z.int().min(0).max(mostDecimals)

/** The decimals of a token in a client's request. */
export const DecimalsInput = wholeNumberField(0, mostDecimals)

/** Alternative shapes of a value. The program writes the shape at index `writes`, which the OpenAPI document shows. */
export const anyShape = <shapes extends readonly [z.ZodType, ...z.ZodType[]]>(
  shapes: shapes,
  writes: number,
) => z.union(shapes).meta({ writes })

/** An extension field in a document that is sent back unchanged: it keeps any value. Read it with `valueIfValid`. */
export const passThrough = <inner extends z.ZodType>(inner: inner) =>
  anyShape([z.nullish(inner), z.unknown()], 0).optional()

/** A number; some deployments send it as text. */
export const Numeric = z.union([z.number(), z.string().regex(/^-?[0-9]+(\.[0-9]+)?$/, 'expected a number')])

/** Writes a number in decimals without an exponent: `1.5e-7` becomes `0.00000015`. Text is returned unchanged. */
export function decimalText(value: number | string): string {
  const [, sign = '', whole = '', part = '', power] =
    /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(String(value)) ?? []
  if (power === undefined) return String(value)
  const places = Number(power)
  return places < 0
    ? `${sign}0.${'0'.repeat(-places - 1)}${whole}${part}`
    : `${sign}${whole}${part.padEnd(places, '0')}`
}

/** A fraction; it may arrive as text, and is written as text without an exponent for query strings. */
export const Fraction = z.codec(Numeric, z.number(), {
  decode: Number,
  encode: decimalText,
})

/** Replaces an omitted field by `null`. */
export const orNull = <value>(value: value | null | undefined): value | null => value ?? null

/** Converts a unix time in seconds or an ISO text to ISO text in UTC; `null` for other values. */
export function isoTime(value: unknown): string | null {
  const date =
    typeof value === 'number' || (typeof value === 'string' && /^[0-9]+$/.test(value))
      ? new Date(Number(value) * 1000)
      : typeof value === 'string'
        ? new Date(value)
        : undefined
  return date && !Number.isNaN(date.getTime()) ? date.toISOString() : null
}
