import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AppError } from '../../src/domain/errors.ts'
import { isRetryable } from '../../src/http/backoff.ts'
import { remoteService } from '../../src/remote/client.ts'

/** What the service does with the n-th request. */
type Fault = (response: ServerResponse, nth: number) => unknown

let fault: Fault
let asked: { path: string; key: string | undefined }[]
let url: string
let stop: () => Promise<void>
beforeEach(async () => {
  asked = []
  const server = createServer((request, response) => {
    request.resume()
    asked.push({ path: request.url ?? '', key: request.headers['x-api-key']?.toString() })
    fault(response, asked.length)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('no port')
  url = `http://127.0.0.1:${address.port}`
  stop = async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
})
afterEach(() => stop())

const service = (deadlineMs = 400) => remoteService({ baseUrl: url, apiKey: 'key-12345', deadlineMs })
const value = {
  swapFeeBps: 1,
  performanceFeeBps: 2,
  operatorCollector: null,
  markupBps: 12,
  maxMarkupBps: 75,
  collector: null,
}
const fees = JSON.stringify(value)
const says = (status: number, body = '', headers: Record<string, string> = {}): Fault => {
  return (response) => response.writeHead(status, headers).end(body)
}
const drip: Fault = (response) => {
  response.writeHead(200)
  const timer = setInterval(() => response.write(' '), 20)
  response.on('close', () => clearInterval(timer))
}
const refusal = (code: string) => JSON.stringify({ error: { code, message: 'because' } })
const nest = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`

describe('a service that', () => {
  it('says what is wrong, and then nothing any more, is told by what it said', async () => {
    fault = (response, nth) =>
      nth === 1 ? response.writeHead(500).end(refusal('CHAIN_UNAVAILABLE')) : undefined
    await expect(service(600).listStrategies({})).rejects.toMatchObject({
      message: expect.stringContaining('because'),
    })
    expect(asked.length).toBeGreaterThan(1)
  })

  it.each<[string, code: string, tries: number, Fault]>([
    ['hangs up', 'SERVICE_UNREACHABLE', 4, (r) => r.destroy()],
    ['says nothing', 'SERVICE_UNREACHABLE', 1, () => undefined],
    ['drips', 'SERVICE_UNREACHABLE', 1, drip],
    ['says 200 and nothing', 'SERVICE_BAD_RESPONSE', 1, says(200)],
    ['says 204', 'SERVICE_BAD_RESPONSE', 1, says(204)],
    ['says 200 in HTML', 'SERVICE_BAD_RESPONSE', 1, says(200, '<html>')],
    ['says 502 in HTML', 'INTERNAL_SERVER_ERROR', 4, says(502, '<html>')],
    ['says 504 and nothing', 'INTERNAL_SERVER_ERROR', 4, says(504)],
    ['says 500 as agreed', 'INTERNAL_SERVER_ERROR', 4, says(500, refusal('INTERNAL_SERVER_ERROR'))],
    ['says 502 by a name of 404', 'INTERNAL_SERVER_ERROR', 4, says(502, refusal('STRATEGY_NOT_FOUND'))],
    ['says 500 by a name of the guard', 'INTERNAL_SERVER_ERROR', 4, says(500, refusal('POLICY_SHAPE'))],
    ['says 404 by a name of after signing', 'NOT_FOUND', 1, says(404, refusal('REVERTED'))],
    ['says 401 in its own words', 'UNAUTHORIZED', 1, says(401, '{"message":"no"}')],
    ['says 418', 'BAD_REQUEST', 1, says(418, '{}')],
    [
      'breaks off',
      'SERVICE_UNREACHABLE',
      4,
      (r) => r.writeHead(200, { 'content-length': 999 }).write(fees, () => r.destroy()),
    ],
    ['has too much to say', 'SERVICE_BAD_RESPONSE', 1, says(200, `"${'x'.repeat(4_200_000)}"`)],
    ['packs its answer', 'SERVICE_BAD_RESPONSE', 1, says(200, '', { 'content-encoding': 'gzip' })],
    ['nests 65 deep', 'SERVICE_BAD_RESPONSE', 1, says(200, nest(65))],
    ['nests 100000 deep', 'SERVICE_BAD_RESPONSE', 1, says(200, nest(100_000))],
    ['nests 64 deep', 'SERVICE_BAD_RESPONSE', 1, says(200, nest(64))],
    ['answers with a list', 'SERVICE_BAD_RESPONSE', 1, says(200, '[]')],
    ['answers with null', 'SERVICE_BAD_RESPONSE', 1, says(200, 'null')],
    [
      'answers under another envelope',
      'SERVICE_BAD_RESPONSE',
      1,
      says(200, `{"success":true,"result":${fees}}`),
    ],
    ['answers in another type', 'SERVICE_BAD_RESPONSE', 1, says(200, fees.replace('12', '"many"'))],
    ['asks for a wait that is too long', 'RATE_LIMITED', 1, says(429, '{}', { 'retry-after': '60' })],
    ['redirects for ever', 'SERVICE_BAD_RESPONSE', 1, says(301, '', { location: '/elsewhere' })],
    ['redirects for now', 'SERVICE_BAD_RESPONSE', 1, says(302, '', { location: '/elsewhere' })],
    ['redirects the same request', 'SERVICE_BAD_RESPONSE', 1, says(307, '', { location: '/elsewhere' })],
    ['redirects it for ever', 'SERVICE_BAD_RESPONSE', 1, says(308, '', { location: '/elsewhere' })],
  ])('%s is %s after %i', async (_, code, tries, does) => {
    fault = does
    // Only a service that never answers is waited for: any other may be slow on a busy machine.
    const isSilent = code === 'SERVICE_UNREACHABLE' && tries === 1
    const error: AppError = await service(isSilent ? 400 : 20_000)
      .getFees({})
      .catch((thrown) => thrown)
    expect(error).toMatchObject({ code })
    // What is not asked again by ourselves is not called worth it, but for a wait that did not fit.
    const isLate = error.details?.fault === 'deadline' || code === 'RATE_LIMITED'
    expect(isRetryable(error)).toBe(tries > 1 || isLate)
    expect(asked).toHaveLength(tries)
    expect(asked.filter(({ path }) => path !== '/fees')).toEqual([])
  })

  it('fails once is asked again, and what changes something is not', async () => {
    fault = (response, nth) => (nth % 2 === 1 ? response.destroy() : response.end(fees))
    expect(await service().getFees({})).toMatchObject({ markupBps: 12 })
    await expect(service().setFees({ markupBps: 12 })).rejects.toMatchObject({ code: 'WRITE_UNCONFIRMED' })
    expect(asked).toHaveLength(3)
  })

  it.each<[string, Fault]>([
    ['hangs up', (r) => r.destroy()],
    ['says nothing', () => undefined],
    ['breaks off', (r) => r.writeHead(200, { 'content-length': 999 }).write(fees, () => r.destroy())],
  ])('%s may have taken what it was to change, and is asked to once', async (_, does) => {
    fault = does
    await expect(service().setFees({ markupBps: 12 })).rejects.toMatchObject({
      code: 'WRITE_UNCONFIRMED',
      message: expect.stringMatching(/^The service may have taken the change/),
    })
    expect(asked).toHaveLength(1)
  })

  it('cannot be connected to has taken nothing', async () => {
    const closed = await new Promise<number>((resolve) => {
      const server = createServer().listen(0, '127.0.0.1', () => {
        const { port } = server.address() as { port: number }
        server.close(() => resolve(port))
      })
    })
    const gone = remoteService({ baseUrl: `http://127.0.0.1:${closed}`, apiKey: 'key-12345' })
    await expect(gone.setFees({ markupBps: 12 })).rejects.toMatchObject({ code: 'SERVICE_UNREACHABLE' })
  })

  it('asks for a short wait is waited for', async () => {
    fault = (response, nth) =>
      nth === 1 ? response.writeHead(429, { 'retry-after': '1' }).end('{}') : response.end(fees)
    expect(await service(5_000).getFees({})).toMatchObject({ markupBps: 12 })
  })

  it('asks for a long wait has it told', async () => {
    fault = says(429, '{}', { 'retry-after': '37' })
    await expect(service().getFees({})).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      details: { retryAfterSeconds: 37 },
      hint: 'Wait 37 s, then try again.',
    })
  })

  it('packs a gigabyte of nothing is not unpacked', async () => {
    fault = (response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(50_000_000)))
    await expect(service(5_000).getFees({})).rejects.toMatchObject({
      code: 'SERVICE_BAD_RESPONSE',
      details: { fault: 'encoded' },
    })
  })

  it.each(['__proto__', 'constructor', 'prototype'])(
    'sends a key %s changes nothing of other objects',
    async (name) => {
      fault = says(200, `{"${name}":{"canary":1,"prototype":{"canary":1}},${fees.slice(1)}`)
      expect(await service().getFees({})).toEqual(value)
      expect(({} as { canary?: number }).canary).toBeUndefined()
    },
  )
})

it('a redirect to another host does not take the key there', async () => {
  const home = url
  const endHome = stop
  const taken: (string | undefined)[] = []
  const thief = createServer((request, response) => {
    taken.push(request.headers['x-api-key']?.toString())
    response.end(fees)
  })
  thief.listen(0, '127.0.0.1')
  await once(thief, 'listening')
  const { port } = thief.address() as { port: number }
  for (const status of [301, 302, 303, 307, 308]) {
    fault = says(status, '', { location: `http://127.0.0.1:${port}/fees` })
    await expect(service().getFees({})).rejects.toMatchObject({ details: { fault: 'redirect' } })
  }
  expect([home, taken]).toEqual([url, []])
  thief.close()
  stop = endHome
})
