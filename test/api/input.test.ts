import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { invalidInputError } from '../../src/api/error-envelope.ts'
import { olderRoutes } from '../../src/api/older-routes.ts'
import { routes } from '../../src/api/routes.ts'
import { maxUint256 } from '../../src/domain/amount.ts'

const token = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'
const wallet = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

/** The code of the error for a request and its messages by path; `undefined` if the request is valid. */
function refusal(schema: z.ZodType, sent: object): object | undefined {
  const read = z.safeDecode(schema, sent as never)
  if (read.success) return undefined
  const { code, details } = invalidInputError(read.error.issues, sent)
  const errors = details!.errors as { path: string; message: string }[]
  return { code, ...Object.fromEntries(errors.map(({ path, message }) => [path, message])) }
}

const paged = [...Object.values(routes), ...olderRoutes].filter(
  ({ input }) =>
    (input as { shape?: object }).shape && 'page' in (input as unknown as { shape: object }).shape,
)

describe('page and limit parameters', () => {
  test.each(paged.map(({ path, input }) => [path, input] as const))(
    'of %s are integers: page from 1, limit from 1 to 100',
    (_, input) => {
      const of = (sent: object) => refusal(input, { id: 'x', address: wallet, strategyId: 'x', ...sent })
      for (const good of [
        {},
        { page: '1' },
        { page: '999999999', limit: '100' },
        { limit: '1' },
        { limit: 7 },
      ])
        expect(of(good)).toBeUndefined()
      for (const bad of [
        '0',
        '-1',
        '1.5',
        '1e3',
        'x',
        '',
        ' 1',
        '0x1',
        0,
        -1,
        1.5,
        null,
        [],
        '9'.repeat(40),
      ]) {
        expect(of({ page: bad })).toEqual({ code: 'VALIDATION_ERROR', page: expect.any(String) })
        expect(of({ limit: bad })).toEqual({ code: 'VALIDATION_ERROR', limit: expect.any(String) })
      }
      expect(of({ limit: '101' })).toEqual({ code: 'VALIDATION_ERROR', limit: 'must be 100 or less' })
      expect(of({ page: '0' })).toEqual({ code: 'VALIDATION_ERROR', page: 'must be 1 or more' })
    },
  )

  test('exist on exactly six lists and two legacy lists', () => {
    expect(paged.map(({ path }) => path).toSorted()).toEqual([
      '/actions',
      '/quotes',
      '/strategies',
      '/v1/strategies',
      '/v1/wallets/{address}/history/{strategyId}',
      '/wallets/{address}/history/{strategyId}',
      '/webhooks',
      '/webhooks/{id}/deliveries',
    ])
  })
})

describe('a malformed address', () => {
  const of = (sent: object) => refusal(routes.strategyBytecode.input, { id: 'x', action: 'lend', ...sent })
  test('is INVALID_ADDRESS when every issue is a malformed address', () => {
    expect(refusal(routes.getWallet.input, { address: '0x1' })).toEqual({
      code: 'INVALID_ADDRESS',
      address: 'expected an EVM address',
    })
    expect(of({ amount: '1', wallet: `${wallet.slice(0, -1)}9` })).toMatchObject({ code: 'INVALID_ADDRESS' })
    expect(
      refusal(routes.quote.input, { tokenIn: 'a', tokenOut: 'b', amountIn: '1', destinationAddress: 'c' }),
    ).toMatchObject({
      code: 'INVALID_ADDRESS',
      tokenIn: expect.any(String),
      tokenOut: expect.any(String),
      destinationAddress: expect.any(String),
    })
  })

  test('is VALIDATION_ERROR beside another issue, and when the address is missing or not a string', () => {
    expect(of({ amount: 'much', wallet: '0x1' })).toMatchObject({ code: 'VALIDATION_ERROR' })
    expect(of({ amount: '1' })).toEqual({ code: 'VALIDATION_ERROR', wallet: 'is missing' })
    expect(of({ amount: '1', wallet: 5 })).toMatchObject({ code: 'VALIDATION_ERROR' })
  })
})

test('missing parameters are reported as missing, whatever their type', () => {
  expect(refusal(routes.strategyBytecode.input, { id: 'x' })).toEqual({
    code: 'VALIDATION_ERROR',
    amount: 'is missing',
    wallet: 'is missing',
  })
  expect(refusal(routes.swapBytecode.input, {})).toEqual({
    code: 'VALIDATION_ERROR',
    quote: 'is missing',
    walletAddress: 'is missing',
  })
  expect(refusal(routes.swapBytecode.input, { quote: {}, walletAddress: wallet })).toMatchObject({
    'quote.id': 'is missing',
    'quote.tokenIn': 'is missing',
  })
  const older = olderRoutes.find(({ path }) => path === '/swap/quote')!
  expect(refusal(older.input, { tokenIn: token })).toEqual({
    code: 'VALIDATION_ERROR',
    originChainId: 'is missing',
    destinationChainId: 'is missing',
    tokenOut: 'is missing',
    amountIn: 'is missing',
  })
})

test.each(['request-lend', 'LEND', '', 'borrow'])(
  '"%s" is refused as the action of strategy bytecode',
  (action) => {
    const sent = { id: 'x', action, amount: '1', wallet }
    expect(refusal(routes.strategyBytecode.input, sent)).toEqual({
      code: 'VALIDATION_ERROR',
      action: 'Invalid option: expected one of "lend"|"withdraw"|"claim"',
    })
  },
)

test('every amount parameter accepts decimal integers up to 2^256 - 1, without sign or leading zero', () => {
  const ends = { originAddress: wallet, destinationAddress: token, token, chainId: 1 }
  const asked: [z.ZodType, object, string][] = [
    [routes.strategyBytecode.input, { id: 'x', action: 'lend', wallet }, 'amount'],
    [routes.recommend.input, { identifier: 'usdc', wallet }, 'amount'],
    [routes.quote.input, { tokenIn: token, tokenOut: wallet }, 'amountIn'],
    [routes.quote.input, { tokenIn: token, tokenOut: wallet }, 'amountOut'],
    [routes.transferBytecode.input, ends, 'amount'],
  ]
  for (const [schema, rest, name] of asked) {
    expect(refusal(schema, { ...rest, [name]: String(maxUint256) })).toBeUndefined()
    for (const bad of [String(maxUint256 + 1n), '-1', '1.0', '1e9', '0x1', '01', '', ' 1', '9'.repeat(300)])
      expect(refusal(schema, { ...rest, [name]: bad })).toEqual({
        code: 'VALIDATION_ERROR',
        [name]: expect.any(String),
      })
  }
})

test('every id in a path accepts at most 200 characters', () => {
  const inPaths = [...Object.values(routes), ...olderRoutes].filter(({ path }) =>
    /\{(id|strategyId|identifier)\}/.test(path),
  )
  expect(inPaths.length).toBeGreaterThan(10)
  for (const { path, input } of inPaths) {
    const name = /\{(id|strategyId|identifier)\}/.exec(path)![1]!
    const hook = { deliveryId: 'x', since: '2026-01-01T00:00:00Z' }
    const rest = { address: wallet, action: 'lend', amount: '1', wallet, ...hook }
    expect(refusal(input, { ...rest, [name]: 'x'.repeat(200) })).toBeUndefined()
    expect(refusal(input, { ...rest, [name]: 'x'.repeat(201) })).toEqual({
      code: 'VALIDATION_ERROR',
      [name]: 'must not be longer than 200 characters',
    })
  }
})

describe('transfer parameters', () => {
  const rest = { token, chainId: 1, amount: '5' }
  const of = (sent: object) => refusal(routes.transferBytecode.input, { ...rest, ...sent })
  test('accept either spelling of the two addresses, and both if they are equal', () => {
    expect(of({ originAddress: wallet, destinationAddress: token })).toBeUndefined()
    expect(of({ walletOrigin: wallet, walletDestination: token })).toBeUndefined()
    expect(of({ originAddress: wallet, walletDestination: token })).toBeUndefined()
    const both = { originAddress: wallet, walletOrigin: wallet.toLowerCase() }
    expect(of({ ...both, destinationAddress: token, walletDestination: token })).toBeUndefined()
  })

  test('are refused when an address is missing or its two spellings differ', () => {
    expect(of({})).toEqual({
      code: 'VALIDATION_ERROR',
      originAddress: 'is missing',
      destinationAddress: 'is missing',
    })
    expect(of({ originAddress: wallet, walletOrigin: token, destinationAddress: token })).toEqual({
      code: 'VALIDATION_ERROR',
      originAddress: 'is given twice, with different values',
    })
    expect(of({ originAddress: wallet, destinationAddress: token, walletDestination: wallet })).toMatchObject(
      {
        destinationAddress: 'is given twice, with different values',
      },
    )
    expect(of({ originAddress: wallet, destinationAddress: '0x1' })).toMatchObject({
      code: 'INVALID_ADDRESS',
    })
  })
})

describe('a numeric parameter, as number or text', () => {
  const quote = { tokenIn: token, tokenOut: wallet, amountIn: '1' }
  const ends = { token, amount: '5', originAddress: wallet, destinationAddress: token }
  const event = { actionId: 'x', event: 'SIGNED' }
  const older = olderRoutes.find(({ path }) => path === '/swap/quote')!
  const chainIds = { originChainId: 1, destinationChainId: 1 }
  const asked: [name: string, schema: z.ZodType, rest: object, good: unknown[], bad: unknown[]][] = [
    [
      'markupBps',
      routes.setFees.input,
      {},
      [0, 10_000, '25', 1e3],
      [-1, '-1', 10_001, '10001', Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, 0.5],
    ],
    ['chainIdIn', routes.quote.input, quote, [1, '31337'], [0, -1, '0', '-1', '01']],
    ['chainId', routes.transferBytecode.input, ends, [1, '31337'], [0, -1, '0', '-1']],
    ['chainId', routes.ingest.input, event, [1, '31337'], [0, -1, '0', '-1', 2 ** 53]],
    ['decimalsIn', older.input, { ...quote, ...chainIds }, [0, 18, '255'], [-1, 256, '256', '1e2']],
  ]
  test.each(asked)('%s accepts integers within its bounds only', (name, schema, rest, good, bad) => {
    for (const value of good) expect(refusal(schema, { ...rest, [name]: value })).toBeUndefined()
    for (const value of [...bad, 1.5, '1.5', '1e1', '0x1', ' 1', '', null, [], Number.POSITIVE_INFINITY])
      expect([value, refusal(schema, { ...rest, [name]: value })]).toEqual([
        value,
        { code: 'VALIDATION_ERROR', [name]: expect.any(String) },
      ])
  })

  test('that is not a number is reported in words, not as a pattern', () => {
    const of = (schema: z.ZodType, name: string, rest: object = {}) =>
      (refusal(schema, { ...rest, [name]: 'abc' }) as Record<string, string>)[name]
    for (const { input } of paged)
      for (const name of ['page', 'limit'])
        expect(of(input, name, { address: wallet, strategyId: 'x' })).toBe('expected a whole number')
    expect(of(routes.setFees.input, 'markupBps')).toBe('expected a whole number')
    expect(of(routes.quote.input, 'chainIdIn', quote)).toBe('expected a chain id')
    expect(of(routes.quote.input, 'slippage', quote)).toBe('expected a number')
    expect(of(routes.quote.input, 'feeSponsorship', quote)).toBe('expected true or false')
  })

  test('below its minimum is reported with the minimum', () => {
    expect(refusal(routes.setFees.input, { markupBps: -1 })).toEqual({
      code: 'VALIDATION_ERROR',
      markupBps: 'must be 0 or more',
    })
  })
})
