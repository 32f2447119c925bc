import { describe, expect, test } from 'vitest'

import { maxUint256 } from '../../src/domain/amount.ts'
import { quoteFor } from '../../src/engine/quotes.ts'
import type { Offer } from '../../src/engine/swaps/provider.ts'
import { useSandbox } from '../support/sandbox.ts'
import { codeOf, engineOn } from './support.ts'

const sandbox = useSandbox()
const someone = '0x2222222222222222222222222222222222222222'
const usdc = (chainId: number) => sandbox.token(chainId, 'USDC').address
const far = () => ({ chainIdIn: 31337, chainIdOut: 31338, tokenIn: usdc(31337), tokenOut: usdc(31338) })

describe('a quote for more than any token can hold', () => {
  test('is none, and nothing is stored of it', async () => {
    const { service } = engineOn(sandbox)
    for (const transferSpeed of ['fast', undefined] as const)
      expect(await codeOf(service.quote({ ...far(), amountOut: maxUint256, transferSpeed }))).toBe(
        'NO_ROUTE_FOUND',
      )
    expect(await service.listQuotes({})).toMatchObject({ items: [], total: 0 })
  })

  test.each(['amountIn', 'maxAmountIn', 'amountOut', 'minAmountOut'] as const)(
    'is not taken from a provider whose %s is one',
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
      expect(await codeOf(quoteFor({ ...context, providers }, ask, null))).toBe('NO_ROUTE_FOUND')
      expect((await service.listQuotes({})).total).toBe(0)
    },
  )

  test('is not made of one that fits by the fee of the service', async () => {
    const { service } = engineOn(sandbox)
    await service.setFees({ collector: someone, swapFeeBps: 5_000 })
    const ask = { ...far(), amountOut: maxUint256 - maxUint256 / 4n, transferSpeed: 'standard' as const }
    expect(await codeOf(service.quote(ask))).toBe('QUOTE_GENERATION_FAILED')
    expect((await service.listQuotes({})).total).toBe(0)
  })
})

test('a quote that cannot be read costs its own row in the list, and is told of', async () => {
  const told: string[] = []
  const { service, context } = engineOn(sandbox, { unread: (id, fault) => told.push(`${id} ${!!fault}`) })
  const { quote } = await service.quote({ ...far(), amountIn: 1_000_000n })
  const row = (await context.store.quote('tests', quote.id))!
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

test('the list of quotes takes networks and providers as a quote does, and refuses what is none', async () => {
  const { service } = engineOn(sandbox)
  await service.quote({ ...far(), amountIn: 1_000_000n })
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
