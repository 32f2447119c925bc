import { describe, expect, test } from 'vitest'
import { httpRpc } from '../../src/chain/rpc/failover.ts'
import { chargesOf } from '../../src/engine/fees/service-fee-charges.ts'
import type { StrategyEntry } from '../../src/protocols/catalog-types.ts'
import { usualFees } from '../support/default-operator-fees.ts'
import { codeOf, engineOn, operating, over, perform } from '../support/engine.ts'
import { basicOf, isBasic } from '../support/market-constants.ts'
import { useSandbox } from '../support/use-sandbox.ts'

const sandbox = useSandbox()
const wallet = sandbox.user.address
const collector = '0x7777777777777777777777777777777777777777'
const year = 31_536_000

describe('a recommendation', () => {
  const ask = (input: Parameters<ReturnType<typeof engineOn>['service']['recommend']>[0]) =>
    engineOn(sandbox).service.recommend(input)
  const open = async () =>
    (await engineOn(sandbox).service.listStrategies({ limit: 100 })).items.filter(({ paused }) => !paused)

  test.each(['usdc', 'USDC', 'UsDc', 'weth'])(
    'for %s is the open strategy of that asset with the highest APY',
    async (identifier) => {
      const best = await ask({ identifier })
      const rivals = (await open()).filter(({ asset }) => asset.symbol === identifier.toUpperCase())
      expect(rivals.length).toBeGreaterThan(1)
      expect(best.strategy.apy).toBe(Math.max(...rivals.map(({ apy }) => apy!)))
      expect(best).toMatchObject({
        recommendedStrategyId: best.strategy.id,
        destinationChain: best.strategy.network,
        transactions: null,
        actionId: null,
      })
      expect(best.spotPosition).toMatchObject({ apy: best.strategy.apy, tvlUsd: best.strategy.tvlUsd })
    },
  )

  test.each(['lending', 'staking', 'LENDING'])(
    'for the category %s is its open strategy with the highest APY',
    async (identifier) => {
      const best = await ask({ identifier })
      const rivals = (await open()).filter(({ category }) => category === identifier.toLowerCase())
      expect(best.strategy.apy).toBe(Math.max(...rivals.map(({ apy }) => apy!)))
    },
  )

  test('has unsigned transactions and an action id when wallet and amount are given', async () => {
    const { service } = engineOn(sandbox)
    const best = await service.recommend({ identifier: 'usdc', wallet, amount: 1_000000n })
    expect(best.transactions).toHaveLength(2)
    expect(await service.getAction({ id: best.actionId! })).toMatchObject({
      status: 'INITIAL',
      strategyId: best.recommendedStrategyId,
    })
  })

  test('stays on the requested network', async () => {
    for (const to of ['sandbox-one', 'sandbox-two', '31337'])
      expect((await ask({ identifier: 'usdc', to })).destinationChain).toBe(
        to === 'sandbox-two' ? to : 'sandbox-one',
      )
    expect((await ask({ identifier: 'usdt', from: 'sandbox-one' })).destinationChain).toBe('sandbox-one')
  })

  test('is refused without a matching open strategy, and for a wallet without an amount', async () => {
    expect(await codeOf(ask({ identifier: 'doge' }))).toBe('STRATEGY_NOT_FOUND')
    expect(await codeOf(ask({ identifier: 'fixed-yield' }))).toBe('STRATEGY_NOT_FOUND')
    // WBTC is lent on one chain only, where it is paused.
    expect(await codeOf(ask({ identifier: 'wbtc' }))).toBe('STRATEGY_NOT_FOUND')
    expect(await codeOf(ask({ identifier: 'usdc', to: 'nowhere' }))).toBe('NO_ROUTE_FOUND')
    expect(await codeOf(ask({ identifier: 'usdc', wallet }))).toBe('VALIDATION_ERROR')
    // An amount without a wallet returns no transactions.
    expect(await ask({ identifier: 'usdc', amount: 1n })).toMatchObject({ transactions: null })
  })
})

describe('the list of strategies', () => {
  test('is sorted by APY, highest first, in pages that do not overlap', async () => {
    const { service } = engineOn(sandbox)
    const all = (await service.listStrategies({ limit: 100 })).items
    const rates = all.map(({ apy }) => apy ?? -1)
    expect(rates).toEqual(rates.toSorted((a, b) => b - a))
    const pages = [1, 2, 3].map((page) => service.listStrategies({ page, limit: 5 }))
    const [first, second, third] = await Promise.all(pages)
    expect([...first!.items, ...second!.items, ...third!.items].map(({ id }) => id)).toEqual(
      all.map(({ id }) => id),
    )
    expect([first!.hasMore, second!.hasMore, third!.hasMore]).toEqual([true, true, false])
    expect(await service.listStrategies({ page: 99, limit: 5 })).toMatchObject({
      items: [],
      total: all.length,
      hasMore: false,
    })
    expect((await service.listStrategies({})).limit).toBe(10)
  })

  test('is summarized by the analytics', async () => {
    const { service } = engineOn(sandbox)
    const all = (await service.listStrategies({ limit: 100 })).items
    // A rate that is known by growth only is null at first.
    const open = all.filter(({ paused, apy }) => !paused && apy !== null)
    const { totalTvlUsd, averageApy, strategyCount, topStrategies, unpriced } = await service.analytics({})
    expect(unpriced).toBe(0)
    expect(strategyCount).toBe(all.length)
    expect(averageApy).toBeCloseTo(open.reduce((sum, { apy }) => sum + apy!, 0) / open.length, 12)
    expect(Number(totalTvlUsd)).toBeCloseTo(
      all.reduce((sum, { tvlUsd }) => sum + Number(tvlUsd), 0),
      0,
    )
    expect(topStrategies.map(({ id }) => id)).toEqual(open.slice(0, 5).map(({ id }) => id))
  })

  test('has analytics that count the strategies without a price', async () => {
    const none = engineOn(sandbox, { catalog: { ...sandbox.world.catalog(), priceOracles: {} } })
    const { totalTvlUsd, strategyCount, unpriced } = await none.service.analytics({})
    expect({ totalTvlUsd, unpriced }).toEqual({ totalTvlUsd: '0', unpriced: strategyCount })
  })
})

/** The growth of one unit since its start, from the contracts. */
async function indexOf(entry: StrategyEntry): Promise<number> {
  const { chainId, asset } = entry
  const constants = basicOf(entry)
  if (constants.family === 'aave-v3')
    return (
      Number(
        await sandbox.call(chainId, constants.pool, 'function getReserveNormalizedIncome(address) view', [
          asset.address,
        ]),
      ) / 1e27
    )
  const read = async (signature: string) => Number(await sandbox.call(chainId, constants.vault, signature))
  return (await read('function totalAssets() view')) / (await read('function totalSupply() view'))
}

test('the APY since inception equals the growth in the contracts, after 2 and after 100 days', async () => {
  const { service } = engineOn(sandbox)
  const timeOf = async (chainId: number) =>
    Number(
      (
        await sandbox
          .chain(chainId)
          .rpc.request<{ timestamp: string }>('eth_getBlockByNumber', ['latest', false])
      ).timestamp,
    )
  for (const days of [2, 100]) {
    await sandbox.world.warp(days * 86_400)
    for (const entry of sandbox.world.catalog().strategies.filter(isBasic)) {
      const { inceptionApy, startDate } = await service.getStrategy({ id: entry.slug })
      const seconds = (await timeOf(entry.chainId)) - Date.parse(startDate!) / 1000
      expect(seconds).toBeGreaterThanOrEqual(days * 86_400)
      const expected = (await indexOf(entry)) ** (year / seconds) - 1
      expect(inceptionApy! / expected).toBeCloseTo(1, 3)
    }
  }
})

test('every market of the sandbox has a logo and a start date', async () => {
  const { items } = await engineOn(sandbox).service.listStrategies({})
  expect(items).not.toEqual([])
  for (const { id, logourl, startDate } of items) {
    expect([id, logourl]).toEqual([id, expect.stringMatching(/^https:/)])
    expect(Date.parse(startDate!)).not.toBeNaN()
  }
})

test('a customer sets its own markup and collector, and does not see those of another customer', async () => {
  const { service, context } = engineOn(sandbox)
  expect(await service.getFees({})).toEqual(usualFees)
  await service.setFees({ markupBps: 30 })
  expect(await service.setFees({ collector: wallet })).toMatchObject({ markupBps: 30, collector: wallet })
  expect(await service.customer({})).toMatchObject({ id: 'tests', markupBps: 30, testnet: true })
  const theirs = engineOn(sandbox, { store: context.store, customer: 'somebody else' }).service
  expect(await theirs.getFees({})).toMatchObject({ markupBps: 0, collector: null })
})

test('operator fee and markup together are capped at 100 percent', async () => {
  const { service, context } = engineOn(sandbox)
  await operating(context, {
    operatorCollector: collector,
    swapFeeBps: 6_000,
    performanceFeeBps: 4_000,
    maxMarkupBps: 10_000,
  })
  await service.setFees({ collector: wallet, markupBps: 6_000 })
  expect(await chargesOf(context)).toEqual({
    swap: [
      { bps: 6_000, to: collector, by: 'operator' },
      { bps: 4_000, to: wallet, by: 'customer' },
    ],
    profit: [
      { bps: 4_000, to: collector, by: 'operator' },
      { bps: 6_000, to: wallet, by: 'customer' },
    ],
  })
})

test('a wallet at an address that routers replace is INVALID_ADDRESS', async () => {
  const { service } = engineOn(sandbox)
  const { slug } = sandbox.world.catalog().strategies[0]!
  for (const nobody of [`0x${'0'.repeat(40)}`, `0x${'0'.repeat(39)}2`] as const) {
    const order = { id: slug, amount: 1_000000n, wallet: nobody }
    for (const action of ['lend', 'withdraw'] as const)
      expect(await codeOf(service.strategyBytecode({ ...order, action }))).toBe('INVALID_ADDRESS')
    const wish = { identifier: 'USDC', action: 'lend' as const, amount: 1_000000n, wallet: nobody }
    expect(await codeOf(service.recommend(wish))).toBe('INVALID_ADDRESS')
  }
})

test('an invalid fee or collector is refused as a whole, and a stored invalid fee counts as the default', async () => {
  const { service, context } = engineOn(sandbox)
  await operating(context, { operatorCollector: collector })
  const before = await service.setFees({ collector: wallet })
  for (const rate of [-1, 10_001, 0.5, Number.NaN]) {
    expect(await codeOf(service.setFees({ collector: null, markupBps: rate }))).toBe('VALIDATION_ERROR')
    expect(await codeOf(operating(context, { operatorCollector: null, swapFeeBps: rate }))).toBe(
      'VALIDATION_ERROR',
    )
  }
  // A token, or one of the lowest addresses, cannot collect fees.
  for (const lost of [sandbox.token(31338, 'USDC').address, `0x${'0'.repeat(39)}1`] as const) {
    expect(await codeOf(service.setFees({ collector: lost }))).toBe('VALIDATION_ERROR')
    expect(await codeOf(operating(context, { operatorCollector: lost }))).toBe('VALIDATION_ERROR')
  }
  expect(await service.getFees({})).toEqual(before)
  const by = { by: 'operator', at: 0 }
  await context.store.saveSettings('tests', [['markupBps', '-1']], by)
  await context.store.saveSettings(
    '',
    [
      ['swapFeeBps', '-10000'],
      ['performanceFeeBps', '1e3'],
      ['maxMarkupBps', ''],
    ],
    by,
  )
  expect(await service.getFees({})).toEqual(before)
  const { quote } = await service.quote({
    chainIdIn: 31337,
    chainIdOut: 31337,
    tokenIn: sandbox.token(31337, 'USDC').address,
    tokenOut: sandbox.token(31337, 'WETH').address,
    amountIn: 10_000n,
  })
  expect(quote.fees).toMatchObject([{ kind: 'service', bps: 25, amount: '25' }])
  const made = await service.swapBytecode({ quote: quote.raw as never, walletAddress: wallet })
  expect(made.swapDetails).toMatchObject({ tokenIn: { amount: '10000' } })
})

test.each([-0.1, -1e-9, 0, 0.51, 1e9])(
  'a slippage of %d is INVALID_SLIPPAGE, also for a deposit without a market price',
  async (slippage) => {
    const { service } = engineOn(sandbox)
    const deposit = { id: 'aave-v3-usdc-sandbox-one', action: 'lend', amount: 1n, wallet } as const
    expect(await codeOf(service.strategyBytecode({ ...deposit, slippage }))).toBe('INVALID_SLIPPAGE')
  },
)

test('settings are saved all or none', async () => {
  const { context } = engineOn(sandbox)
  const half = [
    ['markupBps', '5'],
    ['collector', null as never],
  ] as const
  await expect(context.store.saveSettings('tests', half, { by: 'operator', at: 0 })).rejects.toThrow()
  expect((await context.store.settings('tests')).markupBps).toBeUndefined()
  expect(await context.store.settingChanges(10)).toEqual([])
})

test('the name and the id of a network must agree, or the quote is refused', async () => {
  const ask = over(engineOn(sandbox).service)
  const tokens = {
    tokenIn: sandbox.token(31337, 'USDC').address,
    tokenOut: sandbox.token(31337, 'WETH').address,
  }
  const of = (ends: object) => ask('GET', '/v2/swap/quote', { ...tokens, amountIn: '1000000', ...ends })
  const same = {
    originChain: 'sandbox-one',
    chainIdIn: 31337,
    destinationChain: 'sandbox-one',
    chainIdOut: 31337,
  }
  expect((await of(same)).status).toBe(200)
  for (const [name, chain] of [
    ['originChain', 'sandbox-two'],
    ['destinationChain', 'sandbox-two'],
  ] as const) {
    const { status, body } = await of({ ...same, [name]: chain })
    expect([status, body.error.details]).toEqual([
      422,
      { errors: [{ path: name, message: 'is given twice, with different values' }] },
    ])
  }
})

test('an unreachable chain is named by shorter lists and wallets, and is an error for totals', async () => {
  // Nothing listens on this loopback port.
  const dead = httpRpc('http://127.0.0.1:1', { retries: 0 })
  const { service } = engineOn(sandbox, {
    rpc: (chainId) => (chainId === 31337 ? sandbox.chain(chainId).rpc : dead),
  })
  const { items, missing } = await service.listStrategies({ limit: 100 })
  expect(missing).toEqual(['sandbox-two'])
  expect((await service.recommend({ identifier: 'usdc' })).missing).toEqual(['sandbox-two'])
  expect(new Set(items.map(({ chainId }) => chainId))).toEqual(new Set([31337]))
  const { bytecode } = await service.strategyBytecode({
    id: 'aave-v3-usdc-sandbox-one',
    action: 'lend',
    amount: 5_000000n,
    wallet,
  })
  await perform(sandbox, wallet, bytecode)
  const held = await service.getWallet({ address: wallet })
  expect(held).toMatchObject({ missing: ['sandbox-two'], positions: [{ principal: 5_000000n }] })
  expect(held.stats!.underlying).toHaveLength(1)
  const none = engineOn(sandbox, { rpc: () => dead }).service
  expect(await codeOf(none.getWallet({ address: wallet }))).toBe('RPC_UNREACHABLE')
  expect(await codeOf(service.analytics({}))).toBe('RPC_UNREACHABLE')
  expect((await service.getStrategy({ id: 'aave-v3-usdc-sandbox-one' })).apy).toBeGreaterThan(0)
  const ask = over(service)
  const id = 'aave-v3-usdc-sandbox-two'
  for (const [path, code] of [
    ['/strategies/analytics', 'INTERNAL_SERVER_ERROR'],
    [`/strategies/${id}`, 'INTERNAL_SERVER_ERROR'],
    [`/strategies/${id}/bytecode?action=lend&amount=1&wallet=${wallet}`, 'BYTECODE_GENERATION_FAILED'],
  ] as const) {
    const [at, query] = path.split('?')
    const said = await ask('GET', at!, Object.fromEntries(new URLSearchParams(query)))
    expect([path, said.status, said.body]).toEqual([
      path,
      500,
      { error: { code, message: 'sandbox-two cannot be read now', details: { missing: ['sandbox-two'] } } },
    ])
  }
})
