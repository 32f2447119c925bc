import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { afterEach, describe, expect, test } from 'vitest'
import type { Service } from '../../src/api/service-type.ts'
import { AppError } from '../../src/domain/errors.ts'
import { type AppNeeds, createApp } from '../../src/server/app.ts'
import { wrongKeyCounter } from '../../src/server/authentication.ts'
import { durationHistogram } from '../../src/server/metrics.ts'
import { usualFees } from '../support/default-operator-fees.ts'
import { exchange, statusesIn } from '../support/services/raw-http-exchange.ts'
import { onlyFor } from '../support/services/serve-in-process.ts'

const key = 'key-4711'
const open: FastifyInstance[] = []
const sockets: Socket[] = []
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  for (const app of open.splice(0)) await app.close()
})

/** A server with one working endpoint, its URL and its log lines. */
async function served(needs: Partial<AppNeeds> = {}, work: () => Promise<object> = async () => usualFees) {
  const service = { getFees: work, setFees: work } as unknown as Service
  const lines: string[] = []
  const app = createApp({
    ...onlyFor(service, key),
    log: { write: (line) => void lines.push(line) },
    ...needs,
  })
  open.push(app)
  return { app, url: await app.listen({ host: '127.0.0.1', port: 0 }), lines }
}

const head = `host: x\r\nx-api-key: ${key}\r\n`
const isEnvelope = (text: string) =>
  expect(JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4))).toEqual({
    error: expect.objectContaining({ code: expect.any(String), message: expect.any(String) }),
  })
const connections = (app: FastifyInstance): Promise<number> =>
  new Promise((resolve, reject) =>
    app.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  )

describe('a connection', () => {
  test('is closed after a bad request, even if the client never closes it', async () => {
    const { app, url } = await served()
    const { hostname, port } = new URL(url)
    for (let at = 0; at < 50; at++) {
      const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true }, () =>
        socket.write('nonsense\r\n\r\n'),
      )
      socket.on('error', () => undefined)
      sockets.push(socket)
    }
    await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('connect', resolve))))
    for (let at = 0; at < 100 && (await connections(app)) > 0; at++) await sleep(20)
    expect(await connections(app)).toBe(0)
  })

  test.each([
    ['without a host header', 'GET /fees HTTP/1.1\r\nx-api-key: k\r\n\r\n', 400],
    ['with an expect header', `GET /fees HTTP/1.1\r\n${head}expect: wonders\r\n\r\n`, 400],
    ['with CONNECT', 'CONNECT example.org:443 HTTP/1.1\r\nhost: example.org:443\r\n\r\n', 405],
    ['with two API keys', `GET /fees HTTP/1.1\r\n${head}x-api-key: other\r\n\r\n`, 400],
    [
      'with a large body and no API key',
      'PUT /fees HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 900000000\r\n\r\n{',
      401,
    ],
  ])('%s gets an error envelope, and is closed', async (_, sent, status) => {
    const { app, url } = await served()
    const text = await exchange(url, sent + `GET /fees HTTP/1.1\r\n${head}\r\n`, { quietMs: 1_500 })
    expect(statusesIn(text)).toEqual([status])
    isEnvelope(text)
    expect(text.toLowerCase()).toContain('connection: close')
    for (let at = 0; at < 100 && (await connections(app)) > 0; at++) await sleep(20)
    expect(await connections(app)).toBe(0)
  })

  test('is closed after the response that was pending when the server began to stop', async () => {
    const fees = heldFees()
    const { app, url } = await served({}, fees.get)
    const { socket, said } = speak(url, `GET /fees HTTP/1.1\r\n${head}\r\n`)
    const over = once(socket, 'close')
    await fees.asked
    open.splice(0)
    const closed = app.close()
    await expect.poll(() => app.server.listening).toBe(false)
    socket.write(`GET /fees HTTP/1.1\r\n${head}\r\n`)
    fees.answer()
    await Promise.all([closed, over])
    expect(statusesIn(said())).toEqual([200])
    expect(said().toLowerCase()).toContain('connection: close')
  })
})

/** A fees method that signals its call, and returns on demand. */
function heldFees() {
  const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const get = async () => {
    asked.resolve()
    await answered.promise
    return usualFees
  }
  return { get, asked: asked.promise, answer: answered.resolve }
}

/** A connection that sends a text, and its response so far. */
function speak(url: string, sent: string) {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname, () => socket.write(sent))
  sockets.push(socket)
  let text = ''
  socket.on('data', (bytes) => {
    text += bytes.toString()
  })
  return { socket, said: () => text }
}

test('a response during shutdown has connection: close, and the shutdown does not wait for the client', async () => {
  const fees = heldFees()
  const { app, url } = await served({}, fees.get)
  const { said } = speak(url, `GET /fees HTTP/1.1\r\n${head}\r\n`)
  await fees.asked
  open.splice(0)
  const closed = app.close()
  await expect.poll(() => app.server.listening).toBe(false)
  fees.answer()
  // The client keeps its connection open.
  await closed
  await expect.poll(() => statusesIn(said())).toEqual([200])
  expect(said().toLowerCase()).toContain('connection: close')
})

test('a client that disconnects is logged and counted with status 499, not as an error', async () => {
  // The response is also late: first the deadline passes, then the response is ready.
  const { app, url, lines } = await served({ deadlineMs: 1_000 }, async () => sleep(1_500, usualFees))
  const body = `content-type: application/json\r\ncontent-length: 100\r\n\r\n{`
  for (const sent of [`PUT /fees HTTP/1.1\r\n${head}${body}`, `GET /fees HTTP/1.1\r\n${head}\r\n`]) {
    const arrived = once(app.server, 'request')
    const { socket } = speak(url, sent)
    await arrived
    socket.destroy()
  }
  await expect.poll(() => lines.length, { timeout: 10_000 }).toBe(2)
  await sleep(1_800)
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: 'info', method: 'PUT', route: '/fees', status: 499, key: 'tests' },
    { level: 'info', method: 'GET', route: '/fees', status: 499, key: 'tests' },
  ])
  expect((await app.inject({ url: '/metrics' })).payload).toContain(
    'sluice_http_requests_total{route="/fees",method="PUT",status="499"} 1',
  )
})

test('an API key in a path is redacted in the log, in any encoding', async () => {
  const { app, lines } = await served({}, async () => usualFees)
  const secret = 'slk_Abc-123_def'
  const spelt = [...secret].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join('')
  for (const path of [`/strategies/${secret}`, `/customers/by-api-key/${spelt}`, `/wallets/a${secret}b?x=1`])
    await app.inject({ url: path, headers: { 'x-api-key': key } })
  const asked = lines.filter((line) => JSON.parse(line).level === 'info')
  expect(asked).toHaveLength(3)
  for (const line of asked) {
    expect(line).toContain('slk_...')
    expect(decodeURIComponent(line)).not.toContain('Abc-123')
  }
})

test('a response after the deadline is one 500, which names the slow networks visible to the customer', async () => {
  const chains = () => [
    { network: 'sandbox-one', isUp: true },
    { network: 'sandbox-two', isUp: false },
  ]
  let asking: object | undefined
  const within = <value>(request: object, work: () => value): value => {
    asking = request
    return work()
  }
  const slow = (request: object) => (request === asking ? ['sandbox-one', 'hoodi'] : ['another'])
  const fees = heldFees()
  const service = { getFees: fees.get } as unknown as Service
  const sees = (network: string) => network !== 'hoodi'
  const access = async () => ({ keyId: 'tests', customer: 'tests', service, sees })
  const { app, url, lines } = await served({ deadlineMs: 100, chains, within, slow, access })
  const { said } = speak(url, `GET /fees HTTP/1.1\r\n${head}\r\n`)
  await expect.poll(() => statusesIn(said()), { timeout: 10_000 }).toEqual([500])
  fees.answer()
  await sleep(300)
  expect(statusesIn(said())).toEqual([500])
  expect(JSON.parse(said().split('\r\n\r\n')[1]!)).toEqual({
    error: {
      code: 'INTERNAL_SERVER_ERROR',
      message: 'sandbox-one cannot be read now',
      details: { missing: ['sandbox-one'] },
    },
  })
  expect(lines.map((line) => JSON.parse(line).level)).toEqual(['error', 'info'])
  expect((await app.inject({ url: '/metrics' })).payload).toMatch(
    /^sluice_chain_up\{network="sandbox-one"\} 1\nsluice_chain_up\{network="sandbox-two"\} 0$/m,
  )
})

test.each([
  ['gzip', 415],
  ['br', 415],
  ['identity, gzip', 415],
  ['identity', 200],
])('a body with Content-Encoding %s gets status %d', async (encoding, status) => {
  const { app } = await served()
  const headers = { 'x-api-key': key, 'content-type': 'application/json', 'content-encoding': encoding }
  const answer = await app.inject({ method: 'PUT', url: '/fees', headers, payload: '{}' })
  expect(answer.statusCode).toBe(status)
})

test.each(['utf-16', 'latin1', '"iso-8859-1"', 'UTF-7'])(
  'a body with the charset %s gets status 415',
  async (charset) => {
    const { app } = await served()
    const type = `application/json; charset=${charset}`
    const put = (contentType: string) =>
      app.inject({
        method: 'PUT',
        url: '/fees',
        headers: { 'x-api-key': key, 'content-type': contentType },
        payload: '{}',
      })
    expect((await put(type)).statusCode).toBe(415)
    expect((await put('application/json; charset="UTF-8"')).statusCode).toBe(200)
  },
)

test('an unavailable service answers 503, with the cause only in the log, and its process is well', async () => {
  const cause = new Error('no space left')
  const { app, lines } = await served({
    allow: async () => {
      throw new AppError('SERVICE_UNAVAILABLE', 'The limits cannot be written', { cause })
    },
  })
  const answer = await app.inject({ url: '/fees', headers: { 'x-api-key': key } })
  expect([answer.statusCode, answer.json().error.code]).toEqual([503, 'SERVICE_UNAVAILABLE'])
  expect(answer.body).not.toContain('no space left')
  expect(lines.join('')).toContain('no space left')
  const health = await app.inject({ url: '/healthz' })
  expect([health.statusCode, health.json()]).toEqual([200, { status: 'ok' }])
})

test('a log line is one JSON document, whatever characters the path contains', async () => {
  const { url, lines } = await served()
  for (const path of ['/a"b\\c', '/fees?a="', `/${'"'.repeat(400)}`])
    await exchange(url, `GET ${path} HTTP/1.1\r\n${head}connection: close\r\n\r\n`)
  const said = lines.map((line) => JSON.parse(line) as { path: string; status: number })
  expect(said.map(({ path, status }) => [path, status])).toEqual([
    ['/a"b\\c', 404],
    ['/fees', 200],
    [`/${'"'.repeat(299)}`, 404],
  ])
  expect(lines.join('')).toMatch(/^([^\n]+\n){3}$/)
})

test('/metrics counts each request once by route, method and status, and in its duration buckets', async () => {
  const { app } = await served()
  const ask = (apiKey: string) => app.inject({ url: '/fees', headers: { 'x-api-key': apiKey } })
  for (const apiKey of [key, key, key, 'wrong']) await ask(apiKey)
  const nowhere = await app.inject({ url: '/nowhere' })
  expect(nowhere.json().error).toMatchObject({ code: 'NOT_FOUND', details: { endpoint: 'GET /nowhere' } })
  // A request for /metrics is not counted.
  await app.inject({ url: '/metrics' })
  const { payload } = await app.inject({ url: '/metrics' })
  const value = (name: string) =>
    Number(
      payload
        .split('\n')
        .find((line) => line.startsWith(`${name} `))
        ?.split(' ')[1],
    )
  const counted = (labels: string) => value(`sluice_http_requests_total{${labels}}`)
  expect(counted('route="/fees",method="GET",status="200"')).toBe(3)
  expect(counted('route="/fees",method="GET",status="401"')).toBe(1)
  expect(counted('route="none",method="GET",status="404"')).toBe(1)
  const took = (what: string) => value(`sluice_http_request_duration_seconds_${what}`)
  expect(took('count{route="/fees"}')).toBe(4)
  expect(took('bucket{le="+Inf",route="/fees"}')).toBe(4)
  expect(took('bucket{le="10",route="/fees"}')).toBe(4)
  expect(took('sum{route="/fees"}')).toBeGreaterThan(0)
})

test('a duration counts in the first bucket at or above it, and in all larger ones', () => {
  const { observe, text } = durationHistogram('took', 'How long it took.')
  for (const seconds of [0.0025, 0.0026, 11]) observe('/a', seconds)
  expect(text()).toContain('# TYPE took histogram\ntook_bucket{le="0.001",route="/a"} 0\n')
  expect(text()).toContain('took_bucket{le="0.0025",route="/a"} 1\ntook_bucket{le="0.005",route="/a"} 2\n')
  expect(text()).toContain('took_bucket{le="10",route="/a"} 2\ntook_bucket{le="+Inf",route="/a"} 3\n')
  expect(text()).toMatch(/took_sum\{route="\/a"\} 11\.0051\ntook_count\{route="\/a"\} 3\n$/)
})

describe('a client that guesses API keys', () => {
  const guess = async (app: FastifyInstance, from: string, times: number) => {
    let last = 0
    for (let at = 0; at < times; at++)
      last = (await app.inject({ url: '/fees', headers: { 'x-api-key': 'wrong', 'x-forwarded-for': from } }))
        .statusCode
    return last
  }

  test('is limited by its own address, not by x-forwarded-for', async () => {
    const { app } = await served()
    expect(await guess(app, '203.0.113.1', 100)).toBe(401)
    expect(await guess(app, '203.0.113.2', 1)).toBe(429)
  })

  test('is limited by the last address of x-forwarded-for behind a proxy', async () => {
    const { app } = await served({ behindProxy: true })
    expect(await guess(app, '198.51.100.1, 203.0.113.1', 101)).toBe(429)
    expect(await guess(app, '198.51.100.2, 203.0.113.1', 1)).toBe(429)
    expect(await guess(app, '203.0.113.1, 203.0.113.9', 1)).toBe(401)
  })

  test('is limited for one minute, with bounded memory for other addresses', () => {
    let now = 1_000_000
    const { wrong } = wrongKeyCounter(() => now)
    for (let at = 0; at < 100; at++) wrong('a')
    expect(() => wrong('a')).toThrow('too many requests')
    for (let at = 0; at < 10_001; at++) wrong(`other ${at}`)
    expect(() => wrong('a')).not.toThrow()
    for (let at = 0; at < 99; at++) wrong('a')
    expect(() => wrong('a')).toThrow('too many requests')
    now += 60_001
    expect(() => wrong('a')).not.toThrow()
  })
})

test('the OpenAPI document has the bounds, the errors and the fields of requests and responses', async () => {
  const { app } = await served()
  const text = (await app.inject({ url: '/openapi.json' })).payload
  expect(text).not.toContain(String(Number.MAX_SAFE_INTEGER))
  const { paths } = JSON.parse(text)
  const parameter = (path: string, name: string) =>
    paths[path].get.parameters.find((one: { name: string }) => one.name === name).schema
  expect(parameter('/strategies', 'page')).toEqual({ type: 'integer', minimum: 1 })
  expect(parameter('/quotes', 'limit')).toEqual({ type: 'integer', minimum: 1, maximum: 100 })
  expect(parameter('/wallets/{address}', 'address').pattern).toBe('^0x[0-9a-fA-F]{40}$')
  const sent = paths['/fees'].put.requestBody.content['application/json'].schema.properties
  expect(Object.keys(sent)).toEqual(['markupBps', 'collector'])
  expect(sent.markupBps).toEqual({ type: 'integer', minimum: 0, maximum: 10_000 })
  expect(Object.keys(paths['/strategies/{id}'].get.responses)).toEqual(
    expect.arrayContaining(['200', '401', '404', '422', '429', 'default']),
  )
  expect(paths['/strategies'].get.responses[200].headers).toHaveProperty('x-sluice-missing')
  const older = paths['/v1/swap/quote'].get.responses[200].content['application/json'].schema
  expect(Object.keys(older.properties.quote.properties)).toEqual(
    expect.arrayContaining(['fromChain', 'toChain', 'expectedAmountOut', 'id', 'tokenIn', 'rawQuote']),
  )
})
