import { describe, expect, test } from 'vitest'
import { olderRoutes } from '../../src/api/older-routes.ts'
import { routes } from '../../src/api/routes.ts'
import type { Service } from '../../src/api/service-type.ts'
import { engineOn, over, perform } from '../support/engine.ts'
import { useSandbox } from '../support/use-sandbox.ts'

const sandbox = useSandbox()
const wallet = sandbox.user.address
const slug = 'aave-v3-usdc-sandbox-one'
const usdc = (chainId: number) => sandbox.token(chainId, 'USDC').address
const query = (destinationChainId: number) => ({
  originChainId: 31337,
  destinationChainId,
  tokenIn: usdc(31337),
  tokenOut: destinationChainId === 31337 ? sandbox.token(31337, 'WETH').address : usdc(31338),
  amountIn: '50000000',
})

describe('the legacy pages', () => {
  test('list strategies in the id-composite shape, with fractions, in the legacy envelope', async () => {
    const { service } = engineOn(sandbox)
    const ask = over(service)
    const current = (await service.listStrategies({ limit: 100 })).items
    const { status, body } = await ask('GET', '/v1/strategies', { page: 2, limit: 5 })
    expect(status).toBe(200)
    expect(body.pagination).toEqual({
      totalRecords: current.length,
      offset: 5,
      limit: 5,
      totalPages: Math.ceil(current.length / 5),
      page: 2,
      hasPrevPage: true,
      hasNextPage: true,
      prevPage: 1,
      nextPage: 3,
    })
    const shown = current[5]!
    expect(body.data[0]).toMatchObject({
      id: shown.id,
      networkId: String(shown.chainId),
      asset: shown.asset.address,
      assetName: shown.asset.symbol,
      assetDecimals: shown.asset.decimals,
      apy: shown.apy,
    })
    expect((await ask('GET', '/v1/strategies')).body.pagination).toMatchObject({
      offset: 0,
      hasPrevPage: false,
      prevPage: null,
    })
    const last = (await ask('GET', '/v1/strategies', { limit: 100 })).body.pagination
    expect(last).toMatchObject({ hasNextPage: false, nextPage: null })
    const one = await ask('GET', `/v1/strategies/${slug}`)
    expect(one.body).toMatchObject({ assetName: 'USDC', apy: (await service.getStrategy({ id: slug })).apy })
    expect((await ask('GET', '/v1/strategies/nothing')).status).toBe(404)
  })

  test('return the transactions, the recommendation and the history of a strategy', async () => {
    const { service } = engineOn(sandbox)
    const ask = over(service)
    const made = await ask('GET', `/v1/strategies/${slug}/bytecode`, {
      action: 'lend',
      amount: '7000000',
      wallet,
    })
    expect(made.body.bytecode).toHaveLength(2)
    await perform(sandbox, wallet, made.body.bytecode)
    const { body } = await ask('GET', `/v1/wallets/${wallet}/history/${slug}`)
    expect(body).toMatchObject({
      page: 1,
      totalPages: 1,
      transactions: [{ type: 'deposit', amount: '7000000' }],
    })
    const best = await ask('GET', '/v1/yield/usdc')
    expect(best.body.strategy.id).toBe(best.body.recommendedStrategyId)
  })

  test('answer 404 for a wallet without positions, where the current page is empty', async () => {
    const ask = over(engineOn(sandbox).service)
    const nobody = '0x2222222222222222222222222222222222222222'
    expect(await ask('GET', `/v1/wallets/${nobody}`)).toMatchObject({
      status: 404,
      body: { error: { code: 'NOT_FOUND' } },
    })
    expect(await ask('GET', `/wallets/${nobody}`)).toMatchObject({ status: 200, body: { positions: [] } })
    expect((await ask('GET', '/v1/wallets/0x1')).status).toBe(400)
  })
})

describe('a quote of a legacy page', () => {
  test.each([31337, 31338])(
    'to chain %i has its legacy fields, and is accepted by either legacy page',
    async (to) => {
      const { service } = engineOn(sandbox)
      const ask = over(service)
      for (const from of ['/v1/swap/quote', '/swap/quote'])
        for (const taker of ['/v1/swap/bytecode', '/swap/bytecode']) {
          const { body } = await ask('GET', from, query(to))
          if (from === '/v1/swap/quote')
            expect(body.quote).toMatchObject({
              fromChain: 'sandbox-one',
              toChain: to === 31337 ? 'sandbox-one' : 'sandbox-two',
              expectedAmountOut: body.quote.tokenOut.amount,
              provider: to === 31337 ? 'uniswap-v3' : 'cctp',
            })
          else expect(body.quote).not.toHaveProperty('fromChain')
          const taken = await ask('POST', taker, { quote: body.quote, walletAddress: wallet })
          expect({ from, taker, status: taken.status }).toEqual({ from, taker, status: 200 })
          expect((await ask('GET', `/v1/swap/status/${body.quote.id}`)).body.status).toBe('pending')
        }
    },
  )

  test('is refused when any of its fields is changed', async () => {
    const ask = over(engineOn(sandbox).service)
    const { quote } = (await ask('GET', '/v1/swap/quote', query(31337))).body
    for (const change of [
      { expectedAmountOut: '1' },
      { fromChain: 'sandbox-two' },
      { toChain: 'sandbox-two' },
      { tokenOut: { ...quote.tokenOut, amount: '1' } },
      { tokenOut: { ...quote.tokenOut, amount: '1' }, expectedAmountOut: '1' },
      { originChain: 'sandbox-two', fromChain: 'sandbox-two' },
    ]) {
      const body = { quote: { ...quote, ...change }, walletAddress: wallet }
      expect(await ask('POST', '/v1/swap/bytecode', body)).toMatchObject({
        status: 400,
        body: { error: { code: 'QUOTE_VALIDATION_ERROR' } },
      })
    }
    const { fromChain: _, toChain: __, expectedAmountOut: ___, ...current } = quote
    expect((await ask('POST', '/v1/swap/bytecode', { quote: current, walletAddress: wallet })).status).toBe(
      200,
    )
  })
})

/** A service that repeats its first answer to each method, so that two pages can be compared. */
const steady = (service: Service): Service =>
  Object.fromEntries(
    Object.entries(service).map(([name, method]) => {
      let first: Promise<unknown> | undefined
      return [name, (input: never) => (first ??= method(input))]
    }),
  ) as Service

type Json = ReturnType<typeof JSON.parse>

/** Converts a strategy from the detail shape to the id-composite shape. */
const detailOnly = ['protocolInfo', 'chain', 'assetToken', 'underlyingToken']
const composite = ({ _id, asset, underlying, chainId, apyFraction, ...same }: Json) => ({
  ...Object.fromEntries(Object.entries(same).filter(([name]) => !detailOnly.includes(name))),
  id: _id,
  networkId: String(chainId),
  asset: asset.contract,
  assetName: asset.symbol,
  assetDecimals: asset.decimals,
  underlyingAsset: underlying.contract,
  underlyingName: underlying.symbol,
  underlyingDecimals: underlying.decimals,
  apy: apyFraction,
})
const olderQuote = ({ quote }: Json) => ({
  quote: {
    ...quote,
    fromChain: quote.originChain,
    toChain: quote.destinationChain,
    expectedAmountOut: quote.tokenOut.amount,
  },
})
const olderList = ({ docs, totalDocs, totalPages, hasNextPage }: Json) => ({
  data: docs.map(composite),
  pagination: {
    totalRecords: totalDocs,
    offset: 5,
    limit: 5,
    totalPages,
    page: 2,
    hasPrevPage: true,
    hasNextPage,
    prevPage: 1,
    nextPage: hasNextPage ? 3 : null,
  },
})
const olderWallet = ({ address, stats }: Json) => ({ address, stats })
const same = (body: Json) => body

test('each legacy page equals the current page in its own shape', async () => {
  const { service } = engineOn(sandbox)
  const made = await service.strategyBytecode({ id: slug, action: 'lend', amount: 7_000000n, wallet })
  await perform(sandbox, wallet, made.bytecode)
  const ask = over(steady(service))
  const { originChainId: chainIdIn, destinationChainId: chainIdOut, ...tokens } = query(31338)
  const swap = { ...tokens, chainIdIn, chainIdOut }
  const { quote } = (await ask('GET', '/v2/swap/quote', swap)).body
  const [page, lend] = [
    { page: 2, limit: 5 },
    { action: 'lend', amount: '7000000', wallet },
  ]
  const take = { quote, walletAddress: wallet }
  /** By legacy path: its body as a function of the current body, the request, and the legacy request. */
  const compared: Record<string, [shaped: (current: Json) => Json, sent?: object, older?: object]> = {
    '/swap/quote': [same, swap, query(31338)],
    '/v1/swap/quote': [olderQuote, swap, query(31338)],
    '/swap/bytecode': [same, take],
    '/v1/swap/bytecode': [same, take],
    '/swap/status/{id}': [same],
    '/v1/swap/status/{id}': [same],
    '/v1/strategies': [olderList, page],
    '/v1/strategies/{id}': [composite],
    '/v1/strategies/{id}/bytecode': [same, lend],
    '/v1/yield/{identifier}': [same, { wallet, amount: '7000000' }],
    '/v1/wallets/{address}': [olderWallet],
    '/v1/wallets/{address}/history/{strategyId}': [same],
  }
  expect(Object.keys(compared).toSorted()).toEqual(olderRoutes.map(({ path }) => path).toSorted())
  for (const { method, path, as } of olderRoutes) {
    const id = as === 'swapStatus' ? quote.id : slug
    const named: Record<string, string> = { id, identifier: 'usdc', address: wallet, strategyId: slug }
    const get = async (template: string, sent: object) => {
      const { status, body } = await ask(
        method,
        template.replace(/\{(\w+)\}/g, (_, name) => named[name]!),
        sent,
      )
      expect({ template, status }).toEqual({ template, status: 200 })
      return body
    }
    const [shaped, sent = {}, older = sent] = compared[path]!
    const current = await get(routes[as].path, sent)
    expect({ path, body: await get(path, older) }).toStrictEqual({ path, body: shaped(current) })
  }
  // The fields that all of them share are present, also in the list of quotes.
  const number = expect.stringMatching(/^\d+$/)
  const sooner = {
    provider: 'cctp',
    transferSpeed: 'fast',
    amountIn: number,
    amountOut: number,
    savesSeconds: null,
    estimatedGas: number,
    netAmountOut: number,
  }
  expect(quote).toMatchObject({ minAmountOut: number, feeSponsorship: false, fees: [] })
  expect(quote.alternatives[0]).toMatchObject(sooner)
  expect(quote.alternatives.map(({ provider }: { provider: string }) => provider)).toEqual([
    'cctp',
    'across',
    'lifi',
    'relay',
  ])
  const { rawQuote: _, deadline: __, ...given } = quote
  const listed = { ...given, deadline: given.deadlineDate }
  expect((await ask('GET', '/quotes')).body).toStrictEqual({
    docs: [listed],
    totalDocs: 1,
    limit: 10,
    page: 1,
    totalPages: 1,
    hasNextPage: false,
    hasPrevPage: false,
  })
  const words = { description: expect.any(String), risk: expect.any(String), volatility: expect.any(String) }
  expect((await ask('GET', `/strategies/${slug}`)).body).toMatchObject({
    tvl: expect.stringMatching(/^\d+(\.\d+)?$/),
    metadata: { en: words },
  })
})
