import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Token } from '../../../src/domain/token.ts'
import type { Price } from '../../../src/domain/usd.ts'
import { externalPriceFiller, externalPriceSource } from '../../../src/engine/prices/external-prices.ts'
import type { Market } from '../../../src/protocols/market-adapter.ts'
import { type Listener, listener } from '../../support/services/listener.ts'

const now = 1_800_000_000_000
const at = (digit: number) => `0x${String(digit).repeat(40)}` as const
const token = (digit: number, chainId = 8453): Token => ({
  chainId,
  address: at(digit),
  symbol: `T${digit}`,
  name: `T${digit}`,
  decimals: 18,
})

let server: Listener
let asked: string[] = []
let answer: { status?: number; body: string; silent?: boolean }
beforeAll(async () => {
  server = await listener((request, response) => {
    asked.push(request.url!)
    if (answer.silent) return
    response.writeHead(answer.status ?? 200, { 'content-type': 'application/json' })
    response.end(answer.body)
  })
})
afterAll(() => server.close())
afterEach(() => {
  asked = []
})

type Coin = Record<string, unknown>
const coin = (more: Coin = {}): Coin => ({
  price: 1.25,
  symbol: 'T',
  timestamp: now / 1000 - 60,
  confidence: 0.99,
  decimals: 18,
  ...more,
})
const says = (coins: Record<string, Coin>) => {
  answer = { body: JSON.stringify({ coins }) }
}
const source = (more: { now?: () => number; deadlineMs?: number } = {}) =>
  externalPriceSource(server.url, { now: () => now, ...more })

describe('external prices', () => {
  test('are requested together, each token once, by the chain names of the source', async () => {
    says({ [`base:${at(1)}`]: coin(), [`bsc:${at(2)}`]: coin({ price: 3e-6 }) })
    expect(await source()([token(1), token(2, 56), token(1), token(3), token(4, 31337)])).toEqual([
      125_000_000n,
      300n,
      125_000_000n,
      null,
      null,
    ])
    expect(asked).toEqual([`/prices/current/base:${at(1)},base:${at(3)},bsc:${at(2)}`])
  })

  test.each([
    ['older than two hours', coin({ timestamp: now / 1000 - 7_201 })],
    ['from the future', coin({ timestamp: now / 1000 + 301 })],
    ['of low confidence', coin({ confidence: 0.89 })],
    ['without a confidence', coin({ confidence: undefined })],
    ['of a token with other decimals', coin({ decimals: 6 })],
    ['zero', coin({ price: 0 })],
    ['negative', coin({ price: -1 })],
    ['strings', coin({ price: '1.25' })],
    ['implausibly high', coin({ price: 1e13 })],
  ])('that are %s are ignored', async (_, one) => {
    says({ [`base:${at(1)}`]: one })
    expect(await source()([token(1)])).toEqual([null])
  })

  test.each([
    ['fails', { status: 500, body: '{}' }],
    ['redirects', { status: 302, body: '{}' }],
    ['returns HTML', { body: '<html>' }],
    ['returns JSON without prices', { body: '[]' }],
    ['exceeds the size limit', { body: JSON.stringify({ coins: {}, more: 'x'.repeat(1 << 20) }) }],
    ['does not answer', { body: '', silent: true }],
  ])('are null from a source that %s, which is not asked again for a minute', async (_, one) => {
    answer = one
    let time = now
    const ask = source({ now: () => time, deadlineMs: 1_000 })
    expect(await ask([token(1)])).toEqual([null])
    says({ [`base:${at(1)}`]: coin() })
    time += 59_999
    expect(await ask([token(1)])).toEqual([null])
    time += 1
    expect(await ask([token(1)])).toEqual([125_000_000n])
    expect(asked).toHaveLength(2)
  })
})

describe('markets without an oracle price', () => {
  const market = (asset: Token) => ({ entry: { chainId: asset.chainId, asset } }) as Market
  const markets = [1, 2, 3, 4].map((digit) => market(token(digit)))
  const rows = (prices: readonly Price[]) =>
    prices.map((price, index) => ({ market: markets[index]!, price }))
  const filled = async (prices: readonly Price[]) =>
    (await externalPriceFiller(source(), markets)(rows(prices))).map(({ price }) => price)
  const all = (prices: readonly number[]) =>
    says(Object.fromEntries(prices.map((price, index) => [`base:${at(index + 1)}`, coin({ price })])))

  test('get the external price, other markets keep theirs, and all markets of the chain are requested', async () => {
    all([1.02, 2, 3, 4])
    expect(await filled([10n ** 8n, null])).toEqual([10n ** 8n, 200_000_000n])
    expect(asked[0]!.split(',')).toHaveLength(4)
  })

  test('cause no request without a source, and no request when every market has a price', async () => {
    expect(await filled([1n, 2n])).toEqual([1n, 2n])
    const nobody = externalPriceFiller(undefined, markets)
    expect((await nobody(rows([null]))).map(({ price }) => price)).toEqual([null])
    expect(asked).toEqual([])
  })

  test('get no price from a source that contradicts the chain on most shared prices', async () => {
    all([1.2, 2, 3, 4])
    expect(await filled([10n ** 8n, 2n * 10n ** 8n, 3n * 10n ** 8n, null])).toEqual([
      10n ** 8n,
      2n * 10n ** 8n,
      3n * 10n ** 8n,
      400_000_000n,
    ])
    all([1.2, 2.2, 3, 4])
    expect((await filled([10n ** 8n, 2n * 10n ** 8n, 3n * 10n ** 8n, null]))[3]).toBeNull()
  })
})
