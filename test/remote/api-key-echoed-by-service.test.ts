import type { IncomingMessage, ServerResponse } from 'node:http'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { sanitizeText } from '../../src/domain/text/terminal-sanitizing.ts'
import { remoteService } from '../../src/remote/client.ts'
import { cells, inTurn } from '../support/engine.ts'
import { listener } from '../support/services/listener.ts'
import { gaps, ways, whole } from '../support/text-spellings.ts'
import { useCommands } from '../support/use-commands.ts'
import { useSandbox } from '../support/use-sandbox.ts'

const { run } = useCommands(useSandbox())
const owner = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const id = '0f8fad5b-d9cb-469f-a165-70867728950e'

let says: (response: ServerResponse, request: IncomingMessage) => unknown
let asked: number
let url: string
let stop: () => Promise<void>
beforeEach(async () => {
  asked = 0
  const server = await listener((request, response) => {
    request.resume()
    asked++
    says(response, request)
  })
  ;({ url, close: stop } = server)
})
afterEach(() => stop())

const lines: readonly string[] = [
  'strategies list',
  'strategies show some',
  'strategies analytics',
  'yield recommend USDC',
  `wallet show ${owner}`,
  `history some --address ${owner}`,
  'swap quote --from sandbox-one --token-in USDC --token-out WETH --amount-in 100',
  `swap status ${id}`,
  'swap list',
  `action show ${id}`,
]
const modes: readonly string[] = ['', '--json', '--raw', '--debug', '--json --debug', '--raw --debug']

/** An API key with characters that JSON and URLs escape. */
const keyOf = (n: number) => `canary/"key"+${n}\\=%7e&x`
const unicode = (text: string) =>
  [...text].map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')
/** The API key in every spelling, each inside a longer word. */
const spellings = (key: string): string[] => [
  JSON.stringify(`a${key}b`),
  JSON.stringify(`a${encodeURIComponent(key)}b`),
  JSON.stringify(`?${new URLSearchParams({ key })}&`),
  `"a${unicode(key)}b"`,
  `"a${JSON.stringify(key).slice(1, -1).replaceAll('/', '\\/')}b"`,
]

/** Whether a text contains the API key, verbatim or in an escaped form. */
function holds(text: string, key: string): boolean {
  const read = [
    text,
    text.replace(/\\u([0-9a-f]{4})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    text.replace(/\\(.)/g, '$1'),
  ]
  return [key, JSON.stringify(key).slice(1, -1), encodeURIComponent(key)].some((one) =>
    read.some((what) => what.includes(one)),
  )
}

const refusal = (key: string, code = '"VALIDATION_ERROR"') => {
  const all = spellings(key).join(',')
  const names = spellings(key).map((one) => `${one}:{${one}:[${one}]}`)
  const errors = spellings(key).map((one) => `{"path":[${one}],"message":${one}}`)
  return `{"error":{"code":${code},"message":${JSON.stringify(`You sent ${spellings(key).join(' ')} ${key}`)},
    "details":{"headers":{"x-api-key":[${all}]},${names},"errors":[${errors}]}}}`
}
const strategy = (name: string) => `{"_id":"some","name":${name},"slug":${name},"protocol":${name},
  "network":${name},"asset":{"symbol":${name},"contract":"${owner}","decimals":6},"paused":false,"apy":1,"tvl":"1"}`
const good = (key: string, path: string): string => {
  const names = spellings(key)
  if (path.includes('/status/')) return `{"status":${names[0]},"provider":${names[3]}}`
  if (path.startsWith('/actions')) return `{"id":${names[0]},"type":${names[3]},"status":${names[1]}}`
  if (path.startsWith('/strategies/some')) return strategy(names[3]!)
  return `{"docs":[${names.map(strategy)}],"totalDocs":5,"limit":100,"page":1,"totalPages":1,
    "hasNextPage":false,"hasPrevPage":false,${names.map((one) => `${one}:${one}`)}}`
}

describe('commands never print an API key that the deployment echoes', () => {
  test.each<[what: string, status: number, body: (key: string, path: string) => string, prints: boolean]>([
    ['in a 500 error', 500, (key) => refusal(key, '"INTERNAL_SERVER_ERROR"'), true],
    ['in a 401 error', 401, (key) => refusal(key), true],
    ['in a 403 error', 403, (key) => refusal(key, '"FORBIDDEN"'), true],
    ['in the validation errors of a 422', 422, (key) => refusal(key), true],
    ['as the code of a 400', 400, (key) => refusal(key, spellings(key)[3]), true],
    ['in a 429 error', 429, (key) => refusal(key, '"RATE_LIMITED"'), true],
    ['in an HTML page', 404, (key) => `<html>${key} ${encodeURIComponent(key)}`, false],
    ['in an invalid 200 body', 200, (key) => `${key} ${encodeURIComponent(key)}`, false],
    ['in a valid 200 body', 200, good, false],
  ])('%s', { timeout: 120_000 }, async (_, status, body, prints) => {
    let key = ''
    says = (response, { url: path = '' }) =>
      response
        .writeHead(status, {
          'x-repeated': key,
          'retry-after': status === 429 ? '3600' : key,
          location: `/${encodeURIComponent(key)}`,
        })
        .end(body(key, path))
    let n = 0
    let told = 0
    // A 500 is retried, so it runs in half of the modes; a trace only adds output.
    const asks = lines.flatMap((line, turn) =>
      inTurn(status === 500 ? modes.slice(3) : modes, 3, turn).map((mode) => [line, mode] as const),
    )
    for (const [line, mode] of asks) {
      key = keyOf(++n)
      const before = asked
      const { out, err } = await run(`${line} ${mode} --timeout 5s`, {
        env: { SLUICE_BASE_URL: url },
        secrets: { apiKey: key },
      })
      expect(asked).toBeGreaterThan(before)
      expect({ line, mode, holds: holds(out + err, key), said: out + err }).toMatchObject({ holds: false })
      if ((out + err).includes('[API key]')) told++
    }
    // The placeholder shows that the API key would have been printed.
    expect(told).toBeGreaterThan(prints ? asks.length - 1 : 1)
  })

  test('in random spellings, in errors and responses, in every output mode', {
    timeout: 240_000,
  }, async () => {
    const keys = fc.string({
      unit: fc.constantFrom(...'abcdXYZ0189-_+/=&"<.~'),
      minLength: 12,
      maxLength: 40,
    })
    const mixed = fc
      .array(fc.tuple(fc.constantFrom(...ways), fc.constantFrom(...gaps)), { minLength: 40, maxLength: 40 })
      .map((drawn) => (key: string) => [...key].map((one, at) => drawn[at]![0](one) + drawn[at]![1]).join(''))
    const invisible = fc
      .constantFrom(...gaps)
      .map((gap) => (key: string) => [...key].map((one) => one + gap).join(''))
    const said = fc.oneof(fc.constantFrom(...whole), mixed, invisible)
    const seen: string[] = []
    await fc.assert(
      fc.asyncProperty(
        keys,
        said,
        fc.boolean(),
        fc.constantFrom(200, 400, 401),
        async (key, way, isJson, status) => {
          const text = isJson ? JSON.stringify(way(key)) : `"${way(key).replace(/^"+|"+$/g, '')}"`
          says = (response) =>
            response
              .writeHead(status)
              .end(
                status === 200
                  ? strategy(text).replace('"tvl"', `"metadata":{"en":{"risk":${text}}},"tvl"`)
                  : `{"error":{"code":"X","message":${text},"details":{"a":${text}}}}`,
              )
          for (const mode of ['', '--json', '--raw', '--debug']) {
            const { out, err } = await run(`strategies show some ${mode} --timeout 5s`, {
              env: { SLUICE_BASE_URL: url },
              secrets: { apiKey: key },
            })
            seen.push(out + err)
            const forms = [key, JSON.stringify(key).slice(1, -1), ...whole.map((one) => one(key))]
            for (const form of forms)
              for (const shown of [out + err, sanitizeText(out + err)])
                expect({
                  mode,
                  holds: shown.toLowerCase().includes(form.toLowerCase()),
                  shown,
                }).toMatchObject({
                  holds: false,
                })
            // Each line is checked alone: a trace has line breaks, and no other invisible characters.
            if (mode === '--debug') expect(err.split('\n').map(sanitizeText).join('\n')).toBe(err)
          }
        },
      ),
      { numRuns: cells(10, 30) },
    )
    expect(seen.filter((one) => one.includes('[API key]')).length).toBeGreaterThan(cells(20, 60))
  })

  test('in a response that is not HTTP', async () => {
    const key = keyOf(0)
    says = (response) => response.socket?.end(`HTTP/1.1 200 OK\r\n${key}\r\n\r\n`)
    const { exit, out, err } = await run('strategies list --debug --timeout 300ms', {
      env: { SLUICE_BASE_URL: url },
      secrets: { apiKey: key },
    })
    expect(exit).toBe(6)
    expect(holds(out + err, key)).toBe(false)
  })
})

test('a short API key is replaced only where it is a whole word', async () => {
  says = (response) =>
    response
      .writeHead(400)
      .end('{"error":{"code":"BAD_REQUEST","message":"the key\\nend at the end endless %20end?end"}}')
  await expect(remoteService({ baseUrl: url, apiKey: 'end' }).getFees({})).rejects.toMatchObject({
    message: 'the key\n[API key] at the [API key] endless %20[API key]?[API key]',
  })
})
