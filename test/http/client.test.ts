import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { httpRpc } from '../../src/chain/rpc/failover.ts'
import { quantity } from '../../src/chain/rpc/quantities.ts'
import { retryAfterMs } from '../../src/http/backoff.ts'
import { getJson, postJson } from '../../src/http/client.ts'

const servers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of servers.splice(0)) await stop()
})

type Call = { id: number; method: string }
type Answer = (response: ServerResponse, body: string, nth: number) => unknown

/** A loopback server that handles every request with `answer`; `seen` has the bodies received. */
async function serve(answer: Answer): Promise<{ url: string; seen: string[] }> {
  const seen: string[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString()
    seen.push(body)
    answer(response, body, seen.length)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  servers.push(async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('no port')
  return { url: `http://127.0.0.1:${address.port}/path?key=secret`, seen }
}

const drip = (response: ServerResponse): void => {
  response.writeHead(200)
  const timer = setInterval(() => response.write(' '), 20)
  response.on('close', () => clearInterval(timer))
}
const truncate = (response: ServerResponse): void => {
  response.writeHead(200, { 'content-length': '500' })
  response.write('{"jsonrpc"')
  setTimeout(() => response.destroy(), 5)
}
const good = (response: ServerResponse, body: string, result: unknown = '0x1'): void => {
  const { id } = JSON.parse(body) as Call
  response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
}

describe('the HTTP client', () => {
  it('returns status, headers and body for an error status', async () => {
    const { url } = await serve((response) => {
      response.writeHead(404, { 'x-limit': '5' })
      response.end('{"code":"NOT_FOUND"}')
    })
    expect(await getJson(url)).toMatchObject({
      status: 404,
      body: { code: 'NOT_FOUND' },
      headers: { 'x-limit': '5' },
    })
  })

  it.each<[string, Answer, string, string]>([
    ['a body sent too slowly', drip, 'SERVICE_UNREACHABLE', 'deadline'],
    ['a server that does not answer', () => {}, 'SERVICE_UNREACHABLE', 'deadline'],
    ['a truncated body', truncate, 'SERVICE_UNREACHABLE', 'unreachable'],
    ['an HTML page', (r) => r.end('<html>'), 'SERVICE_BAD_RESPONSE', 'not-json'],
    ['a body above the size limit', (r) => r.end(' '.repeat(3_000)), 'SERVICE_BAD_RESPONSE', 'too-large'],
    [
      'a redirect',
      (r) => r.writeHead(307, { location: 'http://127.0.0.1:1/' }).end(),
      'SERVICE_BAD_RESPONSE',
      'redirect',
    ],
  ])('reports %s as an error', async (_, answer, code, fault) => {
    const { url } = await serve(answer)
    const deadlineMs = fault === 'deadline' ? 300 : 20_000
    await expect(postJson(url, {}, { deadlineMs, maxBytes: 2_000 })).rejects.toMatchObject({
      code,
      details: { fault },
    })
  })

  it.each([
    ['http://127.0.0.1:1/there?key=secret', '127.0.0.1:1'],
    ['/elsewhere', 'the same'],
    [undefined, 'no host'],
    ['http://', 'no host'],
  ])(
    'names host, status and target host of a redirect to %s, and does not follow it',
    async (location, to) => {
      for (const status of [301, 302, 303, 307, 308]) {
        const { url, seen } = await serve((r) => r.writeHead(status, { ...(location && { location }) }).end())
        const { host } = new URL(url)
        await expect(getJson(url)).rejects.toThrow(
          `${host} answered ${status} with a redirect to ${to === 'the same' ? host : to}, which is not followed`,
        )
        expect(seen).toHaveLength(1)
      }
    },
  )

  it('names the time limit in whole milliseconds', async () => {
    const { url } = await serve(() => {})
    await expect(postJson(url, {}, { deadlineMs: 120.4135 })).rejects.toThrow(/ within 120 ms$/)
  })

  it('names only the host of a URL in its errors', async () => {
    const error = await getJson('http://user:pw@127.0.0.1:1/path?key=secret').catch(
      (caught: unknown) => caught,
    )
    expect(String((error as Error).message)).not.toMatch(/secret|path|pw/)
  })

  it.each([
    ['5', 5_000],
    ['0', 1_000],
    ['-5', undefined],
    ['99999999', 120_000],
    ['1e9', undefined],
    ['Thu, 01 Jan 1970 00:01:00 GMT', 60_000],
    ['Thu, 01 Jan 1970 00:00:00 GMT', 1_000],
    ['Thu, 01 Jan 2099 00:00:00 GMT', 120_000],
    ['soon', undefined],
    [undefined, undefined],
  ])('reads Retry-After %j as %j ms', (header, ms) => {
    expect(retryAfterMs(header, 0)).toBe(ms)
  })
})

describe('the JSON-RPC client', () => {
  const fast = { deadlineMs: 300, retries: 1 }

  it.each<[string, Answer]>([
    ['the reply to another call', (r, b) => good(r, JSON.stringify({ id: JSON.parse(b).id + 7 }))],
    ['no result and no error', (r, b) => r.end(JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(b).id }))],
    [
      'a result and an error',
      (r, b) =>
        void r.end(JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(b).id, result: 1, error: { code: 1 } })),
    ],
    [
      'a reply without the protocol version',
      (r, b) => r.end(JSON.stringify({ id: JSON.parse(b).id, result: 1 })),
    ],
    ['an empty body', (r) => r.end()],
    ['no content', (r) => r.writeHead(204).end()],
    ['HTML', (r) => r.end('<html>')],
    ['a body that drips', drip],
    ['a truncated body', truncate],
    ['status 502', (r) => r.writeHead(502).end('bad gateway')],
    ['status 404', (r) => r.writeHead(404).end()],
  ])('reports %s as unreachable, not as a null result', async (_, answer) => {
    const { url } = await serve(answer)
    await expect(httpRpc(url, fast).request('eth_getTransactionReceipt', ['0x'])).rejects.toMatchObject({
      code: 'RPC_UNREACHABLE',
    })
  })

  it('reports an error reply with its code, message and data', async () => {
    const { url } = await serve((response, body) => {
      const error = { code: 3, message: 'execution reverted', data: '0x08c379a0' }
      response.end(JSON.stringify({ jsonrpc: '2.0', id: (JSON.parse(body) as Call).id, error }))
    })
    await expect(httpRpc(url).request('eth_call')).rejects.toMatchObject({
      code: 'RPC_ERROR',
      details: { code: 3, message: 'execution reverted', data: '0x08c379a0' },
    })
  })

  it('checks the chain ID periodically, and refuses answers from another chain', async () => {
    let chain = '0x1'
    let isMute = false
    let isBusy = false
    const { url, seen } = await serve((response, body) => {
      const { method, id } = JSON.parse(body) as Call
      const isAsked = method === 'eth_chainId'
      if (isAsked && isMute) return response.destroy()
      const error = { code: -32005, message: 'rate limit exceeded' }
      if (isAsked && isBusy) return response.end(JSON.stringify({ jsonrpc: '2.0', id, error }))
      return good(response, body, isAsked ? chain : '0x5')
    })
    const asked = () => seen.filter((body) => body.includes('eth_chainId')).length
    const slowly = httpRpc(url, { chainId: 1 })
    for (let times = 0; times < 3; times++) expect(await slowly.request('eth_blockNumber')).toBe('0x5')
    expect(asked()).toBe(1)
    const rpc = httpRpc(url, { chainId: 1, checkMs: 0, retries: 0 })
    for (let times = 0; times < 3; times++) expect(await rpc.request('eth_blockNumber')).toBe('0x5')
    expect(asked()).toBe(4)
    // A chain ID check without an answer does not fail a call that has one.
    isMute = true
    expect(await rpc.request('eth_blockNumber')).toBe('0x5')
    isMute = false
    expect(await rpc.request('eth_blockNumber')).toBe('0x5')
    isBusy = true
    expect(await rpc.request('eth_blockNumber')).toBe('0x5')
    isBusy = false
    chain = '0x89'
    for (let times = 0; times < 2; times++)
      await expect(rpc.request('eth_blockNumber')).rejects.toMatchObject({
        code: 'CHAIN_ID_MISMATCH',
        message: expect.stringContaining('is on chain 137, not 1'),
      })
    chain = '0x1'
    expect(await rpc.request('eth_blockNumber')).toBe('0x5')
    chain = '0x89'
    await expect(rpc.batch([['eth_blockNumber', []]])).rejects.toMatchObject({ code: 'CHAIN_ID_MISMATCH' })
  })

  it('retries a failed read', async () => {
    const { url, seen } = await serve((response, body, nth) =>
      nth === 1 ? response.destroy() : good(response, body),
    )
    expect(await httpRpc(url).request('eth_chainId')).toBe('0x1')
    expect(seen).toHaveLength(2)
  })

  it.each(['eth_sendRawTransaction', 'eth_sendTransaction'])('never retries %s', async (method) => {
    const { url, seen } = await serve((response) => response.destroy())
    await expect(httpRpc(url).request(method, ['0x'])).rejects.toMatchObject({ code: 'RPC_UNREACHABLE' })
    expect(seen).toHaveLength(1)
  })

  it('returns the answers of a batch in the order of its calls', async () => {
    const { url } = await serve((response, body) => {
      const calls = JSON.parse(body) as Call[]
      response.end(
        JSON.stringify(calls.reverse().map(({ id, method }) => ({ jsonrpc: '2.0', id, result: method }))),
      )
    })
    const answers = await httpRpc(url).batch([
      ['a', []],
      ['b', []],
      ['c', []],
    ])
    expect(answers).toEqual(['a', 'b', 'c'])
  })

  it('splits a batch into requests of at most 100 calls, and returns the answers in order', async () => {
    const { url, seen } = await serve((response, body) => {
      const calls = JSON.parse(body) as (Call & { params: unknown[] })[]
      const replies = calls.map(({ id, params }) => ({
        jsonrpc: '2.0',
        id,
        result: [calls.length, params[0]],
      }))
      response.end(JSON.stringify(replies))
    })
    const numbers = Array.from({ length: 250 }, (_, at) => at)
    const answers = (await httpRpc(url).batch(numbers.map((at) => ['eth_call', [at]]))) as [number, number][]
    expect(answers.map(([, at]) => at)).toEqual(numbers)
    expect(Math.max(...answers.map(([size]) => size))).toBe(100)
    expect(seen).toHaveLength(3)
  })

  it('refuses a batch with a missing answer', async () => {
    const { url } = await serve((response, body) => {
      const calls = [JSON.parse(body)].flat() as Call[]
      response.end(JSON.stringify(calls.slice(1).map(({ id }) => ({ jsonrpc: '2.0', id, result: 1 }))))
    })
    const asking = httpRpc(url).batch([
      ['a', []],
      ['b', []],
    ])
    await expect(asking).rejects.toMatchObject({ code: 'RPC_UNREACHABLE' })
  })

  it.each(['0', '', '0x', '0xzz', 5, null, undefined, `0x${'1'.repeat(65)}`])(
    'refuses %j as a quantity',
    (value) => {
      expect(() => quantity(value, 'it')).toThrow(expect.objectContaining({ code: 'RPC_INCONSISTENT' }))
    },
  )
})
