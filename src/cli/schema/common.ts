import { z } from 'zod'
import { errorTable } from '../../domain/error-table.ts'

/** An object with these fields and no others. */
export const fields = z.strictObject

/** A value that a backend may not give, or that there is none of. */
export const maybe = <inner extends z.ZodType>(inner: inner) => inner.nullable()

/** An address as it is printed: checksummed. */
export const AddressText = z.string().regex(/^0x[0-9a-fA-F]{40}$/)

/** The hash of a transaction. */
export const HashText = z.string().regex(/^0x[0-9a-fA-F]{64}$/)

/** A SHA-256 digest, as plans and files are known by. */
export const Digest = z.string().regex(/^[0-9a-f]{64}$/)

/** A time in UTC, ISO 8601. */
export const Time = z.iso.datetime()

/** A whole number in a smallest unit, or in wei: text, because it may be larger than numbers of JSON can be. */
export const Whole = z.string().regex(/^-?[0-9]+$/)

/** Money in USD, as decimals. */
export const Usd = z.string().regex(/^-?[0-9]+(\.[0-9]+)?$/)

const amount = {
  raw: Whole.describe('in the smallest unit'),
  decimals: z.int().min(0).max(255),
  symbol: z.string(),
  formatted: z.string().describe('in units of the token'),
}

/** An amount of a token. */
export const Amount = fields(amount)

/** The fields of a token amount on a network, for objects that contain one. */
export const amountOn = <shape extends z.core.$ZodShape>(shape: shape) => fields({ ...shape, ...amount })

/** A page of a list; `total` is `null` if it was not counted. `more` are fields of this list only. */
export const listOf = <item extends z.ZodType>(item: item, more: z.core.$ZodShape = {}) =>
  fields({
    items: z.array(item),
    page: z.int().min(1),
    limit: z.int().min(0),
    total: maybe(z.int().min(0)),
    hasMore: z.boolean(),
    why: z.string().optional().describe('why the list is empty; missing if it is not'),
    ...more,
  })

/** The output of every failed command with `--json`. */
export const Failure = fields({
  error: fields({
    code: z.enum(Object.keys(errorTable)).describe('stable error code'),
    message: z.string().describe('what happened, for humans'),
    details: z.record(z.string(), z.unknown()),
    hint: maybe(z.string()).describe('what to do next, as one text'),
    next: z
      .array(fields({ why: maybe(z.string()), command: z.string() }))
      .describe('the commands of the hint, each as a line to paste, with the words before it'),
    retryable: z.boolean().describe('whether the same request may succeed later'),
  }),
})

/** That a withdrawal is queued. */
export const Queued = fields({
  seconds: maybe(z.int()),
  next: z.string(),
  amount: maybe(Amount)
    .optional()
    .describe('amount requested; null for everything, missing in actions of older versions'),
  window: fields({ seconds: maybe(z.int()), back: z.string() })
    .optional()
    .describe(
      'how long it can be claimed once ready, and the command that returns a lapsed claim; missing if claims never lapse',
    ),
})

/** Why executing a quote will be refused. */
export const Refusals = z
  .array(
    fields({
      code: z.string(),
      message: z.string(),
      flag: maybe(z.string()).describe('the flag that accepts it'),
      missing: maybe(Amount).describe('of INSUFFICIENT_FUNDS: what the wallet lacks'),
      next: maybe(z.string()).describe('of INSUFFICIENT_FUNDS: the next command'),
    }),
  )
  .describe('why executing it will be refused')
