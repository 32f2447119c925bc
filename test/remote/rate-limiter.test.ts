import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { watchUntil } from '../../src/cli/watch-loop.ts'
import { sluice } from '../../src/domain/text/next-step.ts'
import { remoteService } from '../../src/remote/client.ts'
import { type RateLimiter, rateLimitedError } from '../../src/remote/rate-limiter.ts'
import { listener } from '../support/services/listener.ts'
import { type Circumstances, useCommands } from '../support/use-commands.ts'
import { useSandbox } from '../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run, home } = useCommands(sandbox)
const shared = () => join(home(), `sluice-${process.getuid?.()}`)
const bare = 'strategies list --json'
/** Enough time for a request, and none for a wait. */
const list = `${bare} --timeout 5s`
const nothing = JSON.stringify({
  docs: [],
  totalDocs: 0,
  limit: 100,
  page: 1,
  totalPages: 0,
  hasNextPage: false,
  hasPrevPage: false,
})

let says: (response: ServerResponse, nth: number) => unknown
let asked: number
let url: string
let stop: () => Promise<void>
beforeEach(async () => {
  asked = 0
  says = (response) => response.end(nothing)
  const server = await listener((request, response) => {
    request.resume()
    says(response, ++asked)
  })
  ;({ url, close: stop } = server)
})
afterEach(() => stop())

const at = (more: Partial<Circumstances> = {}, apiKey = 'key-12345'): Circumstances => ({
  env: { SLUICE_BASE_URL: url },
  secrets: { apiKey },
  ...more,
})

describe('all commands of one machine', () => {
  test('share the rate limit of an API key, and report the wait', async () => {
    // The limit of a minute, one command per request.
    const began = Date.now()
    for (let n = 0; n < 100; n++) expect((await run(list, at({ standsAt: began + 100 * n }))).exit).toBe(0)
    const standsAt = began + 10_000
    const refused = await run(`${bare} --timeout 20s`, at({ standsAt }))
    expect({ exit: refused.exit, asked }).toEqual({ exit: 5, asked: 100 })
    const { code, details, hint, retryable } = refused.json.error
    expect({ code, retryable }).toEqual({ code: 'RATE_LIMITED', retryable: true })
    expect(details.retryAfterSeconds).toBeGreaterThan(30)
    expect(details.retryAfterSeconds).toBeLessThanOrEqual(61)
    expect(hint).toBe(`Wait ${details.retryAfterSeconds} seconds, then try again.`)
    expect((await run(list, at({ standsAt }, 'another-key'))).exit).toBe(0)
    expect((await run(list, at({ standsAt, later: details.retryAfterSeconds * 1000 }))).exit).toBe(0)
  })

  test('share the Retry-After that one of them received', async () => {
    says = (response) => response.writeHead(429, { 'retry-after': '30' }).end('{}')
    expect((await run(`${bare} --timeout 20s`, at())).json.error.details.retryAfterSeconds).toBe(30)
    says = (response) => response.end(nothing)
    const held = await run(list, at())
    expect({ exit: held.exit, code: held.json.error.code, asked }).toEqual({
      exit: 5,
      code: 'RATE_LIMITED',
      asked: 1,
    })
    expect(held.json.error.details.retryAfterSeconds).toBeGreaterThan(20)
    expect((await run(list, at({ later: 31_000 }))).exit).toBe(0)
  })

  test('run without a limiter file that cannot be opened, and report it once', async () => {
    mkdirSync(join(home(), 'data', 'governor.db'), { recursive: true, mode: 0o700 })
    mkdirSync(join(shared(), 'governor.db'), { recursive: true, mode: 0o700 })
    const ran = await run('strategies show some --json', at())
    expect(ran.err.match(/without client-side rate limiting/g)).toHaveLength(1)
    expect(ran.err).toContain('governor.db')
    const all = await run('strategies list --all --json', at())
    expect({ exit: all.exit, notices: all.err.split('\n').length - 1 }).toEqual({ exit: 0, notices: 1 })
    expect((await run(`${list} --quiet`, at())).err).toBe('')
  })
})

describe('storage of the rate limits', () => {
  const blocked = async (more: Record<string, string> = {}) => {
    says = (response) => response.writeHead(429, { 'retry-after': '30' }).end('{}')
    await run(list, at())
    says = (response) => response.end(nothing)
    asked = 0
    const { exit } = await run(list, at({ env: { SLUICE_BASE_URL: url, ...more } }))
    return { exit, asked }
  }
  const other = () => {
    const path = join(home(), 'other')
    mkdirSync(path, { mode: 0o700 })
    return path
  }

  test('is shared by all home directories of a user, with private file modes', async () => {
    const elsewhere = other()
    const homes = { SLUICE_HOME: elsewhere, XDG_RUNTIME_DIR: elsewhere, XDG_DATA_HOME: elsewhere }
    expect(await blocked({ ...homes, HOME: elsewhere })).toEqual({ exit: 5, asked: 0 })
    expect(statSync(shared()).mode & 0o777).toBe(0o700)
    expect(statSync(join(shared(), 'governor.db')).mode & 0o777).toBe(0o600)
  })

  test('holds digests, and neither the API key nor the host', async () => {
    await run(list, at({}, 'a-key-that-is-read'))
    const kept = readdirSync(shared()).map((name) => readFileSync(join(shared(), name), 'latin1'))
    expect(kept.join('')).toMatch(/[0-9a-f]{64}/)
    for (const text of kept) for (const word of ['a-key', new URL(url).host]) expect(text).not.toContain(word)
  })

  test.each<[what: string, make: (path: string) => unknown]>([
    ['is a symbolic link', (path) => symlinkSync(other(), path)],
    ['is open to other users', (path) => mkdirSync(path) ?? chmodSync(path, 0o755)],
    ['is a file', (path) => writeFileSync(path, '', { mode: 0o600 })],
    ...(process.getuid?.() === 0
      ? [
          [
            'belongs to another user',
            (path: string) => mkdirSync(path, 0o700) ?? chownSync(path, 65_534, 65_534),
          ] as [string, (path: string) => unknown],
        ]
      : []),
  ])('covers one home directory when the shared directory %s, reported only by --debug', async (_, make) => {
    make(shared())
    expect(await blocked()).toEqual({ exit: 5, asked: 0 })
    expect(await blocked({ SLUICE_HOME: join(home(), 'third') })).toEqual({ exit: 0, asked: 1 })
    expect((await run(list, at())).err).not.toContain('data directory')
    const traced = await run(`${list} --debug`, at())
    expect(traced.err.match(/tracked only for this data directory/g)).toHaveLength(1)
  })
})

describe('a 429 response', () => {
  const other = (code: string) => JSON.stringify({ error: { code, message: 'because' } })
  const limited = (body: string | Buffer, headers: Record<string, string> = {}) => {
    return (response: ServerResponse) => response.writeHead(429, headers).end(body)
  }
  test.each<[string, (response: ServerResponse) => unknown]>([
    ['no body', limited('')],
    ['the error envelope', limited(other('RATE_LIMITED'))],
    ['another error code', limited(other('QUOTE_NOT_FOUND'))],
    ['the error code of a 5xx', limited(other('INTERNAL_SERVER_ERROR'))],
    ['an error code of this program', limited(other('POLICY_SHAPE'))],
    ['an HTML body', limited('<html>slow down</html>')],
    ['a gzip body', limited(gzipSync('slow down'), { 'content-encoding': 'gzip' })],
    ['unclosed brackets', limited('['.repeat(100_000))],
    ['an oversized body', limited(`"${'x'.repeat(4_200_000)}"`)],
    [
      'a body that breaks off',
      (response) =>
        response
          .writeHead(429, { 'content-length': 99 })
          .write('slow', () => setTimeout(() => response.destroy(), 20)),
    ],
    ['a body that never ends', (response) => response.writeHead(429).write('slow')],
  ])('is RATE_LIMITED with %s', async (_, does) => {
    says = (response) => {
      response.setHeader('retry-after', '40')
      does(response)
    }
    const { exit, json } = await run(`${bare} --timeout 2s`, at())
    expect({ exit, code: json.error.code }).toEqual({ exit: 5, code: 'RATE_LIMITED' })
    expect(json.error.details.retryAfterSeconds).toBe(40)
    expect(asked).toBe(1)
  })

  test.each([
    ['3600', 3600],
    ['99999999', 3600],
    ['-1', 60],
    ['soon', 60],
  ])('with Retry-After %s is a wait of %i s', async (header, seconds) => {
    says = (response) => response.writeHead(429, { 'retry-after': header }).end('{}')
    // Enough time for the response, and none for a wait.
    const service = remoteService({ baseUrl: url, apiKey: 'key-12345', limitMs: () => 0 })
    await expect(service.listStrategies({})).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      details: { retryAfterSeconds: seconds },
    })
  })

  test('with a Retry-After of an hour blocks other commands for 300 s, or until a request succeeds', async () => {
    says = (response) => response.writeHead(429, { 'retry-after': '3600' }).end('{}')
    expect(await run(`${bare} --timeout 20s`, at())).toMatchObject({ exit: 5 })
    says = (response) => response.end(nothing)
    expect(await run(`${bare} --timeout 20s`, at({ later: 200_000 }))).toMatchObject({ exit: 5 })
    expect(await run(`${bare} --timeout 20s`, at({ later: 301_000 }))).toMatchObject({ exit: 0 })
    // The successful request cleared the earlier wait.
    expect(await run(`${bare} --timeout 20s`, at())).toMatchObject({ exit: 0 })
  })

  test('with a date in Retry-After uses the clock of its Date header', async () => {
    says = (response) =>
      response
        .writeHead(429, {
          date: 'Wed, 01 Jan 2025 00:00:00 GMT',
          'retry-after': 'Wed, 01 Jan 2025 00:00:45 GMT',
        })
        .end('{}')
    expect((await run(`${bare} --timeout 20s`, at())).json.error.details.retryAfterSeconds).toBe(45)
  })

  test('without Retry-After uses the wait in its body', async () => {
    says = (response) =>
      response
        .writeHead(429)
        .end(JSON.stringify({ error: { code: 'RATE_LIMITED', message: 'x', details: { retryAfter: 25 } } }))
    expect((await run(`${bare} --timeout 20s`, at())).json.error.details.retryAfterSeconds).toBe(25)
  })
})

describe('a 429 response without a wait', () => {
  test('blocks other commands for 60 s, the wait that it reports', async () => {
    says = (response) => response.writeHead(429).end('{}')
    const met = await run(list, at())
    expect(met.json.error.details.retryAfterSeconds).toBe(60)
    const before = asked
    says = (response) => response.end(nothing)
    const held = await run(list, at())
    expect({ exit: held.exit, code: held.json.error.code, asked }).toEqual({
      exit: 5,
      code: 'RATE_LIMITED',
      asked: before,
    })
    expect((await run(list, at({ later: 61_000 }))).exit).toBe(0)
  })

  test('is retried after one second, which blocks other commands too', async () => {
    const blocked: number[] = []
    const governor: RateLimiter = {
      take: () => ({ ok: true }),
      block: (until) => blocked.push(until - Date.now()),
      unblock: () => undefined,
    }
    says = (response, nth) => (nth === 1 ? response.writeHead(429).end('{}') : response.end(nothing))
    const service = remoteService({ baseUrl: url, apiKey: 'key-12345', governor, limitMs: () => 5_000 })
    await service.listStrategies({})
    expect({ asked, blocks: blocked.length }).toEqual({ asked: 2, blocks: 1 })
    expect(blocked[0]).toBeGreaterThan(900)
    expect(blocked[0]).toBeLessThanOrEqual(1_000)
  })
})

describe('a 503 response with a Retry-After', () => {
  test('blocks other commands until the wait is over', async () => {
    says = (response) => response.writeHead(503, { 'retry-after': '30' }).end('{}')
    const busy = await run(`${bare} --timeout 20s`, at())
    expect({ exit: busy.exit, asked }).toEqual({ exit: 6, asked: 1 })
    expect(busy.json.error).toMatchObject({
      details: { retryAfterSeconds: 30 },
      hint: 'Wait 30 seconds, then try again.',
      retryable: true,
    })
    says = (response) => response.end(nothing)
    expect((await run(`${bare} --timeout 20s`, at())).exit).toBe(5)
    expect(asked).toBe(1)
    expect((await run(list, at({ later: 31_000 }))).exit).toBe(0)
  })

  test('blocks other commands for at most one minute', async () => {
    says = (response) => response.writeHead(503, { 'retry-after': '3000' }).end('{}')
    expect((await run(`${bare} --timeout 20s`, at())).exit).toBe(6)
    says = (response) => response.end(nothing)
    const held = await run(list, at({ later: 50_000 }))
    expect([held.exit, held.json.error.message]).toEqual([5, expect.stringContaining('asked it to wait')])
    expect((await run(list, at({ later: 61_000 }))).exit).toBe(0)
  })

  test('is retried after the wait if the timeout allows it', async () => {
    says = (response, nth) =>
      nth === 1 ? response.writeHead(503, { 'retry-after': '1' }).end('{}') : response.end(nothing)
    const began = performance.now()
    const ran = await run(`${bare} --timeout 20s`, at())
    expect({ exit: ran.exit, asked }).toEqual({ exit: 0, asked: 2 })
    expect(performance.now() - began).toBeGreaterThan(990)
    expect(ran.err).toContain('The service is busy; waiting 1 s')
  })
})

describe('a write', () => {
  const fees = JSON.stringify({ swapFeeBps: 1, performanceFeeBps: 2, markupBps: 3, collector: null })
  const set = 'fees set --markup-bps 3 --json --timeout 20s'

  test('is retried after a 429 and its wait', async () => {
    says = (response, nth) =>
      nth === 1 ? response.writeHead(429, { 'retry-after': '1' }).end('{}') : response.end(fees)
    expect({ exit: (await run(set, at())).exit, asked }).toEqual({ exit: 0, asked: 2 })
  })

  test('is not retried after a 503', async () => {
    says = (response) => response.writeHead(503, { 'retry-after': '1' }).end('{}')
    expect({ exit: (await run(set, at())).exit, asked }).toEqual({ exit: 6, asked: 1 })
  })
})

test('watchUntil retries after a rate limit, until its timeout', async () => {
  const limits = [1, 0]
  const out: string[] = []
  const err: string[] = []
  const programLeft = (leftMs: number | undefined) => ({
    interrupt: { signal: new AbortController().signal },
    time: {
      left: () => leftMs,
      follow: () => undefined,
      progress: { doing: () => undefined, done: () => undefined },
    },
  })
  const cli = {
    globals: { json: true },
    io: { out: { write: (text: string) => out.push(text) } },
    notice: (line: string) => err.push(line),
    program: programLeft(undefined),
  } as never
  const look = async () => {
    if (limits.shift()) throw rateLimitedError(1)
    return { status: 'done' }
  }
  const how = {
    what: 'watching',
    isOver: () => true,
    view: () => '',
    intervalMs: 1,
    again: () => sluice('action watch', 'x'),
  }
  expect(await watchUntil(cli, look, how)).toEqual({ status: 'done' })
  expect(out).toEqual(['{"status":"done"}\n'])
  expect(err).toEqual([expect.stringMatching(/; retrying in 1s$/)])
  // The timeout ends the watch: with RATE_LIMITED if it read nothing, else with PENDING and the last value.
  const late = { ...(cli as object), program: programLeft(300) } as never
  await expect(
    watchUntil(late, async () => Promise.reject(rateLimitedError(9_999)), how),
  ).rejects.toMatchObject({
    code: 'RATE_LIMITED',
  })
  const looks = [async () => ({ status: 'open' }), async () => Promise.reject(rateLimitedError(9_999))]
  const open = { ...how, isOver: () => false }
  await expect(
    watchUntil(late, () => (looks.length > 1 ? looks.shift()! : looks[0]!)(), open),
  ).rejects.toMatchObject({
    code: 'PENDING',
    details: { last: { status: 'open' } },
    hint: 'sluice action watch x',
  })
})

test('without --timeout, a command waits for a limit of less than two minutes, and reports the wait', async () => {
  says = (response) => response.writeHead(429, { 'retry-after': '16' }).end('{}')
  const began = performance.now()
  const [{ exit, err }] = await Promise.all([
    run(bare, at()),
    sleep(3_000).then(() => {
      says = (response) => response.end(nothing)
    }),
  ])
  expect({ exit, err }).toMatchObject({
    exit: 0,
    err: expect.stringMatching(/^The rate limit is reached; waiting 16 seconds$/m),
  })
  expect(performance.now() - began).toBeGreaterThan(15_900)
  says = (response) => response.writeHead(429, { 'retry-after': '121' }).end('{}')
  const long = await run(bare, at())
  expect({ exit: long.exit, hint: long.json.error.hint }).toEqual({
    exit: 5,
    hint: 'Wait 2 minutes, then try again.',
  })
})

test('an interrupted wait ends with RATE_LIMITED', async () => {
  const governor: RateLimiter = {
    take: () => ({ ok: false, retryAfterSeconds: 3 }),
    block: () => undefined,
    unblock: () => undefined,
  }
  const service = remoteService({ baseUrl: url, apiKey: 'key-12345', governor })
  const signal = AbortSignal.timeout(50)
  await expect(service.listStrategies({}, { signal })).rejects.toMatchObject({ code: 'RATE_LIMITED' })
  expect(asked).toBe(0)
})

describe('a wait within the timeout', () => {
  test('is made after a 429, and reported', async () => {
    says = (response, nth) =>
      nth === 1 ? response.writeHead(429, { 'retry-after': '1' }).end('{}') : response.end(nothing)
    const ran = await run(list, at())
    expect({ exit: ran.exit, asked }).toEqual({ exit: 0, asked: 2 })
    expect(ran.err).toContain('waiting 1 s')
  })

  test('is made before each attempt', async () => {
    const places: string[] = []
    let isFree = false
    const governor: RateLimiter = {
      take: () => {
        places.push(isFree ? 'taken' : 'none')
        isFree = !isFree
        return isFree ? { ok: false, retryAfterSeconds: 1 } : { ok: true }
      },
      block: () => undefined,
      unblock: () => undefined,
    }
    says = (response, nth) => (nth === 1 ? response.writeHead(503).end() : response.end(nothing))
    const service = remoteService({ baseUrl: url, apiKey: 'key-12345', governor, limitMs: () => 5_000 })
    expect((await service.listStrategies({})).items).toEqual([])
    expect(places).toEqual(['none', 'taken', 'none', 'taken'])
    expect(asked).toBe(2)
  })
})
