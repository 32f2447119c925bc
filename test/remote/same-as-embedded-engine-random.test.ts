import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { routes } from '../../src/api/routes.ts'
import type { Service } from '../../src/api/service-type.ts'
import { remoteService } from '../../src/remote/client.ts'
import { inputs, outputs } from '../api/values.ts'
import { serveTo, type TestServer } from '../support/services/serve-in-process.ts'

type Json = ReturnType<typeof JSON.parse>
const names = Object.keys(routes) as (keyof Service)[]
const key = 'k-1234567890'

/** What the service answers next, what it was asked, and what is taken out of its answer on the way. */
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
/** What JSON and a query can carry: a field that is undefined is a field that is not there. */
const defined = (value: unknown): unknown =>
  Object.fromEntries(Object.entries(value as object).filter(([, inner]) => inner !== undefined))
/** Without a name that is taken from nobody, on either side. */
const isLawful = (value: unknown): boolean =>
  !JSON.stringify(value ?? null, (_, one) => (typeof one === 'bigint' ? String(one) : one)).includes(
    '"__proto__"',
  )
/** An id of dots alone, or with a control character in it, is no path: it is refused on either side. */
const isPath = (input: unknown): boolean =>
  Object.values(input as object).every(
    (value) => typeof value !== 'string' || !/^\.{0,2}$|[\u0000-\u001f\u007f]/.test(value),
  )

describe('a service behind HTTP is indistinguishable from the service, whatever it is asked and answers', () => {
  test.each(names)('%s', async (name) => {
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
    await fc.assert(drawn, { numRuns: 12 })
  })
})

/** Every way into a document that ends at a field with something in it. */
function fieldsOf(value: unknown, way: (string | number)[] = []): (string | number)[][] {
  if (Array.isArray(value)) return value.flatMap((inner, at) => fieldsOf(inner, [...way, at]))
  if (value === null || typeof value !== 'object') return []
  return Object.entries(value).flatMap(([name, inner]) =>
    inner === null ? [] : [[...way, name], ...fieldsOf(inner, [...way, name])],
  )
}

const nameOf = (way: readonly (string | number)[]) =>
  way.map((step) => (typeof step === 'number' ? '*' : step)).join('.')

/** Fields of the specification that say what another one says, too: without them nothing is lost, and that they are there is in the table of fields. */
const saidTwice = [
  /(^|\.)_id$/, // `id`
  /^(docs\.\*\.|topStrategies\.\*\.|positions\.\*\.strategy\.)?id$/, // `_id`, of a strategy
  /(^|\.)apy$/, // `apyFraction`
  /(^|\.)averageAPY$/, // `averageApyFraction`
  /(^|\.)slug$|(^|\.)name$/, // in the composite form, where they are ours
  /^totalPages$|^hasPrevPage$|^hasNextPage$|^limit$|^page$|^totalDocs$|^total$/, // each follows from the others
  /crossChain/, // `chainIdIn` and `chainIdOut`
  /(^|\.)quoteId$|(^|\.)deadline$|(^|\.)deadlineDate$|(^|\.)status$/, // of a quote: `id`, each other, `pending`
  /(^|\.)(protocolInfo|chain|assetToken|underlyingToken)(\.|$)/, // of a strategy: what its other fields say
  /^order$/, // of the transactions of a swap: the names of their fields
  /\.chainId$/, // of a transaction of a swap: that of the swap
]

describe('a field that gets lost on the way is noticed', () => {
  test.each(names)('%s', async (name) => {
    const unnoticed = new Set<string>()
    const noticed = new Set<string>()
    for (const output of fc.sample(outputs[name] as fc.Arbitrary<unknown>, { numRuns: 12, seed: 7 })) {
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
      // Of the rows of a list one: what is lost of one row is lost of each.
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

/** Whether two answers say the same; what is undefined is not there. */
const isEqual = (a: unknown, b: unknown): boolean => isDeepStrictEqual(present(a), present(b))

function present(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(present)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => (inner === undefined ? [] : [[name, present(inner)]])),
  )
}
