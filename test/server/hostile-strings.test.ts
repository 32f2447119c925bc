import type { FastifyInstance } from 'fastify'
import { beforeEach, describe, expect, test } from 'vitest'
import { ErrorEnvelope } from '../../src/api/error-envelope.ts'
import { olderRoutes } from '../../src/api/older-routes.ts'
import { routes } from '../../src/api/routes.ts'
import { createApp } from '../../src/server/app.ts'
import { engineMigrations, engineStore } from '../../src/store/engine/store.ts'
import type { Sql } from '../../src/store/sql/sql-types.ts'
import { sqliteSql } from '../../src/store/sql/sqlite.ts'
import { engineOn, inTurn } from '../support/engine.ts'
import { onlyFor } from '../support/services/serve-in-process.ts'
import { useSandbox } from '../support/use-sandbox.ts'
import { strings } from './hostile-string-list.ts'

const sandbox = useSandbox()
const key = 'key-4711-canary'
const headers = { 'x-api-key': key }
let app: FastifyInstance
let sql: Sql

beforeEach(() => {
  sql = sqliteSql(':memory:', { migrations: engineMigrations })
  app = createApp(onlyFor(engineOn(sandbox, { store: engineStore(sql) }).service, key))
})

/** Number of rows in each table. */
async function rows(): Promise<Record<string, number>> {
  const tables = await sql.query<{ name: string }>(
    "select name from sqlite_master where type = 'table' order by name",
  )
  const counted: Record<string, number> = {}
  for (const { name } of tables)
    counted[name] = Number((await sql.query<{ n: number }>(`select count(*) as n from ${name}`))[0]!.n)
  return counted
}

type Answer = Awaited<ReturnType<FastifyInstance['inject']>>

/** Expects a success or an error envelope below 500, as JSON, without internal details. */
function isDecent(answer: Answer, about: unknown): void {
  // A client that resolves `..` itself has requested the page.
  if (answer.raw.req.url === '/') return
  const { statusCode, headers: sent, body } = answer
  const shown = { about, statusCode, body: body.slice(0, 300) }
  if (statusCode >= 500 || statusCode < 200) expect(shown).toBe('an answer below 500')
  if (!String(sent['content-type']).startsWith('application/json')) expect(shown).toBe('JSON')
  const document = JSON.parse(body) as unknown
  if (statusCode >= 400) expect(ErrorEnvelope.parse(document)).toEqual(document)
  if (/\bat \S+ \(|node_modules|\.ts:\d|SQLITE|sqlite|canary/.test(body))
    expect(shown).toBe('nothing of the inside')
}

/** A valid request for each route, with all its parameters. */
const fine: Record<string, Record<string, unknown>> = (() => {
  const wallet = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
  const strategy = 'aave-v3-usdc-sandbox-one'
  const page = { page: '1', limit: '10' }
  const swap = {
    tokenIn: wallet,
    tokenOut: wallet,
    amountIn: '1000000',
    slippage: '0.01',
    preferredProvider: 'cctp',
  }
  return {
    recommend: {
      identifier: 'USDC',
      wallet,
      amount: '1000000',
      action: 'lend',
      from: 'sandbox-one',
      to: 'sandbox-one',
    },
    listStrategies: page,
    analytics: {},
    getStrategy: { id: strategy },
    strategyBytecode: { id: strategy, action: 'lend', amount: '1000000', wallet, from: 'sandbox-one' },
    getWallet: { address: wallet },
    walletHistory: { address: wallet, strategyId: strategy, ...page },
    listActions: { wallet, status: 'PENDING', id: 'x', ...page },
    getAction: { id: 'x' },
    ingest: { actionId: 'x', event: 'SIGNED', txHash: `0x${'1'.repeat(64)}`, chainId: 31337 },
    listQuotes: { originChain: 'sandbox-one', destinationChain: 'sandbox-one', provider: 'cctp', ...page },
    quote: {
      originChain: 'sandbox-one',
      chainIdIn: '31337',
      destinationChain: 'sandbox-one',
      chainIdOut: '31337',
      ...swap,
      destinationAddress: wallet,
      refundAddress: wallet,
      feeSponsorship: 'false',
      transferSpeed: 'fast',
    },
    swapBytecode: {
      quote: {
        id: 'x',
        quoteId: 'x',
        provider: 'cctp',
        originChain: 'a',
        destinationChain: 'b',
        chainIdIn: 1,
        chainIdOut: 1,
      },
      walletAddress: wallet,
      destinationAddress: wallet,
      decimalsIn: 6,
    },
    swapStatus: { id: 'x', btcTxHash: '1'.repeat(64) },
    transferBytecode: {
      originAddress: wallet,
      destinationAddress: wallet,
      token: wallet,
      chainId: 31337,
      amount: '1',
    },
    customer: {},
    getFees: {},
    setFees: { markupBps: 1, collector: wallet },
    listWebhooks: page,
    addWebhook: { url: 'https://example.com/hook', payload: 'thin' },
    removeWebhook: { id: 'x' },
    rotateWebhook: { id: 'x' },
    enableWebhook: { id: 'x' },
    webhookDeliveries: { id: 'x', state: 'dead', ...page },
    resendDelivery: { id: 'x', deliveryId: 'x' },
    replayWebhook: { id: 'x', since: '2026-01-01T00:00:00Z' },
    listEvents: { after: '0', consumer: 'x', types: 'action.created', since: '2026-01-01T00:00:00Z' },
    commitEvents: { consumer: 'x', cursor: '0' },
    triggerEvent: { type: 'action.created' },
    olderQuote: {
      originChainId: '31337',
      destinationChainId: '31337',
      ...swap,
      walletAddress: wallet,
      decimalsIn: '6',
    },
  }
})()

const asked = [
  ...Object.entries(routes).map(([name, { method, path }]) => ({ name, method, path, fields: fine[name]! })),
  ...olderRoutes.map(({ method, path, as }) => ({
    name: `${method} ${path}`,
    method,
    path,
    fields: fine[as === 'quote' ? 'olderQuote' : as]!,
  })),
].filter(({ fields }) => Object.keys(fields).length > 0)

/** A string as part of a URL; lone surrogates are replaced. */
const escaped = (text: string): string => encodeURIComponent(text.toWellFormed())

function request({ method, path, fields }: (typeof asked)[number], name: string, value: string) {
  const all: Record<string, unknown> = { ...fields, [name]: value }
  const url = path.replace(/\{(\w+)\}/g, (_, part: string) => {
    const text = String(all[part])
    delete all[part]
    return escaped(text)
  })
  const query = Object.entries(all).map(([one, text]) => `${one}=${escaped(String(text))}`)
  return method === 'GET'
    ? app.inject({ method, url: `${url}?${query.join('&')}`, headers })
    : app.inject({ method, url, headers, payload: all })
}

/** A ninth of the strings, another ninth for each parameter of all routes; all of them with `SLUICE_CELLS=all`. */
const stringsFor = (nth: number): readonly string[] => inTurn(strings, 9, nth)
/** The number of parameters of the routes before each route: the turn of its first one. */
const turnOf = new Map(
  asked.map((one, at) => [one, asked.slice(0, at).flatMap(({ fields }) => Object.keys(fields)).length]),
)

test('there are at least 400 strings', () => expect(strings.length).toBeGreaterThanOrEqual(400))

describe('hostile strings', () => {
  test.each(asked.map((one) => [one.name, one] as const))(
    'in any parameter of %s cause no 5xx error, reveal no internals and delete no rows',
    async (_, route) => {
      const before = await rows()
      const names = Object.keys(route.fields)
      for (const [nth, name] of names.entries())
        for (const text of stringsFor(turnOf.get(route)! + nth))
          isDecent(await request(route, name, text), { name, text })
      const after = await rows()
      // Valid requests add rows; no row and no table disappears.
      expect(Object.keys(after)).toEqual(Object.keys(before))
      for (const [table, count] of Object.entries(before)) expect(after[table]).toBeGreaterThanOrEqual(count)
      expect(after.api_keys).toBe(0)
    },
    120_000,
  )

  test('as a parameter name or as an API key cause no 5xx error', async () => {
    for (const text of strings) {
      isDecent(await app.inject({ method: 'GET', url: `/strategies?${escaped(text)}=1`, headers }), { text })
      isDecent(
        await app.inject({ method: 'POST', url: '/transfer/bytecode', headers, payload: { [text]: 1 } }),
        { text },
      )
      const visible = text.replace(/[^\x20-\x7e]/g, '').trim()
      const other = await app.inject({ method: 'GET', url: '/strategies', headers: { 'x-api-key': visible } })
      const said = other.json().error.message
      expect([other.statusCode, said]).toEqual(
        visible === ''
          ? [401, 'no API key provided']
          : other.statusCode === 429
            ? [429, 'too many requests']
            : [401, 'invalid API key'],
      )
    }
  })
})

describe('a malformed body', () => {
  const post = (payload: string | Buffer, type = 'application/json') =>
    app.inject({
      method: 'POST',
      url: '/transfer/bytecode',
      headers: { ...headers, 'content-type': type },
      payload,
    })
  test.each<[string, string | Buffer, number]>([
    ['a duplicate key', '{"token":"a","token":"b"}', 422],
    ['a duplicate key, once escaped', '{"token":"a","t\\u006fken":"b"}', 422],
    ['a nested duplicate key', '{"a":[{"b":{"c":1,"d":2,"c":3}}]}', 422],
    ['__proto__', '{"__proto__":{"token":"x"}}', 422],
    ['__proto__, escaped and nested', '{"a":[{"\\u005f_proto__":1}]}', 422],
    ['constructor', '{"constructor":{"prototype":{}}}', 422],
    ['a list', '[]', 422],
    ['a number', '1', 422],
    ['a string', '"x"', 422],
    ['null', 'null', 422],
    ['an empty body', '', 422],
    ['truncated JSON', '{"token":', 400],
    ['two documents', '{}{}', 400],
    ['a comment', '{/* */}', 400],
    ['NaN', '{"amount":NaN}', 400],
    ['a trailing comma', '{"a":1,}', 400],
    ['a byte order mark', '\ufeff{}', 400],
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 400],
    ['UTF-16', Buffer.from('{}', 'utf16le'), 400],
    ['nesting that is too deep', `${'['.repeat(5_000)}${']'.repeat(5_000)}`, 400],
    ['a huge exponent', '{"amount":1e999999,"chainId":1e-999999}', 422],
    ['a huge number', `{"chainId":${'9'.repeat(10_000)}}`, 422],
  ])('is refused: %s', async (_, payload, status) => {
    const answer = await post(payload)
    isDecent(answer, payload)
    expect(answer.statusCode).toBe(status)
    expect(Object.getPrototypeOf({})).toBe(Object.prototype)
  })

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json5',
    'text/json',
  ])('of type %s gets status 415', async (type) => {
    expect((await post('{}', type)).statusCode).toBe(415)
  })
})
