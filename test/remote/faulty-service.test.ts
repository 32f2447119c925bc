import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AppError } from '../../src/domain/errors.ts'
import { isRetryable } from '../../src/http/backoff.ts'
import { remoteService } from '../../src/remote/client.ts'

/** The reaction of the service to request number `nth`. */
type Fault = (response: ServerResponse, nth: number) => unknown

let fault: Fault
let asked: { path: string; key: string | undefined; once: string | undefined }[]
let url: string
let stop: () => Promise<void>
beforeEach(async () => {
  asked = []
  const server = createServer((request, response) => {
    request.resume()
    asked.push({
      path: request.url ?? '',
      key: request.headers['x-api-key']?.toString(),
      once: request.headers['idempotency-key']?.toString(),
    })
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

/** A client with the deadline of a service that answers, which may be slow on a busy machine. */
const service = (deadlineMs = 30_000) => remoteService({ baseUrl: url, apiKey: 'key-12345', deadlineMs })
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

describe('remote client with a faulty service', () => {
  it('reports the error of the first response when the retries get no response', async () => {
    fault = (response, nth) =>
      nth === 1 ? response.writeHead(500).end(refusal('CHAIN_UNAVAILABLE')) : undefined
    await expect(service(2_000).listStrategies({})).rejects.toMatchObject({
      message: expect.stringContaining('because'),
    })
    expect(asked.length).toBeGreaterThan(1)
  })

  it.each<[string, code: string, tries: number, Fault]>([
    ['a closed connection', 'SERVICE_UNREACHABLE', 4, (r) => r.destroy()],
    ['no response', 'SERVICE_UNREACHABLE', 1, () => undefined],
    ['an endless body', 'SERVICE_UNREACHABLE', 1, drip],
    ['200 without a body', 'SERVICE_BAD_RESPONSE', 1, says(200)],
    ['204', 'SERVICE_BAD_RESPONSE', 1, says(204)],
    ['200 with HTML', 'SERVICE_BAD_RESPONSE', 1, says(200, '<html>')],
    ['502 with HTML', 'INTERNAL_SERVER_ERROR', 4, says(502, '<html>')],
    ['504 without a body', 'INTERNAL_SERVER_ERROR', 4, says(504)],
    ['500 with an error', 'INTERNAL_SERVER_ERROR', 4, says(500, refusal('INTERNAL_SERVER_ERROR'))],
    ['502 with the code of a 404', 'INTERNAL_SERVER_ERROR', 4, says(502, refusal('STRATEGY_NOT_FOUND'))],
    ['500 with a code of the guard', 'INTERNAL_SERVER_ERROR', 4, says(500, refusal('POLICY_SHAPE'))],
    ['404 with a code of a sent transaction', 'NOT_FOUND', 1, says(404, refusal('REVERTED'))],
    ['401 with another error shape', 'UNAUTHORIZED', 1, says(401, '{"message":"no"}')],
    ['418', 'BAD_REQUEST', 1, says(418, '{}')],
    [
      'a body that breaks off',
      'SERVICE_UNREACHABLE',
      4,
      (r) => r.writeHead(200, { 'content-length': 999 }).write(fees, () => r.destroy()),
    ],
    ['an oversized body', 'SERVICE_BAD_RESPONSE', 1, says(200, `"${'x'.repeat(4_200_000)}"`)],
    ['a content-encoding', 'SERVICE_BAD_RESPONSE', 1, says(200, '', { 'content-encoding': 'gzip' })],
    ['JSON nested 65 deep', 'SERVICE_BAD_RESPONSE', 1, says(200, nest(65))],
    ['JSON nested 100000 deep', 'SERVICE_BAD_RESPONSE', 1, says(200, nest(100_000))],
    ['JSON nested 64 deep', 'SERVICE_BAD_RESPONSE', 1, says(200, nest(64))],
    ['a list', 'SERVICE_BAD_RESPONSE', 1, says(200, '[]')],
    ['null', 'SERVICE_BAD_RESPONSE', 1, says(200, 'null')],
    ['another envelope', 'SERVICE_BAD_RESPONSE', 1, says(200, `{"success":true,"result":${fees}}`)],
    ['a field of another type', 'SERVICE_BAD_RESPONSE', 1, says(200, fees.replace('12', '"many"'))],
    ['a Retry-After that is too long', 'RATE_LIMITED', 1, says(429, '{}', { 'retry-after': '60' })],
    ['redirect 301', 'SERVICE_BAD_RESPONSE', 1, says(301, '', { location: '/elsewhere' })],
    ['redirect 302', 'SERVICE_BAD_RESPONSE', 1, says(302, '', { location: '/elsewhere' })],
    ['redirect 307', 'SERVICE_BAD_RESPONSE', 1, says(307, '', { location: '/elsewhere' })],
    ['redirect 308', 'SERVICE_BAD_RESPONSE', 1, says(308, '', { location: '/elsewhere' })],
  ])('reports %s as %s, requests: %i', async (_, code, tries, does) => {
    fault = does
    const isSilent = code === 'SERVICE_UNREACHABLE' && tries === 1
    const error: AppError = await service(isSilent ? 400 : undefined)
      .getFees({})
      .catch((thrown) => thrown)
    expect(error).toMatchObject({ code })
    // An error that the client does not retry is not retryable, except a deadline or a rate limit.
    const isLate = error.details?.fault === 'deadline' || code === 'RATE_LIMITED'
    expect(isRetryable(error)).toBe(tries > 1 || isLate)
    expect(asked).toHaveLength(tries)
    expect(asked.filter(({ path }) => path !== '/fees')).toEqual([])
  })

  it('retries a failed read, but not a failed write', async () => {
    fault = (response, nth) => (nth % 2 === 1 ? response.destroy() : response.end(fees))
    expect(await service().getFees({})).toMatchObject({ markupBps: 12 })
    await expect(service().setFees({ markupBps: 12 })).rejects.toMatchObject({ code: 'WRITE_UNCONFIRMED' })
    expect(asked).toHaveLength(3)
  })

  it.each<[string, Fault, deadlineMs?: number]>([
    ['a closed connection', (r) => r.destroy()],
    ['no response', () => undefined, 2_000],
    [
      'a body that breaks off',
      (r) => r.writeHead(200, { 'content-length': 999 }).write(fees, () => r.destroy()),
    ],
  ])('after %s reports a write as WRITE_UNCONFIRMED, and sends it once', async (_, does, deadlineMs) => {
    fault = does
    await expect(service(deadlineMs).setFees({ markupBps: 12 })).rejects.toMatchObject({
      code: 'WRITE_UNCONFIRMED',
      message: expect.stringMatching(/^The service may have applied the change/),
    })
    expect(asked).toHaveLength(1)
  })

  it('repeats a POST of webhooks and events under one idempotency key, and waits while its first try runs', async () => {
    fault = (response, nth) =>
      nth === 1
        ? response.destroy()
        : nth === 2
          ? response.writeHead(409, { 'retry-after': '1' }).end(refusal('IDEMPOTENCY_KEY_RUNNING'))
          : response.end('{"eventId":"evt_1"}')
    const call = () => service().triggerEvent({ type: 'quote.expired' })
    expect(await call()).toEqual({ eventId: 'evt_1' })
    expect(await call()).toEqual({ eventId: 'evt_1' })
    const keys = asked.map(({ once: key }) => key)
    expect(keys).toHaveLength(4)
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/)
    expect(keys.slice(0, 3)).toEqual(Array.from({ length: 3 }, () => keys[0]))
    expect(keys[3]).not.toBe(keys[0])
  })

  it.each<[string, (to: ReturnType<typeof service>) => Promise<unknown>, string]>([
    ['fees', (to) => to.setFees({ markupBps: 12 }), 'sluice fees show'],
    ['a webhook', (to) => to.addWebhook({ url: 'https://example.com' }), 'sluice webhooks list'],
    ['a webhook that is removed', (to) => to.removeWebhook({ id: 'a' }), 'sluice webhooks list'],
    ['a report', (to) => to.ingest({ actionId: 'a', event: 'SIGNED' }), 'sluice action list'],
  ])('names the command that shows whether %s was changed', async (_, call, command) => {
    fault = (response) => response.destroy()
    await expect(call(service())).rejects.toMatchObject({
      code: 'WRITE_UNCONFIRMED',
      hint: `To check whether it was applied: ${command}`,
    })
  })

  it('reports a write as SERVICE_UNREACHABLE when it cannot connect', async () => {
    const closed = await new Promise<number>((resolve) => {
      const server = createServer().listen(0, '127.0.0.1', () => {
        const { port } = server.address() as { port: number }
        server.close(() => resolve(port))
      })
    })
    const gone = remoteService({ baseUrl: `http://127.0.0.1:${closed}`, apiKey: 'key-12345' })
    await expect(gone.setFees({ markupBps: 12 })).rejects.toMatchObject({ code: 'SERVICE_UNREACHABLE' })
  })

  it('waits for a short Retry-After, then asks again', async () => {
    fault = (response, nth) =>
      nth === 1 ? response.writeHead(429, { 'retry-after': '1' }).end('{}') : response.end(fees)
    expect(await service().getFees({})).toMatchObject({ markupBps: 12 })
  })

  it('reports a long Retry-After in the error', async () => {
    fault = says(429, '{}', { 'retry-after': '37' })
    await expect(service().getFees({})).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      details: { retryAfterSeconds: 37 },
      hint: 'Wait 37 seconds, then try again.',
    })
  })

  it('rejects a gzip body without unpacking it', async () => {
    fault = (response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(50_000_000)))
    await expect(service().getFees({})).rejects.toMatchObject({
      code: 'SERVICE_BAD_RESPONSE',
      details: { fault: 'encoded' },
    })
  })

  it.each(['__proto__', 'constructor', 'prototype'])(
    'ignores the key %s, and changes no prototype',
    async (name) => {
      fault = says(200, `{"${name}":{"canary":1,"prototype":{"canary":1}},${fees.slice(1)}`)
      expect(await service().getFees({})).toEqual(value)
      expect(({} as { canary?: number }).canary).toBeUndefined()
    },
  )
})

it('a redirect to another host does not receive the API key', async () => {
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
