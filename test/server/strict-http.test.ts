import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Service } from '../../src/api/service-type.ts'
import { type Listening, serveHttp } from '../../src/server/listen.ts'
import { usualFees } from '../support/default-operator-fees.ts'
import { cells } from '../support/engine.ts'
import { exchange, statusesIn } from '../support/services/raw-http-exchange.ts'
import { onlyFor } from '../support/services/serve-in-process.ts'

/** Calls that reached the service: only valid requests may. */
const reached: string[] = []
const service = new Proxy({} as Service, {
  get: (_, name) => async (input: unknown) => {
    reached.push(`${String(name)} ${JSON.stringify(input)}`)
    return usualFees
  },
})
const key = 'key-4711'
let server: Listening
beforeAll(async () => {
  server = await serveHttp(onlyFor(service, key), { host: '127.0.0.1', port: 0, graceMs: 0 })
})
afterAll(() => server.close())

test('an idle connection does not delay the shutdown', async () => {
  const own = await serveHttp(onlyFor(service, key), { host: '127.0.0.1', port: 0, graceMs: 3_600_000 })
  const ready = connect(Number(new URL(own.url).port), '127.0.0.1')
  const cut = new Promise((resolve) => ready.once('close', resolve))
  await new Promise((resolve) => ready.once('connect', resolve))
  expect((await fetch(`${own.url}/healthz`)).status).toBe(200)
  await own.close()
  await cut
})

test.each(['GET', 'POST', 'PUT', 'DELETE'])(
  'a %s without a body is answered at once, whatever content type it names',
  async (method) => {
    const path = method === 'DELETE' ? '/webhooks/we_1' : method === 'POST' ? '/webhooks' : '/fees'
    const sent = (more: string) => `${method} ${path} HTTP/1.1\r\n${head}${more}connection: close\r\n\r\n`
    const [plain, ...named] = await Promise.all(
      [
        '',
        'content-type: application/json\r\n',
        'content-type: text/plain\r\n',
        'content-type: application/json\r\ncontent-length: 0\r\n',
      ].map(async (more) => statusesIn(await exchange(server.url, sent(more)))),
    )
    expect(plain).toHaveLength(1)
    for (const one of named) expect(one).toEqual(plain)
  },
)

const head = `host: x\r\nx-api-key: ${key}\r\n`
const get = (more = '', line = 'GET /fees HTTP/1.1') => `${line}\r\n${head}${more}\r\n`
const put = (more: string, body: string) =>
  `PUT /fees HTTP/1.1\r\n${head}content-type: application/json\r\n${more}\r\n${body}`
const hidden = `GET /customers/by-api-key HTTP/1.1\r\n${head}\r\n`
const json = '{"markupBps":1}'
const length = `content-length: ${json.length}\r\n`

/** Requests that two HTTP parsers may split or read differently; most of them hide a second request. */
const forms: [string, string][] = [
  ['length and chunks', put(`${length}transfer-encoding: chunked\r\n`, `0\r\n\r\n${hidden}`)],
  ['chunks and length', put(`transfer-encoding: chunked\r\n${length}`, `0\r\n\r\n${hidden}`)],
  ['two lengths', put(`content-length: 0\r\n${length}`, json + hidden)],
  ['two equal lengths', put(length + length, json + hidden)],
  ['a list of lengths', put('content-length: 15, 15\r\n', json + hidden)],
  ['a length with a sign', put('content-length: +15\r\n', json + hidden)],
  ['a negative length', put('content-length: -1\r\n', hidden)],
  ['a hexadecimal length', put('content-length: 0xf\r\n', json + hidden)],
  ['a length with letters', put('content-length: 15a\r\n', json + hidden)],
  ['an empty length', put('content-length:\r\n', json + hidden)],
  ['a length over 2^64', put('content-length: 99999999999999999999999\r\n', hidden)],
  ['a length in words', put('content-length: fifteen\r\n', hidden)],
  ['a fractional length', put('content-length: 1.5\r\n', hidden)],
  ['a length with a space inside', put('content-length: 1 5\r\n', json + hidden)],
  ['a space before the colon of the length', put('content-length : 15\r\n', json + hidden)],
  ['a tab before the colon of the length', put('content-length\t: 15\r\n', json + hidden)],
  ['a space before the colon of the coding', put('transfer-encoding : chunked\r\n', `0\r\n\r\n${hidden}`)],
  ['an unknown coding', put('transfer-encoding: xchunked\r\n', `0\r\n\r\n${hidden}`)],
  ['chunked that is not last', put('transfer-encoding: chunked, identity\r\n', `0\r\n\r\n${hidden}`)],
  ['identity', put('transfer-encoding: identity\r\n', json + hidden)],
  ['two codings', put('transfer-encoding: chunked\r\ntransfer-encoding: x\r\n', `0\r\n\r\n${hidden}`)],
  ['a quoted coding', put('transfer-encoding: "chunked"\r\n', `0\r\n\r\n${hidden}`)],
  ['a coding with a vertical tab', put('transfer-encoding: \x0bchunked\r\n', `0\r\n\r\n${hidden}`)],
  ['a coding with a NUL', put('transfer-encoding: chunked\x00\r\n', `0\r\n\r\n${hidden}`)],
  ['a coding on a folded line', put('transfer-encoding:\r\n chunked\r\n', `0\r\n\r\n${hidden}`)],
  ['a folded header', get('x-a: 1\r\n 2\r\n')],
  ['a header folded by a tab', get('x-a: 1\r\n\tb: 2\r\n')],
  ['a bare LF after a header', `GET /fees HTTP/1.1\nhost: x\nx-api-key: ${key}\n\n`],
  ['a bare LF between headers', get('x-a: 1\nx-b: 2\r\n')],
  ['a bare CR in a header', get('x-a: 1\rx-b: 2\r\n')],
  ['a bare CR at the end', `GET /fees HTTP/1.1\rhost: x\r\r`],
  ['a CR before the CRLF', get('x-a: 1\r\r\n')],
  ['a NUL in a value', get('x-a: 1\x002\r\n')],
  ['a NUL in a name', get('x-\x00a: 1\r\n')],
  ['a space in a name', get('x a: 1\r\n')],
  ['a space before the first header', `GET /fees HTTP/1.1\r\n ${head}\r\n`],
  ['a header without a colon', get('nonsense\r\n')],
  ['a header without a name', get(': 1\r\n')],
  ['a name in brackets', get('(x): 1\r\n')],
  ['a control character in a value', get('x-a: \x01\r\n')],
  ['two keys', get('x-api-key: other\r\n')],
  ['two equal keys', get(`x-api-key: ${key}\r\n`)],
  ['two keys in two casings', get('X-API-KEY: other\r\n')],
  ['two hosts', get('host: y\r\n')],
  ['no host', `GET /fees HTTP/1.1\r\nx-api-key: ${key}\r\n\r\n`],
  ['two types', put(`content-type: text/plain\r\n${length}`, json)],
  ['chunks with a sign', put('transfer-encoding: chunked\r\n', `+f\r\n${json}\r\n0\r\n\r\n${hidden}`)],
  ['chunks in 0x', put('transfer-encoding: chunked\r\n', `0xf\r\n${json}\r\n0\r\n\r\n${hidden}`)],
  ['chunks with a negative size', put('transfer-encoding: chunked\r\n', `-1\r\n\r\n${hidden}`)],
  ['chunks of a size over 2^64', put('transfer-encoding: chunked\r\n', `fffffffffffffffff\r\n${hidden}`)],
  [
    'chunks with a space in the size',
    put('transfer-encoding: chunked\r\n', `f \r\n${json}\r\n0\r\n\r\n${hidden}`),
  ],
  ['chunks ended by LF', put('transfer-encoding: chunked\r\n', `f\n${json}\r\n0\r\n\r\n${hidden}`)],
  [
    'a chunk longer than it says',
    put('transfer-encoding: chunked\r\n', `1\r\n${json}\r\n0\r\n\r\n${hidden}`),
  ],
  ['a chunk with two CRs', put('transfer-encoding: chunked\r\n', `f\r\r\n${json}\r\n0\r\n\r\n${hidden}`)],
  [
    'a bare LF in a chunk extension',
    put('transfer-encoding: chunked\r\n', `f;a=\n\r\n${json}\r\n0\r\n\r\n${hidden}`),
  ],
  ['no version', `GET /fees\r\n${head}\r\n`],
  ['version 0.9', get('', 'GET /fees HTTP/0.9')],
  ['version 1.2', get('', 'GET /fees HTTP/1.2')],
  ['version 2.0', get('', 'GET /fees HTTP/2.0')],
  ['version 11.1', get('', 'GET /fees HTTP/11.1')],
  ['the preface of HTTP/2', `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${hidden}`],
  ['a version in lower case', get('', 'GET /fees http/1.1')],
  ['a tab in the line', get('', 'GET\t/fees\tHTTP/1.1')],
  ['a space in the path', get('', 'GET /fees /x HTTP/1.1')],
  ['a method in lower case', get('', 'get /fees HTTP/1.1')],
  ['an unknown method', get('', 'FETCH /fees HTTP/1.1')],
  ['no method', get('', '/fees HTTP/1.1')],
  ['TLS on a plain port', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ['binary data', '\x00\x01\x02\x03\r\n\r\n'],
  ['two requests, the first without an end', `GET /fees HTTP/1.1\r\n${head}GET /fees HTTP/1.1\r\n\r\n`],
]

describe('an ambiguous HTTP request', () => {
  test('has at least 60 forms', () => expect(forms.length).toBeGreaterThanOrEqual(60))

  test.each(forms)('is refused, and no part of it reaches the service: %s', async (_, sent) => {
    reached.length = 0
    const statuses = statusesIn(await exchange(server.url, Buffer.from(sent, 'latin1')))
    expect(reached).toEqual([])
    expect(statuses.filter((status) => status < 400)).toEqual([])
    expect(statuses.length).toBeLessThanOrEqual(1)
    expect((await fetch(`${server.url}/fees`, { headers: { 'x-api-key': key } })).status).toBe(200)
  })

  test('differs from valid pipelined requests, chunks and bodies with a length, which are answered', async () => {
    const chunks = put('transfer-encoding: chunked\r\n', `f\r\n${json}\r\n0\r\n\r\n`)
    const all = statusesIn(await exchange(server.url, get() + put(length, json) + chunks + get()))
    expect(all).toEqual([200, 200, 200, 200])
  })
})

/** Paths that resemble one of ours, or name it in another way. */
const tricks: string[] = (() => {
  const ends = [
    '/',
    '//',
    '/.',
    '/..',
    '/./',
    '%2f',
    '%2F',
    '%5c',
    '\\',
    '%00',
    '%0a',
    '%0d%0a',
    '%20',
    '%09',
    ';',
    ';a=b',
    '.',
    '..',
    '.json',
    '~',
    '%7e',
    '%3f',
    '%23',
    ',',
    ':',
    '*',
    '%ef%bc%8f',
    '%c0%af',
    '%e0%80%af',
    '%25%32%66',
    '%252f',
  ]
  const starts = [
    '//',
    '/./',
    '/../',
    '/x/../',
    '/%2e/',
    '/%2e%2e/',
    '/.%2e/',
    '/%252e%252e/',
    '/%2f',
    '/\\',
    '/%5c',
    '/..%2f',
    '/..;/',
    '/;/',
    '/.;/',
    '/%00/',
    '/%0a',
    '/%20/',
    '/v2/',
    '/v3/',
    '/api/',
    '/V1/',
    '/v1//',
    '/v1/../',
    '/v1/%2e%2e/',
  ]
  const names = ['fees', 'strategies', 'quotes', 'customers/by-api-key']
  return [
    ...names.flatMap((name) => ends.map((end) => `/${name}${end}`)),
    ...starts.flatMap((start) => ['fees', 'quotes', 'customers/by-api-key'].map((name) => start + name)),
    '/Fees',
    '/FEES',
    '/feeS',
    '/%66ees%',
    '/fe%65s%zz',
    '/fees%',
    '/fees%a',
    '/fees%zz',
    '/fees%u0041',
    '/ﬀees',
    '/f\u00e9es',
    '/fees\u200b',
    '/\u202efees',
    '/customers',
    '/customers/',
    '/customers//by-api-key',
    '/customers/by-api-key/..',
    '/customers/./by-api-key',
    '/customers%2fby-api-key',
    '/v2',
    '/v2/',
    '/v2/swap',
    '/v2/swap/',
    '/v2//swap/quote',
    '/v1',
    '/v1/',
    '/v1/fees',
    '/v1/quotes',
    '/swap',
    '/swap/',
    '/action',
    '/actions/',
    '/wallets',
    '/wallets/',
    '/yield',
    '/yield/',
    '*',
    'fees',
    'http://x/fees/',
    '?',
    '#',
    '/#/fees',
    '/?/fees',
  ]
})()

describe('a path that resembles one of ours', () => {
  test('has at least 200 forms', () => expect(new Set(tricks).size).toBeGreaterThanOrEqual(200))

  test('does not reach the service, except as the ID of an unknown strategy', async () => {
    for (const path of new Set(tricks)) {
      reached.length = 0
      const answer = await exchange(
        server.url,
        Buffer.from(get('connection: close\r\n', `GET ${path} HTTP/1.1`)),
        { quietMs: 500 },
      )
      const [status] = statusesIn(answer)
      // A path inside an ID is read as that ID, which is unknown.
      expect({
        path,
        reached: reached.filter((line) => !line.startsWith('getStrategy')),
        is: (status! >= 400 && status! < 500) || reached.length > 0,
      }).toEqual({ path, reached: [], is: true })
    }
  })
})

describe('oversized requests', () => {
  const flood = async (count: number, sent: string | Buffer, isFine: (statuses: number[]) => boolean) => {
    let fine = 0
    for (let at = 0; at < count; at += 50) {
      const batch = Array.from({ length: Math.min(50, count - at) }, () =>
        exchange(server.url, sent, { quietMs: 2_000 }),
      )
      for (const text of await Promise.all(batch)) if (isFine(statusesIn(text))) fine++
    }
    return fine
  }
  const only =
    (...wanted: number[]) =>
    (statuses: number[]) =>
      statuses.length === 1 && wanted.includes(statuses[0]!)

  test('are each refused, of five kinds, and a valid request is answered after each kind', async () => {
    reached.length = 0
    const address = `GET /strategies/${'a'.repeat(9_000)} HTTP/1.1\r\n${head}connection: close\r\n\r\n`
    const headers = get(`x-a: ${'a'.repeat(20_000)}\r\n`)
    const many = get(Array.from({ length: 3_000 }, (_, at) => `x${at}: 1\r\n`).join(''))
    const said = put('content-length: 300000\r\nconnection: close\r\n', '')
    const chunked = put(
      'transfer-encoding: chunked\r\nconnection: close\r\n',
      `${(262_200).toString(16)}\r\n${' '.repeat(262_200)}\r\n0\r\n\r\n`,
    )
    const kinds: [string, number, (statuses: number[]) => boolean][] = [
      [address, 3_000, only(414)],
      [headers, 2_000, only(431)],
      [many, 1_000, only(431)],
      [said, 3_500, only(413)],
      [chunked, 500, only(413)],
    ]
    for (const [sent, all, isFine] of kinds) {
      const count = (all * cells(1, 10)) / 10
      expect(await flood(count, sent, isFine)).toBe(count)
      expect((await fetch(`${server.url}/fees`, { headers: { 'x-api-key': key } })).status).toBe(200)
    }
    expect(new Set(reached.map((line) => line.split(' ')[0]))).toEqual(new Set(['getFees']))
  })
})

describe('a request without a key on a loopback address', () => {
  const ask = (path: string, host: string, base = server.url) =>
    exchange(base, `GET ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`, {
      quietMs: 5_000,
    }).then(statusesIn)
  const open = ['/healthz', '/metrics', '/openapi.json', '/docs', '/', '/page.js']
  const keyed = ['/fees', '/page/strategies', '/page/actions', '/strategies']

  test.each(open)(
    'is refused under the name of another machine, as after DNS rebinding: %s',
    async (path) => {
      for (const host of [
        'attacker.example',
        'attacker.example:80',
        'x',
        '127.0.0.1.attacker.example',
        'localhost.attacker.example',
      ])
        expect(await ask(path, host), host).toEqual([400])
      for (const host of [
        'localhost',
        'LOCALHOST:8080',
        'a.localhost',
        '127.0.0.1',
        '[::1]:8080',
        '192.0.2.1',
      ])
        expect(await ask(path, host), host).toEqual([200])
    },
  )

  test.each(keyed)('reads nothing of a customer, whatever the name: %s', async (path) => {
    for (const host of ['attacker.example', 'localhost']) expect(await ask(path, host), host).toEqual([401])
  })

  test('is answered under any name behind a proxy', async () => {
    const own = await serveHttp(
      { ...onlyFor(service, key), behindProxy: true },
      { host: '127.0.0.1', port: 0, graceMs: 0 },
    )
    expect(await ask('/healthz', 'api.example', own.url)).toEqual([200])
    await own.close()
  })
})
