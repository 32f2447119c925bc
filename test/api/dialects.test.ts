import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Action } from '../../src/api/action.ts'
import { PageOf } from '../../src/api/page.ts'
import { History } from '../../src/api/position-history.ts'
import { Quote, QuoteInput } from '../../src/api/quote.ts'
import { Recommendation } from '../../src/api/recommendation.ts'
import { routes } from '../../src/api/routes.ts'
import { StrategyComposite, StrategyDetail } from '../../src/api/strategy.ts'
import { SwapStatus } from '../../src/api/swap-status.ts'
import { TransferInput } from '../../src/api/transfer.ts'
import { StrategyBytecode, SwapBytecode } from '../../src/api/unsigned-transactions.ts'
import { Wallet } from '../../src/api/wallet-positions.ts'

const token = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'
const wallet = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

const composite = {
  id: 'aave-v3-USDC-base',
  protocol: 'aave-v3',
  network: 'base',
  networkId: '8453',
  asset: token,
  assetName: 'USDC',
  assetDecimals: 6,
  underlyingAsset: token,
  underlyingDecimals: 6,
  availableActions: ['lend', 'withdraw'],
  paused: false,
  apy: 0.0525,
  inceptionApy: 0.05,
  avgApy: 0.051,
  fee: '0',
  performanceFeeBps: '500',
  isDefault: true,
  metadata: { en: { risk: 'low' } },
  logourl: 'https://example.org/logo.png',
  implementationSelector: 'aave-v3@1',
  startDate: '2025-01-01T00:00:00.000Z',
}
const detail = {
  _id: '65f0c0ffee',
  name: 'Aave v3 USDC',
  slug: 'aave-v3-usdc-base',
  protocol: 'aave-v3',
  network: 'base',
  asset: { symbol: 'USDC', contract: token, decimals: 6 },
  paused: true,
  protocolInfo: { anything: 1 },
  chain: 'base',
  apy: 5.25,
  tvl: '1234.56',
}
const { asset, assetName, assetDecimals, apy, paused, fee, availableActions } = composite
const { id, protocol, network } = composite
const quickstart = {
  id,
  protocol,
  assetName,
  network,
  asset,
  assetDecimals,
  apy,
  paused,
  fee,
  availableActions,
}

const read = <schema extends z.ZodType>(schema: schema, wire: unknown): z.output<schema> =>
  z.decode(schema, JSON.parse(JSON.stringify(wire)))

describe('a strategy', () => {
  test('in the id-composite shape has its rate as a fraction', () => {
    expect(read(StrategyComposite, composite)).toMatchObject({
      id,
      // The id as given, in its case.
      slug: id,
      chainId: 8453,
      asset: { symbol: 'USDC', address: token, decimals: 6 },
      apy: 0.0525,
      paused: false,
      performanceFeeBps: '500',
    })
  })

  test('in the detail shape has its rate as a percentage', () => {
    expect(read(StrategyDetail, detail)).toMatchObject({
      id: '65f0c0ffee',
      slug: 'aave-v3-usdc-base',
      apy: 0.0525,
      tvlUsd: '1234.56',
      paused: true,
      chainId: null,
      category: null,
      fee: null,
    })
    const { apy: _, tvl: __, ...least } = detail
    expect(read(StrategyDetail, least)).toMatchObject({ apy: null, tvlUsd: null })
  })

  test('is decoded in each of three shapes by both schemas', () => {
    for (const schema of [StrategyComposite, StrategyDetail]) {
      expect(read(schema, composite).apy).toBe(0.0525)
      expect(read(schema, detail).apy).toBe(0.0525)
      expect(read(schema, quickstart)).toMatchObject({ id, chainId: null, underlying: null, apy: 0.0525 })
    }
  })
})

describe('a list of strategies', () => {
  const envelopes: [string, object, object][] = [
    [
      'the reference envelope',
      {
        docs: [detail, detail],
        totalDocs: 42,
        limit: 2,
        page: 3,
        totalPages: 21,
        hasNextPage: true,
        hasPrevPage: true,
      },
      { page: 3, limit: 2, total: 42, hasMore: true },
    ],
    [
      'the quickstart envelope',
      {
        data: [quickstart, quickstart],
        pagination: { page: 1, limit: 100, total: 2, totalPages: 1, hasMore: false },
      },
      { page: 1, limit: 100, total: 2, hasMore: false },
    ],
    [
      'the legacy envelope',
      {
        data: [composite, composite],
        pagination: {
          totalRecords: 7,
          offset: 2,
          limit: 2,
          totalPages: 4,
          page: 2,
          hasPrevPage: true,
          hasNextPage: true,
          prevPage: 1,
          nextPage: 3,
        },
      },
      { page: 2, limit: 2, total: 7, hasMore: true },
    ],
    [
      'the flat envelope of the changelog',
      { data: [composite, composite], total: 9, totalPages: 5, hasMore: true, page: 1, limit: 2 },
      { page: 1, limit: 2, total: 9, hasMore: true },
    ],
    [
      'the reference envelope with numbers as text',
      { docs: [detail, detail], totalDocs: '2', limit: '10', page: '1', totalPages: '1', hasNextPage: false },
      { page: 1, limit: 10, total: 2, hasMore: false },
    ],
    [
      'the legacy envelope of the last page',
      { data: [detail, composite], pagination: { totalRecords: 2, limit: 10, page: 1, nextPage: null } },
      { page: 1, limit: 10, total: 2, hasMore: false },
    ],
  ]
  test.each(envelopes)('in %s is decoded', (_, wire, about) => {
    const { items, ...rest } = read(routes.listStrategies.output, wire)
    expect(rest).toEqual(about)
    expect(items.map((item) => item.apy)).toEqual([0.0525, 0.0525])
  })

  test('in an unknown envelope, or with an incomplete strategy, is refused', () => {
    expect(z.safeDecode(PageOf(StrategyDetail), { rows: [] } as never).success).toBe(false)
    expect(
      z.safeDecode(PageOf(StrategyDetail), { docs: [{ _id: 'x' }], totalDocs: 1, limit: 1, page: 1 } as never)
        .success,
    ).toBe(false)
  })
})

describe('a wallet', () => {
  test('in shape A is decoded', () => {
    const wire = {
      address: wallet,
      positions: [{ strategy: detail, balance: '101', balanceUSD: '1.01', earned: '-3', earnedUSD: '-0.03' }],
      totalValueUSD: '1.01',
    }
    expect(read(Wallet, wire)).toMatchObject({
      address: wallet,
      totalValueUsd: '1.01',
      stats: null,
      positions: [
        { balance: 101n, profit: -3n, principal: null, balanceUsd: '1.01', profitUsd: '-0.03', apy: null },
      ],
    })
  })

  test('in shape B is decoded', () => {
    const amount = (value: string) => ({ value, decimals: 6, humanized: Number(value) / 1e6, symbol: 'USDC' })
    const { id, assetName, protocol, network, asset, assetDecimals } = composite
    const wire = {
      positions: [
        {
          strategy: { id, assetName, protocol, network, asset, assetDecimals },
          spotPosition: {
            currentPosition: amount('1050000'),
            profit: amount('50000'),
            principal: amount('1000000'),
            underlyingBalanceUSD: 1.05,
            apy: 0.04,
          },
        },
      ],
      summary: { totalUnderlyingBalanceUSD: 1.05 },
    }
    expect(read(Wallet, wire)).toMatchObject({
      address: null,
      totalValueUsd: '1.05',
      positions: [
        {
          balance: 1050000n,
          profit: 50000n,
          principal: 1000000n,
          balanceUsd: '1.05',
          profitUsd: null,
          apy: 0.04,
        },
      ],
    })
  })

  test('in shape B keeps a negative profit', () => {
    const wire = {
      positions: [
        {
          strategy: quickstart,
          spotPosition: {
            currentPosition: { value: '9', decimals: 6 },
            profit: { value: '-1', decimals: 6 },
            principal: { value: '10', decimals: 6 },
          },
        },
      ],
      summary: {},
    }
    expect(read(Wallet, wire).positions[0]).toMatchObject({ balance: 9n, profit: -1n, principal: 10n })
  })

  test('with an invalid amount or strategy is refused without an exception', () => {
    const position = { strategy: detail, balance: '1' }
    const of = (change: object) =>
      z.safeDecode(Wallet, { address: wallet, positions: [{ ...position, ...change }] } as never)
    expect(of({}).success).toBe(true)
    for (const bad of [{ balance: '1.5' }, { balance: '-1' }, { earned: 'much' }, { strategy: {} }])
      expect(of(bad).success).toBe(false)
  })

  test('in shape C is decoded to its stats', () => {
    const item = {
      asset: { address: token, decimals: 6, symbol: 'USDC', name: 'USD Coin' },
      balance: { raw: '5', humanized: '0.000005', decimals: 6 },
      balanceUSD: 5,
    }
    const wire = {
      address: wallet,
      stats: {
        underlying: [{ ...item, price: 1, liquidationThreshold: '0.8' }],
        debt: [{ ...item, borrowRate: 0.03 }],
        healthFactor: 0.99,
        ltv: 0.5,
        liquidationPrice: null,
        maxBorrowValue: -2,
      },
    }
    expect(read(Wallet, wire)).toEqual({
      address: wallet,
      positions: [],
      totalValueUsd: null,
      queuedUsd: null,
      collateralUsd: null,
      debtUsd: null,
      realised: null,
      totalProfitUsd: null,
      stats: wire.stats,
      unread: null,
      unsearched: null,
    })
  })

  test('has a history whose missing extension fields are null', () => {
    const item = {
      txHash: '0x01',
      timestamp: '2026-01-01T00:00:00Z',
      type: 'lend',
      amount: '7',
      status: 'done',
    }
    expect(read(History, { transactions: [item], page: 1, totalPages: 3 })).toMatchObject({
      items: [{ amount: 7n, type: 'lend', status: 'done' }],
      page: 1,
      limit: null,
      total: null,
      hasMore: true,
      isWhole: null,
    })
    expect(read(History, { transactions: [], page: '1', totalPages: '0' })).toMatchObject({
      total: null,
      hasMore: false,
    })
  })
})

describe('a quote', () => {
  const side = { contract: token, symbol: 'USDC', decimals: 6, amount: '5', chainId: '8453', priceUSD: '1.0' }
  const wire = {
    id: 'a',
    originChain: 'base',
    destinationChain: 'base',
    tokenIn: side,
    tokenOut: { ...side, chainId: 8453 },
    provider: 'somebody new',
    deadline: 1767225600,
    chainIdIn: '8453',
    chainIdOut: 8453,
    rawQuote: { whatever: ['they', 1] },
    status: 'a new word',
  }
  test('is decoded with a deadline in seconds, as text or as a date, and chain ids as number or text', () => {
    const at = '2026-01-01T00:00:00.000Z'
    const without: Partial<typeof wire> = { ...wire }
    delete without.deadline
    for (const form of [
      { deadline: 1767225600 },
      { deadline: '1767225600' },
      { deadline: at },
      { deadlineDate: at },
    ])
      expect(read(Quote, { ...without, ...form })).toMatchObject({
        deadline: at,
        from: { network: 'base', chainId: 8453 },
        to: { chainId: 8453 },
        tokenIn: { amount: 5n, chainId: 8453, priceUsd: '1.0' },
        id: 'a',
        quoteId: null,
        status: 'a new word',
        minAmountOut: null,
        slippage: null,
        fees: null,
      })
    expect(read(Quote, without).deadline).toBeNull()
  })

  test('is requested with the text values of a query string; invalid amounts and addresses are refused', () => {
    const query = {
      chainIdIn: '1',
      chainIdOut: '2',
      tokenIn: token,
      tokenOut: token,
      amountIn: '5',
      slippage: '0.005',
      feeSponsorship: 'true',
    }
    expect(read(QuoteInput, query)).toMatchObject({
      chainIdIn: 1,
      chainIdOut: 2,
      amountIn: 5n,
      slippage: 0.005,
      feeSponsorship: true,
    })
    for (const bad of [
      { amountIn: '-5' },
      { amountIn: '1e3' },
      { amountIn: '0x5' },
      { amountIn: '5.0' },
      { tokenIn: '0x1' },
    ])
      expect(z.safeDecode(QuoteInput, { ...query, ...bad } as never).success).toBe(false)
  })
})

describe('unsigned transactions', () => {
  const call = { to: token, data: '0x095ea7b3', value: '0' }
  const swap = { type: 'same-chain EVM swap', provider: 'x', chainId: 8453 }
  const item = { ...call, value: 0n, chainId: 8453 }

  test('of a swap are decoded from one object or a list, with or without a chain id', () => {
    expect(read(SwapBytecode, { ...swap, transactionData: { ...call, gasLimit: '21000' } })).toMatchObject({
      approvals: [],
      transactions: [item],
    })
    expect(
      read(SwapBytecode, {
        ...swap,
        chainId: '8453',
        transactionData: [call, { ...call, chainId: 10 }],
        approveData: call,
      }),
    ).toMatchObject({ approvals: [item], transactions: [item, { ...item, chainId: 10 }] })
    expect(
      read(SwapBytecode, { ...swap, transactionData: [call], approveData: [call, call] }).approvals,
    ).toHaveLength(2)
    expect(read(SwapBytecode, { ...swap, transactionData: call, approveData: null }).approvals).toEqual([])
  })

  test('of a strategy are decoded from the minimal response', () => {
    const wire = { id: 'x', chainIdIn: '8453', chainIdOut: 8453, bytecode: [{ ...call, chainId: '8453' }] }
    expect(read(StrategyBytecode, wire)).toEqual({
      id: 'x',
      feeCharged: '0',
      fees: null,
      chainIdIn: 8453,
      chainIdOut: 8453,
      crossChain: { isCrossChain: false, chainIdIn: 8453, chainIdOut: 8453 },
      quote: null,
      queued: null,
      bytecode: [item],
    })
  })

  test('of a recommendation are null when the service sends a message instead', () => {
    const wire = { recommendedStrategyId: id, destinationChain: 'base', strategy: composite }
    const of = (bytecodeExecution: unknown) =>
      read(Recommendation, { ...wire, bytecodeExecution }).transactions
    expect(of('send wallet and amount')).toBeNull()
    expect(of({ message: 'send wallet and amount' })).toBeNull()
    expect(of([{ ...call, chainId: 8453 }])).toEqual([item])
  })

  test('of a transfer require both addresses, in either spelling', () => {
    const rest = { token, chainId: 1, amount: '5' }
    const value = { originAddress: wallet, destinationAddress: token, token, chainId: 1, amount: 5n }
    expect(read(TransferInput, { ...rest, originAddress: wallet, destinationAddress: token })).toEqual(value)
    expect(read(TransferInput, { ...rest, walletOrigin: wallet, walletDestination: token })).toEqual(value)
    expect(z.safeDecode(TransferInput, { ...rest, walletOrigin: wallet } as never).success).toBe(false)
  })
})

describe('a status', () => {
  test.each(['pending', 'confirmed', 'fulfilled', 'expired', 'failed', 'refunded', 'processing'])(
    '%s of a swap is decoded in any letter case',
    (word) => {
      for (const status of [word, word.toUpperCase(), word[0]!.toUpperCase() + word.slice(1)])
        expect(read(SwapStatus, { status })).toEqual({
          status: word,
          originTxHash: null,
          destinationTxHash: null,
          provider: null,
        })
    },
  )

  test.each(['INITIAL', 'PENDING', 'SUCCESS', 'FAILED', 'REFUNDED'])(
    '%s of an action is decoded in upper and lower case',
    (word) => {
      for (const status of [word, word.toLowerCase()])
        expect(read(Action, { id: 'x', type: 'CROSSCHAIN_INVESTMENT_DEPOSIT', status }).status).toBe(word)
    },
  )

  test('with an unknown value passes unchanged; a known one of a history becomes lower case', () => {
    expect(read(SwapStatus, { status: 'Teleported' }).status).toBe('Teleported')
    expect(read(Action, { id: 'x', type: 'new type', status: 'New' })).toMatchObject({
      status: 'New',
      type: 'new type',
    })
    const item = { txHash: '0x01', timestamp: 'x', amount: '7' }
    const history = (type: string, status: string) =>
      read(History, { transactions: [{ ...item, type, status }], page: 1, totalPages: 1 }).items[0]
    expect(history('Harvest', 'Odd')).toMatchObject({ type: 'Harvest', status: 'Odd' })
    expect(history('DEPOSIT', 'Confirmed')).toMatchObject({ type: 'deposit', status: 'confirmed' })
  })

  test('of an action accepts either name of a transaction hash, and converts its times to UTC', () => {
    const transactions = [{ txHash: '0x01', chainId: '10', blockNumber: '5', gasUsed: 21000, colour: 'blue' }]
    const wire = {
      id: 'x',
      type: 't',
      status: 'pending',
      transactions,
      createdAt: '2026-01-01T01:00:00+01:00',
      finishedAt: null,
    }
    expect(read(Action, wire)).toMatchObject({
      createdAt: '2026-01-01T00:00:00.000Z',
      finishedAt: null,
      transactions: [{ index: 0, hash: '0x01', chainId: 10, blockNumber: 5, gasUsed: '21000', kind: null }],
    })
    const odd = { ...wire, transactions: ['0x02', { hash: '0x03', nonce: 'many', error: { why: 1 } }, null] }
    expect(read(Action, odd).transactions).toMatchObject([
      { index: 0, hash: '0x02' },
      { index: 1, hash: '0x03', nonce: null, error: null },
      { index: 2, hash: null },
    ])
  })
})

describe('extension fields', () => {
  const nonsense = [{}, [], 'A', 7, true, '0x', [{}], { a: null }]
  const blank = (schema: z.ZodType, wire: object, names: readonly string[]) => {
    const without = read(schema, { ...wire, ...Object.fromEntries(names.map((name) => [name, null])) })
    for (const name of names) {
      const ways = nonsense.map((one) => read(schema, { ...wire, [name]: one }))
      // Some of these values are valid for some fields. None is refused, and at least one is decoded as missing.
      expect({
        name,
        some: ways.some((one) => JSON.stringify(one, text) === JSON.stringify(without, text)),
      }).toEqual({ name, some: true })
    }
  }
  const text = (_: string, one: unknown) => (typeof one === 'bigint' ? one.toString() : one)

  test('of a strategy are null when they are malformed', () => {
    const names = [
      'pausedUnknown',
      'id',
      'chainId',
      'category',
      'underlying',
      'availableActions',
      'apyFraction',
    ]
    const more = ['inceptionApy', 'avgApy', 'fee', 'performanceFeeBps', 'isDefault', 'startDate', 'metadata']
    const last = ['logourl', 'implementationSelector', 'grade', 'rates']
    blank(StrategyDetail, detail, [...names, ...more, ...last])
    blank(StrategyComposite, composite, [
      'underlyingName',
      'slug',
      'name',
      'category',
      'tvl',
      'grade',
      'rates',
    ])
  })

  test('of a wallet, a history and unsigned transactions are null when they are malformed', () => {
    const position = { strategy: detail, balance: '1' }
    for (const name of ['principal', 'apyFraction', 'staked', 'pending', 'claimable'])
      expect(read(Wallet, { address: wallet, positions: [{ ...position, [name]: { strange: 1 } }] })).toEqual(
        read(Wallet, { address: wallet, positions: [position] }),
      )
    blank(Wallet, { address: wallet, positions: [] }, ['stats'])
    blank(History, { transactions: [], page: 1, totalPages: 1 }, ['limit', 'total', 'whole'])
    const call = { to: token, data: '0x', value: '0', chainId: 1 }
    blank(StrategyBytecode, { id: 'a', chainIdIn: 1, chainIdOut: 1, bytecode: [call] }, ['fees', 'queued'])
    blank(
      Recommendation,
      {
        recommendedStrategyId: 'a',
        destinationChain: 'base',
        strategy: composite,
        bytecodeExecution: [call],
      },
      ['actionId'],
    )
  })

  test('are not encoded when they are malformed', () => {
    const strategy = read(StrategyDetail, detail)
    expect(z.safeEncode(StrategyDetail, { ...strategy, grade: 'A' } as never).success).toBe(false)
    expect(z.encode(StrategyDetail, { ...strategy, grade: { grade: 'A', by: 'b' } })).toMatchObject({
      grade: { grade: 'A', by: 'b' },
    })
  })

  test('are the only lenient fields: malformed fields of the specification are refused', () => {
    for (const bad of [{ apy: 'much' }, { tvl: {} }, { paused: 'no' }, { asset: {} }])
      expect(z.safeDecode(StrategyDetail, { ...detail, ...bad } as never).success).toBe(false)
    for (const bad of [{ apy: 'much' }, { fee: {} }, { availableActions: 1 }, { assetDecimals: -1 }])
      expect(z.safeDecode(StrategyComposite, { ...composite, ...bad } as never).success).toBe(false)
  })
})

test.each([
  [1.5e-7, '0.00000015'],
  [-2e-7, '-0.0000002'],
  [1e21, '1000000000000000000000'],
  [-1.25e22, '-12500000000000000000000'],
  [101.5, '101.5'],
  ['0.1', '0.1'],
])('a USD amount of %s is decoded as the decimal string %s', (sent, said) => {
  const spotPosition = { currentPosition: { value: '9', decimals: 6 }, underlyingBalanceUSD: sent }
  const wire = {
    positions: [{ strategy: quickstart, spotPosition }],
    summary: { totalUnderlyingBalanceUSD: sent },
  }
  expect(read(Wallet, wire)).toMatchObject({ totalValueUsd: said, positions: [{ balanceUsd: said }] })
  expect(read(StrategyDetail, { ...detail, tvl: sent }).tvlUsd).toBe(said)
})

test('extension fields of a quote are null when malformed, and are encoded back unchanged', () => {
  const side = { contract: token, symbol: 'USDC', decimals: 6, amount: '5', chainId: 1 }
  const chains = { originChain: 'a', destinationChain: 'a', chainIdIn: 1, chainIdOut: 1 }
  const plainly = { id: 'q', ...chains, tokenIn: side, tokenOut: side, provider: 'p' }
  for (const strange of [{ a: 1 }, '0x1', true, [7], -1.5]) {
    const sent = {
      ...plainly,
      minAmountOut: strange,
      maxAmountIn: strange,
      slippage: [strange],
      fees: 'none',
    }
    const quote = read(Quote, sent)
    expect(quote).toMatchObject({ minAmountOut: null, maxAmountIn: null, slippage: null, fees: null })
    expect(z.encode(Quote, quote)).toEqual(sent)
  }
  const good = { minAmountOut: '4', maxAmountIn: null, slippage: '0.01', fees: [{}] }
  expect(read(Quote, { ...plainly, ...good })).toMatchObject({
    minAmountOut: 4n,
    maxAmountIn: null,
    slippage: 0.01,
    fees: [{}],
  })
  expect(z.safeDecode(Quote, { ...plainly, provider: 1 } as never).success).toBe(false)
})
