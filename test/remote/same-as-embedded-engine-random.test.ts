import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { routes } from '../../src/api/routes.ts'
import type { Service } from '../../src/api/service-type.ts'
import { remoteService } from '../../src/remote/client.ts'
import { inputs, outputs } from '../api/values.ts'
import { cells } from '../support/engine.ts'
import { serveTo, type TestServer } from '../support/services/serve-in-process.ts'

type Json = ReturnType<typeof JSON.parse>
const names = Object.keys(routes) as (keyof Service)[]
const key = 'k-1234567890'

/** The next response of the service, its last request, and the path of a field to remove from the response. */
const now: { output: unknown; asked: unknown; lost: readonly (string | number)[] | undefined } = {
  output: undefined,
  asked: undefined,
  lost: undefined,
}
const near = Object.fromEntries(
  names.map((name) => [
    name,
    async (input: unknown) => {
      now.asked = input
      return now.output
    },
  ]),
) as unknown as Service
let server: TestServer
let far: Service
beforeAll(async () => {
  server = await serveTo(near, key, (app) =>
    app.addHook('onSend', async (_, reply, payload) => {
      if (!now.lost) return payload
      const body = JSON.parse(payload as string) as Json
      const [last, ...way] = now.lost.toReversed()
      delete way.toReversed().reduce((value, step) => value[step], body)[last!]
      reply.removeHeader('content-length')
      return JSON.stringify(body)
    }),
  )
  far = remoteService({ baseUrl: server.url, apiKey: key })
})
afterAll(() => server.close())

const ask = (name: keyof Service, input: unknown): Promise<unknown> =>
  (far[name] as (input: unknown) => Promise<unknown>)(input)
/** The input without undefined fields, which JSON and a query cannot carry. */
const defined = (value: unknown): unknown =>
  Object.fromEntries(Object.entries(value as object).filter(([, inner]) => inner !== undefined))
/** Without a `__proto__` key, which both sides reject. */
const isLawful = (value: unknown): boolean =>
  !JSON.stringify(value ?? null, (_, one) => (typeof one === 'bigint' ? String(one) : one)).includes(
    '"__proto__"',
  )
/** Without an ID of dots only or with control characters, which both sides reject. */
const isPath = (input: unknown): boolean =>
  Object.values(input as object).every(
    (value) => typeof value !== 'string' || !/^\.{0,2}$|[\u0000-\u001f\u007f]/.test(value),
  )

describe('the remote service', () => {
  test.each(names)('sends and returns random values of %s unchanged', async (name) => {
    now.lost = undefined
    const drawn = fc.asyncProperty(
      (inputs[name] as fc.Arbitrary<unknown>).filter((input) => isPath(input) && isLawful(input)),
      (outputs[name] as fc.Arbitrary<unknown>).filter(isLawful),
      async (input, output) => {
        now.output = output
        expect(await ask(name, input)).toEqual(output)
        expect(now.asked).toEqual(defined(input))
      },
    )
    await fc.assert(drawn, { numRuns: cells(3, 12) })
  })
})

/** Paths to all non-null fields of a document. */
function fieldsOf(value: unknown, way: (string | number)[] = []): (string | number)[][] {
  if (Array.isArray(value)) return value.flatMap((inner, at) => fieldsOf(inner, [...way, at]))
  if (value === null || typeof value !== 'object') return []
  return Object.entries(value).flatMap(([name, inner]) =>
    inner === null ? [] : [[...way, name], ...fieldsOf(inner, [...way, name])],
  )
}

const nameOf = (way: readonly (string | number)[]) =>
  way.map((step) => (typeof step === 'number' ? '*' : step)).join('.')

/** Fields that repeat another field, so their loss changes nothing; the tests of response fields check their presence. */
const saidTwice = [
  /(^|\.)_id$/, // `id`
  /^(docs\.\*\.|topStrategies\.\*\.|positions\.\*\.strategy\.)?id$/, // `_id`, of a strategy
  /(^|\.)apy$/, // `apyFraction`
  /(^|\.)averageAPY$/, // `averageApyFraction`
  /(^|\.)slug$|(^|\.)name$/, // in the composite form, where we set them
  /^totalPages$|^hasPrevPage$|^hasNextPage$|^limit$|^page$|^totalDocs$|^total$/, // each follows from the others
  /crossChain/, // `chainIdIn` and `chainIdOut`
  /(^|\.)quoteId$|(^|\.)deadline$|(^|\.)deadlineDate$|(^|\.)status$/, // of a quote: `id`, each other, `pending`
  /(^|\.)(protocolInfo|chain|assetToken|underlyingToken)(\.|$)/, // of a strategy: its other fields
  /^order$/, // of swap transactions: the names of their fields
  /\.chainId$/, // of a swap transaction: the chain of the swap
]

describe('a removed response field', () => {
  test.each(names)('changes the result of %s', async (name) => {
    const unnoticed = new Set<string>()
    const noticed = new Set<string>()
    for (const output of fc.sample(outputs[name] as fc.Arbitrary<unknown>, {
      numRuns: cells(5, 12),
      seed: 7,
    })) {
      const [input] = fc.sample((inputs[name] as fc.Arbitrary<unknown>).filter(isPath), {
        numRuns: 1,
        seed: 7,
      })
      now.output = output
      now.lost = undefined
      let wire: unknown
      const hear = (request: unknown) => {
        wire = request
      }
      const raw = remoteService({
        baseUrl: server.url,
        apiKey: key,
        onAnswer: (_, answer) => hear(answer.body),
      })
      await (raw[name] as (input: unknown) => Promise<unknown>)(input)
      const open = fieldsOf(wire).filter((one) => {
        const field = nameOf(one)
        return !noticed.has(field) && !saidTwice.some((twice) => twice.test(field))
      })
      // One row of a list is enough: all rows have the same fields.
      for (const way of new Map(open.map((one) => [nameOf(one), one])).values()) {
        now.lost = way
        const said = await ask(name, input).catch(() => 'refused')
        now.lost = undefined
        ;(isEqual(said, output) ? unnoticed : noticed).add(nameOf(way))
      }
    }
    expect([...unnoticed].filter((field) => !noticed.has(field))).toEqual([])
    expect(noticed.size).toBeGreaterThan(0)
  })
})

/** Whether two values are equal, ignoring undefined fields. */
const isEqual = (a: unknown, b: unknown): boolean => isDeepStrictEqual(present(a), present(b))

function present(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(present)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => (inner === undefined ? [] : [[name, present(inner)]])),
  )
}
