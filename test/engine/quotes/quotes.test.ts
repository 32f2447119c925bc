import { describe, expect, test } from 'vitest'
import { maxUint256 } from '../../../src/domain/amount.ts'
import { quoteFor } from '../../../src/engine/quotes/create-quote.ts'
import { recommend } from '../../../src/engine/strategies/recommend.ts'
import { strategyBytecode } from '../../../src/engine/unsigned-transactions/strategy-transactions.ts'
import type { Market } from '../../../src/protocols/market-adapter.ts'
import type { MovingPriceMarket } from '../../../src/protocols/moving-price-quotes.ts'
import type { Offer } from '../../../src/swaps/provider.ts'
import { withAttestation } from '../../support/changed-catalogs.ts'
import { codeOf, engineOn, operating } from '../../support/engine.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const someone = '0x2222222222222222222222222222222222222222'
const usdc = (chainId: number) => sandbox.token(chainId, 'USDC').address
const far = () => ({ chainIdIn: 31337, chainIdOut: 31338, tokenIn: usdc(31337), tokenOut: usdc(31338) })

describe('a quote above the maximum token amount', () => {
  test('is NO_ROUTE_FOUND and is not stored', async () => {
    const { service } = engineOn(sandbox)
    const asked = { ...far(), amountOut: maxUint256 }
    expect(await codeOf(service.quote({ ...asked, transferSpeed: 'fast' }))).toBe('NO_ROUTE_FOUND')
    expect(await service.listQuotes({})).toMatchObject({ items: [], total: 0 })
    // At the standard speed, which is free, the amount is valid, and the fast speed is not offered.
    expect((await service.quote(asked)).quote.alternatives).toEqual([])
  })

  test.each(['amountIn', 'maxAmountIn', 'amountOut', 'minAmountOut'] as const)(
    'is refused when the %s of a provider is too large',
    async (name) => {
      const { service, context } = engineOn(sandbox)
      const providers = context.providers.map((provider) => ({
        ...provider,
        quote: async (...asked: Parameters<typeof provider.quote>) => {
          const offer = await provider.quote(...asked)
          return offer && ({ ...offer, [name]: maxUint256 + 1n } satisfies Offer)
        },
      }))
      const ask = { ...far(), amountIn: 1_000_000n }
      expect(await codeOf(quoteFor({ ...context, providers }, ask, []))).toBe('NO_ROUTE_FOUND')
      expect((await service.listQuotes({})).total).toBe(0)
    },
  )

  test('is refused when only the service fee makes it too large', async () => {
    const { service, context } = engineOn(sandbox)
    await operating(context, { operatorCollector: someone, swapFeeBps: 5_000 })
    const ask = { ...far(), amountOut: maxUint256 - maxUint256 / 4n, transferSpeed: 'standard' as const }
    expect(await codeOf(service.quote(ask))).toBe('QUOTE_GENERATION_FAILED')
    expect((await service.listQuotes({})).total).toBe(0)
  })
})

test('a quote that cannot be encoded is not stored', async () => {
  const { service, context } = engineOn(sandbox)
  const providers = context.providers.map((provider) => ({ ...provider, name: 7 as never }))
  const ask = { ...far(), amountIn: 1_000_000n }
  await expect(quoteFor({ ...context, providers }, ask, [])).rejects.toThrow()
  expect((await service.listQuotes({})).total).toBe(0)
})

test('a stored quote that cannot be decoded is omitted from the list and reported', async () => {
  const told: string[] = []
  const { service, context } = engineOn(sandbox, {
    onUnreadableQuote: (id, fault) => told.push(`${id} ${!!fault}`),
  })
  const { quote } = await service.quote({ ...far(), amountIn: 1_000_000n })
  const { actionId: _, ...row } = (await context.store.quote('tests', quote.id))!
  const wire = JSON.parse(row.wire)
  const tooMuch = { ...wire, tokenIn: { ...wire.tokenIn, amount: (maxUint256 + 1n).toString() } }
  for (const [id, text] of [
    ['too-much', JSON.stringify(tooMuch)],
    ['cut-off', row.wire.slice(0, 40)],
    ['nothing', 'null'],
  ] as const)
    await context.store.saveQuote({ ...row, id, wire: text })
  const { items } = await service.listQuotes({})
  expect(items.map(({ id }) => id)).toEqual([quote.id])
  expect(told.toSorted()).toEqual(['cut-off true', 'nothing true', 'too-much true'])
})

test('the list of quotes filters by networks and provider in any letter case, and refuses unknown ones', async () => {
  const { service } = engineOn(sandbox)
  await service.quote({ ...far(), amountIn: 1_000_000n, preferredProvider: 'cctp' })
  for (const filter of [
    { originChain: 'sandbox-one', destinationChain: 'sandbox-two', provider: 'cctp' },
    { originChain: 'SANDBOX-ONE', destinationChain: 'Sandbox-Two', provider: 'CCTP' },
    { originChain: '31337', destinationChain: '31338' },
  ])
    expect((await service.listQuotes(filter)).total).toBe(1)
  expect((await service.listQuotes({ originChain: '31338' })).total).toBe(0)
  for (const filter of [
    { originChain: 'nope' },
    { destinationChain: '1' },
    { provider: 'nope' },
    { provider: '' },
  ])
    expect(await codeOf(service.listQuotes(filter))).toBe('VALIDATION_ERROR')
})

describe('a deposit from another network', () => {
  const lend = { action: 'lend' as const, wallet: sandbox.user.address, from: 'sandbox-one' }
  const id = 'aave-v3-usdc-sandbox-two'

  test('that is refused stores no quote', async () => {
    const { service, context } = engineOn(sandbox)
    const market = context.markets.find(({ entry }) => entry.slug === id)!
    const { reads, parse } = market.state
    const state: Market['state'] = {
      reads,
      parse: (answers) => {
        const stands = parse(answers)
        return stands && { ...stands, headroom: 5n }
      },
    }
    const full = { ...context, markets: [{ ...market, state }] }
    expect(await codeOf(strategyBytecode(full, { ...lend, id, amount: 1_000_000n }))).toBe(
      'STRATEGY_CAP_REACHED',
    )
    expect((await service.listQuotes({})).total).toBe(0)
    const { quote } = await service.strategyBytecode({ ...lend, id, amount: 1_000_000n })
    expect((await service.listQuotes({})).items.map((one) => one.id)).toEqual([quote!.id])
  })

  test('is not recommended into a strategy that is bought at a moving price', async () => {
    const { context } = engineOn(sandbox)
    const usual = await recommend(context, { identifier: 'usdc', from: 'sandbox-one', to: 'sandbox-two' })
    const exchanged = new Map(
      context.markets.map((market) => [
        market,
        market.entry.slug === usual.strategy.slug ? { ...market, exchange: {} as MovingPriceMarket } : market,
      ]),
    )
    const onChains: typeof context.marketCache.onChains = async (chainIds) =>
      (await context.marketCache.onChains(chainIds)).map((rows) =>
        rows.map((row) => ({ ...row, market: exchanged.get(row.market)! })),
      )
    const moving = {
      ...context,
      markets: [...exchanged.values()],
      marketCache: { ...context.marketCache, onChains },
    }
    const asked = { identifier: 'usdc', to: 'sandbox-two' }
    expect((await recommend(moving, asked)).strategy.slug).toBe(usual.strategy.slug)
    expect((await recommend(moving, { ...asked, from: 'sandbox-two' })).strategy.slug).toBe(
      usual.strategy.slug,
    )
    const other = await recommend(moving, { ...asked, from: 'sandbox-one' })
    expect(other.strategy.slug).not.toBe(usual.strategy.slug)
    expect(
      (await strategyBytecode(moving, { ...lend, id: other.strategy.slug, amount: 1_000_000n })).crossChain
        .isCrossChain,
    ).toBe(true)
  })

  test('is refused and not recommended without an attestation service', async () => {
    const catalog = withAttestation(sandbox.world.catalog(), null)
    const { service } = engineOn(sandbox, { catalog })
    const asked = { identifier: 'usdc', from: 'sandbox-one', to: 'sandbox-two' }
    expect(await codeOf(service.recommend(asked))).toBe('STRATEGY_NOT_FOUND')
    expect(await codeOf(service.strategyBytecode({ ...lend, id, amount: 1n }))).toBe('NO_ROUTE_FOUND')
  })
})

describe('a withdrawal', () => {
  const id = 'aave-v3-usdc-sandbox-one'
  const wallet = sandbox.user.address

  test.each(['withdraw', 'claim'] as const)(
    'refuses another origin network than that of its strategy: %s',
    async (action) => {
      const { service } = engineOn(sandbox)
      const asked = { id, action, amount: maxUint256, wallet }
      expect(await codeOf(service.strategyBytecode({ ...asked, from: 'sandbox-two' }))).toBe(
        'VALIDATION_ERROR',
      )
      expect(await codeOf(service.strategyBytecode({ ...asked, from: 'SANDBOX-ONE' }))).toBe(
        action === 'claim' ? 'VALIDATION_ERROR' : 'INSUFFICIENT_FUNDS',
      )
      expect(await codeOf(service.strategyBytecode({ ...asked, slippage: 0.9 }))).toBe('INVALID_SLIPPAGE')
    },
  )

  test('is recommended on its origin network only', async () => {
    const { service } = engineOn(sandbox)
    for (const from of ['sandbox-one', 'sandbox-two'])
      expect(
        (await service.recommend({ identifier: 'usdc', action: 'withdraw', from })).destinationChain,
      ).toBe(from)
    const apart = { identifier: 'usdc', action: 'withdraw' as const, from: 'sandbox-one', to: 'sandbox-two' }
    expect(await codeOf(service.recommend(apart))).toBe('STRATEGY_NOT_FOUND')
  })
})

describe('an amount above the balance', () => {
  const wallet = sandbox.user.address

  test.each(['aave-v3-usdc-sandbox-one', 'sandbox-vault-usdc-sandbox-two'])(
    'is INSUFFICIENT_FUNDS for a deposit into %s',
    async (id) => {
      const { service } = engineOn(sandbox)
      for (const amount of [maxUint256, 10n ** 30n])
        expect(await codeOf(service.strategyBytecode({ id, action: 'lend', amount, wallet }))).toBe(
          'INSUFFICIENT_FUNDS',
        )
    },
  )

  test('is INSUFFICIENT_FUNDS for a bridge transfer', async () => {
    const { service } = engineOn(sandbox)
    const { quote } = await service.quote({ ...far(), amountIn: maxUint256, transferSpeed: 'standard' })
    const order = { quote: quote.raw as never, walletAddress: wallet }
    expect(await codeOf(service.swapBytecode(order))).toBe('INSUFFICIENT_FUNDS')
  })
})
