import { describe, expect, test } from 'vitest'

import { useSandbox } from '../support/sandbox.ts'
import { engineOn, over, perform } from './support.ts'

const sandbox = useSandbox()
const wallet = sandbox.user.address
const slug = 'aave-v3-usdc-sandbox-one'
const usdc = (chainId: number) => sandbox.token(chainId, 'USDC').address
const query = (destinationChainId: number) => ({
  originChainId: 31337,
  destinationChainId,
  tokenIn: usdc(31337),
  tokenOut: destinationChainId === 31337 ? sandbox.token(31337, 'WETH').address : usdc(31338),
  amountIn: '5000000',
})

describe('the older pages', () => {
  test('list strategies in the id-composite form, with fractions, in the older envelope', async () => {
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

  test('bring the transactions, the recommendation and the history of a strategy', async () => {
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

  test('answer 404 for a wallet without positions, which the current page shows as empty', async () => {
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

describe('a quote of the older page', () => {
  test.each([31337, 31338])('to %i has its older words, and is taken on either older page', async (to) => {
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
  })

  test('is refused where any of its words was changed', async () => {
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
