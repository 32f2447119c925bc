import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Circumstances, type Ran, useCommands } from '../support/use-commands.ts'
import { useSandbox } from '../support/use-sandbox.ts'

const { run } = useCommands(useSandbox())
const canary = 'canary-key-4711'
const owner = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

/** A listener that records each request. */
type Listener = { url: string; requests: { line: string; key: string | undefined; rest: string }[] }

let open: (() => Promise<unknown>)[]
beforeEach(() => {
  open = []
})
afterEach(() => Promise.all(open.map((close) => close())))

async function listener(answers: (response: ServerResponse, path: string) => unknown): Promise<Listener> {
  const requests: Listener['requests'] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk as string
    const { 'x-api-key': key, ...headers } = request.headers
    requests.push({
      line: `${request.method} ${request.url}`,
      key: key?.toString(),
      rest: JSON.stringify([headers, request.url, body]),
    })
    answers(response, request.url ?? '')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  open.push(async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests }
}

const ask = (line: string, env: Circumstances['env'] = {}): Promise<Ran> =>
  run(line, { env, secrets: { apiKey: canary } })

const wallet = JSON.stringify({ address: owner, positions: [], totalValueUSD: '0' })
const nothing = JSON.stringify({ error: { code: 'NOT_FOUND', message: 'nothing' } })

describe('the API key', () => {
  test('is sent only in the header, to the base URL and the legacy base URL', async () => {
    const base = await listener((response) => response.end(wallet))
    const legacy = await listener((response) => response.writeHead(404).end(nothing))
    const stranger = await listener((response) => response.end(wallet))
    const ran = await ask(`wallet show ${owner} --json --debug`, {
      SLUICE_BASE_URL: `${base.url}/some/path/`,
      SLUICE_LEGACY_BASE_URL: legacy.url,
      HTTP_PROXY: stranger.url,
      http_proxy: stranger.url,
    })
    expect(ran.exit).toBe(0)
    expect([base, legacy].map(({ requests }) => requests.map(({ line, key }) => [line, key]))).toEqual([
      [[`GET /some/path/wallets/${owner}`, canary]],
      [[`GET /v1/wallets/${owner}`, canary]],
    ])
    for (const { rest } of [...base.requests, ...legacy.requests]) expect(rest).not.toContain(canary)
    expect(stranger.requests).toEqual([])
    expect(ran.out + ran.err).not.toContain(canary)
  })

  test.each([301, 302, 303, 307, 308])(
    'is not sent to the target of a %i redirect from either base URL',
    async (status) => {
      const thief = await listener((response) => response.end(wallet))
      const away = (response: ServerResponse) =>
        response.writeHead(status, { location: `${thief.url}/wallets/${owner}` }).end()
      const redirecting = await listener(away)
      const honest = await listener((response) => response.end(wallet))
      for (const [base, legacy] of [
        [redirecting, honest],
        [honest, redirecting],
      ] as const) {
        const { exit, json } = await ask(`wallet show ${owner} --json`, {
          SLUICE_BASE_URL: base.url,
          SLUICE_LEGACY_BASE_URL: legacy.url,
        })
        expect({ exit, code: json.error.code }).toEqual({ exit: 6, code: 'SERVICE_BAD_RESPONSE' })
      }
      expect(redirecting.requests).toHaveLength(2)
      expect(thief.requests).toEqual([])
    },
  )

  test.each([
    'http://service.example',
    'http://localhost.service.example',
    'http://127.0.0.1.service.example',
    'http://[::2]',
    'ftp://127.0.0.1',
    'service.example',
    `https://${canary}@service.example`,
    `https://service.example/?key=${canary}`,
  ])('is not sent to %s', async (url) => {
    const honest = await listener((response) => response.end(wallet))
    for (const env of [
      { SLUICE_BASE_URL: url },
      { SLUICE_BASE_URL: honest.url, SLUICE_LEGACY_BASE_URL: url },
    ]) {
      const { exit, json, out, err } = await ask(`wallet show ${owner} --json`, env)
      expect({ exit, code: json.error.code }).toEqual({ exit: 2, code: 'CONFIG_INVALID' })
      expect(out + err).not.toContain(canary)
    }
    expect(honest.requests).toEqual([])
  })
})

describe('the legacy base URL', () => {
  test('alone does not select a remote profile', async () => {
    const legacy = await listener((response) => response.end(wallet))
    expect((await ask('strategies list --json', { SLUICE_LEGACY_BASE_URL: legacy.url })).exit).toBe(0)
    expect(legacy.requests).toEqual([])
  })

  test('is read only when the current endpoint has no stats, and its errors are reported', async () => {
    const broken = await listener((response) => response.writeHead(400).end('{}'))
    const stats = { underlying: [], debt: [], healthFactor: null }
    const full = await listener((response) => response.end(JSON.stringify({ ...JSON.parse(wallet), stats })))
    const bare = await listener((response) => response.end(wallet))
    const show = (base: Listener) =>
      ask(`wallet show ${owner} --json`, { SLUICE_BASE_URL: base.url, SLUICE_LEGACY_BASE_URL: broken.url })
    expect((await show(full)).exit).toBe(0)
    expect(broken.requests).toEqual([])
    expect((await show(bare)).exit).toBe(4)
  })
})
