import { expect, test } from 'vitest'
import { z } from 'zod'
import { schemaMismatchText } from '../../src/domain/schema-mismatch-text.ts'

const Shape = z.strictObject({
  name: z.string(),
  count: z.int().min(1),
  kind: z.enum(['a', 'b']),
  rows: z.array(z.object({ to: z.string().regex(/^0x/) })),
  sum: z.string().regex(/^\d+$/, 'expected an amount such as "10"').optional(),
  on: z.boolean().optional(),
})
const whole = { name: 'x', count: 1, kind: 'a', rows: [{ to: '0x' }] }
const said = (value: unknown) => schemaMismatchText(Shape.safeParse(value).error!)

test.each([
  [{}, 'name is missing; count is missing; kind is not a or b; and 1 more'],
  [[], 'it is not an object'],
  [{ ...whole, name: 7, on: 1 }, 'name is not a string; on is not true or false'],
  [{ ...whole, count: 1.5 }, 'count is not a whole number'],
  [{ ...whole, count: 0 }, 'count: Too small: expected number to be >=1'],
  [{ ...whole, kind: 'c' }, 'kind is not a or b'],
  [{ ...whole, rows: [{ to: '0x' }, { to: 'x' }] }, 'rows.1.to is malformed'],
  [{ ...whole, sum: 'x' }, 'sum: expected an amount such as "10"'],
  [{ ...whole, rows: {} }, 'rows is not a list'],
  [{ ...whole, 'ev\u001b[31mil': 1 }, 'unknown field "ev[31mil"'],
])('describes the mismatch of %j as %s', (value, words) => {
  expect(said(value)).toBe(words)
  expect(said(value)).toMatch(/^[ -~]+$/)
})
