import { expect, test } from 'vitest'
import { engineOn, over, perform } from '../support/engine.ts'
import { useSandbox } from '../support/use-sandbox.ts'

const sandbox = useSandbox()
const wallet = sandbox.user.address
const slug = 'aave-v3-usdc-sandbox-one'

/** The fields of the specification, by hand: `a.b` is inside, `a[].b` inside each item. Of several allowed shapes, ours is the reference form. */
const composite =
  'id protocol network networkId asset assetName assetDecimals underlyingAsset underlyingDecimals availableActions paused apy inceptionApy avgApy fee performanceFeeBps isDefault metadata logourl implementationSelector startDate'
const detail =
  '_id name slug protocol network asset asset.symbol asset.contract asset.decimals paused apy tvl'
const item = 'to data value chainId'
const quote =
  'id quoteId originChain destinationChain tokenIn tokenIn.contract tokenIn.symbol tokenIn.decimals tokenIn.amount tokenIn.chainId tokenIn.priceUSD tokenOut tokenOut.contract tokenOut.symbol tokenOut.decimals tokenOut.amount tokenOut.chainId tokenOut.priceUSD provider deadline deadlineDate chainIdIn chainIdOut status feeSponsorship customer'
const action =
  'id type status strategyId strategySlug originAddress receiverAddress amounts transactions createdAt updatedAt finishedAt'
const stats =
  'stats.underlying[].asset.address stats.underlying[].asset.decimals stats.underlying[].asset.symbol stats.underlying[].asset.name stats.underlying[].balance.raw stats.underlying[].balance.humanized stats.underlying[].balance.decimals stats.underlying[].balanceUSD stats.underlying[].price stats.underlying[].liquidationThreshold stats.debt stats.healthFactor stats.ltv stats.liquidationPrice stats.maxBorrowValue'
const under = (prefix: string, fields: string) => fields.split(' ').map((field) => prefix + field)

/** Whether a field is present, `null` included. */
function has(value: unknown, path: readonly string[]): boolean {
  const [step, ...rest] = path
  if (step === undefined) return true
  if (typeof value !== 'object' || value === null) return false
  const name = step.replace('[]', '')
  if (!Object.hasOwn(value, name)) return false
  const inner = (value as Record<string, unknown>)[name]
  if (!step.endsWith('[]')) return rest.length === 0 || has(inner, rest)
  return Array.isArray(inner) && inner.length > 0 && inner.every((one) => rest.length === 0 || has(one, rest))
}

test('every response has every field of the specification, with deadlines and APY in its format', async () => {
  const { service } = engineOn(sandbox)
  const ask = over(service)
  const get = async (path: string, sent: object = {}) => {
    const answer = await ask('GET', path, sent)
    expect({ path, ...answer }).toMatchObject({ status: 200 })
    return answer.body
  }
  const usdc = sandbox.token(31337, 'USDC').address
  const deposit = await get(`/strategies/${slug}/bytecode`, { action: 'lend', amount: '100000000', wallet })
  await perform(
    sandbox,
    wallet,
    deposit.bytecode.map((one: { value: string }) => ({ ...one, value: BigInt(one.value) })),
  )
  const cross = await get('/strategies/aave-v3-usdc-sandbox-two/bytecode', {
    action: 'lend',
    amount: '9000000',
    wallet,
    from: 'sandbox-one',
  })
  const swap = {
    chainIdIn: '31337',
    chainIdOut: '31337',
    tokenIn: usdc,
    tokenOut: sandbox.token(31337, 'WETH').address,
    amountIn: '1000000',
  }
  const older = {
    originChainId: '31337',
    destinationChainId: '31337',
    tokenIn: swap.tokenIn,
    tokenOut: swap.tokenOut,
    amountIn: '1000000',
  }
  const quoted = await get('/v2/swap/quote', swap)
  const taken = (await ask('POST', '/v2/swap/bytecode', { quote: quoted.quote, walletAddress: wallet })).body
  const answers: [where: string, body: unknown, fields: string[]][] = [
    [
      'yield',
      await get('/yield/USDC'),
      [
        'recommendedStrategyId',
        'destinationChain',
        'bytecodeExecution',
        'spotPosition',
        ...under('strategy.', composite),
      ],
    ],
    [
      'yield with transactions',
      await get('/yield/usdc', { wallet, amount: '1000000' }),
      under('bytecodeExecution[].', item),
    ],
    [
      'strategies',
      await get('/strategies'),
      ['totalDocs', 'limit', 'page', 'totalPages', 'hasNextPage', 'hasPrevPage', ...under('docs[].', detail)],
    ],
    [
      'analytics',
      await get('/strategies/analytics'),
      ['totalTVL', 'averageAPY', 'strategyCount', ...under('topStrategies[].', detail)],
    ],
    ['strategy', await get(`/strategies/${slug}`), detail.split(' ')],
    [
      'bytecode',
      deposit,
      [
        'id',
        'feeCharged',
        'chainIdIn',
        'chainIdOut',
        'crossChain.isCrossChain',
        'crossChain.chainIdIn',
        'crossChain.chainIdOut',
        'quote',
        ...under('bytecode[].', item),
      ],
    ],
    ['bytecode across chains', cross, under('quote.', quote)],
    [
      'wallet',
      await get(`/wallets/${wallet}`),
      [
        'address',
        'totalValueUSD',
        ...under('positions[].', 'balance balanceUSD earned earnedUSD'),
        ...under('positions[].strategy.', detail),
      ],
    ],
    [
      'history',
      await get(`/wallets/${wallet}/history/${slug}`),
      ['page', 'totalPages', ...under('transactions[].', 'txHash timestamp type amount status')],
    ],
    ['action', await get(`/actions/${deposit.id}`), action.split(' ')],
    ['quotes', await get('/quotes'), ['totalDocs', 'page', 'limit', ...under('docs[].', quote)]],
    ['quote', quoted, ['quote.rawQuote', ...under('quote.', quote)]],
    [
      'swap bytecode',
      taken,
      [
        'type',
        'provider',
        'chainId',
        'swapDetails',
        'rawSwapData',
        'message',
        ...under('transactionData.', 'to data value gasLimit'),
        ...under('approveData.', 'to data value'),
      ],
    ],
    [
      'swap status',
      await get(`/v2/swap/status/${quoted.quote.id}`),
      'status originTxHash destinationTxHash provider'.split(' '),
    ],
    ['older quote', await get('/swap/quote', older), under('quote.', quote)],
    [
      'v1 quote',
      await get('/v1/swap/quote', older),
      under('quote.', 'fromChain toChain expectedAmountOut provider'),
    ],
    [
      'v1 strategies',
      await get('/v1/strategies'),
      [
        ...under('data[].', composite),
        ...under(
          'pagination.',
          'totalRecords offset limit totalPages page hasPrevPage hasNextPage prevPage nextPage',
        ),
      ],
    ],
    [
      'quickstart strategies',
      await get('/strategies', { shape: 'quickstart', limit: '2' }),
      [...under('data[].', composite), ...under('pagination.', 'page limit total totalPages hasMore')],
    ],
    [
      'quickstart wallet',
      await get(`/wallets/${wallet}`, { shape: 'quickstart' }),
      [
        'summary.totalUnderlyingBalanceUSD',
        ...under('positions[].strategy.', 'id assetName protocol network asset assetDecimals'),
        ...under('positions[].spotPosition.', 'underlyingBalanceUSD apy'),
        ...['currentPosition', 'profit', 'principal'].flatMap((one) =>
          under(`positions[].spotPosition.${one}.`, 'value decimals humanized symbol'),
        ),
      ],
    ],
    ['v1 strategy', await get(`/v1/strategies/${slug}`), composite.split(' ')],
    ['v1 wallet', await get(`/v1/wallets/${wallet}`), ['address', ...stats.split(' ')]],
  ]
  const missing = answers.flatMap(([where, body, fields]) =>
    fields.filter((field) => !has(body, field.split('.'))).map((field) => `${where}: ${field}`),
  )
  expect(missing).toEqual([])
  const by = Object.fromEntries(answers.map(([where, body]) => [where, body])) as Record<
    string,
    ReturnType<typeof JSON.parse>
  >
  expect(by.strategy.apy).toBeCloseTo(by['v1 strategy'].apy * 100, 6)
  expect(Number.isInteger(by.quote.quote.deadline)).toBe(true)
  expect(by.quotes.docs[0].deadline).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/)
  expect(Date.parse(by.quote.quote.deadlineDate)).toBe(by.quote.quote.deadline * 1000)
  for (const doc of by.quotes.docs) expect(doc).not.toHaveProperty('rawQuote')
  expect(typeof by.yield.bytecodeExecution).toBe('string')
  expect(deposit.quote).toBeNull()
})

test('shape chooses between the two shapes of the specification; the default stays, and another word is a 422', async () => {
  const ask = over(engineOn(sandbox).service)
  const of = async (path: string, shape?: string) => (await ask('GET', path, shape ? { shape } : {})).body
  const strategies = await of('/strategies')
  expect(await of('/strategies', 'reference')).toEqual(strategies)
  const quick = await of('/strategies', 'quickstart')
  expect(Object.keys(quick).toSorted()).toEqual(['data', 'pagination'])
  expect(quick.pagination).toEqual({
    page: 1,
    limit: 10,
    total: strategies.totalDocs,
    totalPages: Math.ceil(strategies.totalDocs / 10),
    hasMore: strategies.totalDocs > 10,
  })
  const of1 = ({ slug: one }: { slug: string }) => one === slug
  expect(quick.data.find(of1).apy * 100).toBeCloseTo(strategies.docs.find(of1).apy, 9)
  expect(await of(`/wallets/${wallet}`, 'reference')).toEqual(await of(`/wallets/${wallet}`))
  expect(await of(`/wallets/${wallet}`, 'quickstart')).toMatchObject({ summary: expect.any(Object) })
  for (const shape of ['quick', 'QUICKSTART', '']) {
    const { status, body } = await ask('GET', '/strategies', { shape })
    expect([status, body.error.details.errors]).toEqual([
      422,
      [{ path: 'shape', message: 'must be reference or quickstart' }],
    ])
  }
})
