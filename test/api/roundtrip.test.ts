import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { olderRoutes } from '../../src/api/older-routes.ts'
import { Quote } from '../../src/api/quote.ts'
import { routes } from '../../src/api/routes.ts'
import type { Service } from '../../src/api/service-type.ts'
import { cells, engineOn, perform } from '../support/engine.ts'
import { useSandbox } from '../support/use-sandbox.ts'
import { inputs, olderQuoteInput, olderWallet, outputs, wireQuote } from './values.ts'

const sandbox = useSandbox()
const names = Object.keys(routes) as (keyof typeof routes)[]

/** Encodes a value to JSON and decodes it again. */
const thereAndBack = (schema: z.ZodType, value: unknown): unknown =>
  z.decode(schema, JSON.parse(JSON.stringify(z.encode(schema, value))))
const holds = (schema: z.ZodType, value: unknown): void => {
  expect(thereAndBack(schema, value)).toEqual(value)
}

describe('the route table', () => {
  test('has the paths of the specification and of the extensions, and no others', () => {
    expect(
      Object.values(routes)
        .map(({ method, path }) => `${method} ${path}`)
        .toSorted(),
    ).toEqual(
      [
        'GET /yield/{identifier}',
        'GET /strategies',
        'GET /strategies/analytics',
        'GET /strategies/{id}',
        'GET /strategies/{id}/bytecode',
        'GET /wallets/{address}',
        'GET /wallets/{address}/history/{strategyId}',
        'GET /actions/{id}',
        'GET /quotes',
        'GET /v2/swap/quote',
        'POST /v2/swap/bytecode',
        'GET /v2/swap/status/{id}',
        'POST /transfer/bytecode',
        'GET /customers/by-api-key',
        // Extensions of the specification.
        'GET /actions',
        'POST /actions/ingest/wallet',
        'GET /fees',
        'PUT /fees',
        'GET /webhooks',
        'POST /webhooks',
        'DELETE /webhooks/{id}',
        'POST /webhooks/{id}/rotate',
        'POST /webhooks/{id}/enable',
        'GET /webhooks/{id}/deliveries',
        'POST /webhooks/{id}/deliveries/{deliveryId}/resend',
        'POST /webhooks/{id}/replay',
        'GET /events',
        'POST /events/commit',
        'POST /events/trigger',
      ].toSorted(),
    )
    expect(olderRoutes.map(({ method, path, as }) => `${method} ${path} ${as}`)).toEqual([
      'GET /swap/quote quote',
      'POST /swap/bytecode swapBytecode',
      'GET /swap/status/{id} swapStatus',
      'GET /v1/strategies listStrategies',
      'GET /v1/strategies/{id} getStrategy',
      'GET /v1/strategies/{id}/bytecode strategyBytecode',
      'GET /v1/yield/{identifier} recommend',
      'GET /v1/wallets/{address} getWallet',
      'GET /v1/wallets/{address}/history/{strategyId} walletHistory',
      'GET /v1/swap/quote quote',
      'POST /v1/swap/bytecode swapBytecode',
      'GET /v1/swap/status/{id} swapStatus',
    ])
  })

  test('declares every path parameter in its input', () => {
    for (const { path, input } of [...Object.values(routes), ...olderRoutes])
      for (const [, name] of path.matchAll(/\{(\w+)\}/g))
        expect(Object.keys((input as unknown as { shape: object }).shape)).toContain(name)
  })
})

const runs = { numRuns: cells(35, 100) }

describe('encoding to JSON and decoding', () => {
  test.each(names)('%s preserves any valid input', (name) => {
    fc.assert(
      fc.property(inputs[name] as fc.Arbitrary<unknown>, (value) => holds(routes[name].input, value)),
      runs,
    )
  })

  test.each(names)('%s preserves any valid output', (name) => {
    fc.assert(
      fc.property(outputs[name] as fc.Arbitrary<unknown>, (value) => holds(routes[name].output, value)),
      runs,
    )
  })

  test.each(olderRoutes.map((route) => [route.path, route] as const))(
    '%s (legacy) preserves any valid input and output',
    (_, route) => {
      const asked = route.as === 'quote' ? olderQuoteInput : (inputs[route.as] as fc.Arbitrary<unknown>)
      const said = route.as === 'getWallet' ? olderWallet : (outputs[route.as] as fc.Arbitrary<unknown>)
      fc.assert(
        fc.property(asked, (value) => holds(route.input, value)),
        runs,
      )
      fc.assert(
        fc.property(said, (value) => holds(route.output, value)),
        runs,
      )
    },
  )

  test('a quote keeps every leaf, alone and inside a swap request', () => {
    fc.assert(
      fc.property(wireQuote, (wire) => {
        const again = JSON.parse(JSON.stringify(z.encode(Quote, z.decode(Quote, wire))))
        expect(again).toEqual(wire)
        const body = routes.swapBytecode.input
        const sent = { quote: wire, walletAddress: '0x2222222222222222222222222222222222222222' }
        expect(JSON.parse(JSON.stringify(z.encode(body, z.decode(body, sent as never))))).toEqual(sent)
      }),
    )
  })

  test('every answer of the engine on the sandbox chains is preserved', async () => {
    const said = new Set<keyof Service>()
    const {
      service: engine,
      context: { store, customer },
    } = engineOn(sandbox)
    const wallet = sandbox.user.address
    const ask = async <name extends keyof Service>(
      name: name,
      input: Parameters<Service[name]>[0],
    ): Promise<Awaited<ReturnType<Service[name]>>> => {
      const value = (await engine[name](input as never)) as Awaited<ReturnType<Service[name]>>
      holds(routes[name].input, input)
      holds(routes[name].output, value)
      // The legacy wallet page has no positions, so it does not preserve the whole answer.
      for (const route of olderRoutes.filter(({ as }) => as === name && name !== 'getWallet'))
        holds(route.output, value)
      said.add(name)
      return value
    }
    const slug = 'aave-v3-usdc-sandbox-one'
    const usdc = (chainId: number) => sandbox.token(chainId, 'USDC').address
    const amount = 1_000_000000n
    const made = await ask('strategyBytecode', { id: slug, action: 'lend', amount, wallet })
    await ask('getAction', { id: made.id })
    const [approval] = await perform(sandbox, wallet, made.bytecode)
    await ask('ingest', {
      actionId: made.id,
      event: 'SIGNED',
      txHash: approval!.transactionHash,
      chainId: 31337,
    })
    await ask('getAction', { id: made.id })
    await ask('strategyBytecode', {
      id: 'aave-v3-usdc-sandbox-two',
      action: 'lend',
      amount,
      wallet,
      from: 'sandbox-one',
    })
    await sandbox.world.warp(100 * 86_400)
    const { items } = await ask('listStrategies', { page: 1, limit: 100 })
    for (const { id } of items) await ask('getStrategy', { id })
    await ask('listStrategies', { page: 2, limit: 3 })
    await ask('analytics', {})
    await ask('recommend', { identifier: 'lending' })
    await ask('recommend', { identifier: 'usdc', wallet, amount })
    const { positions } = await ask('getWallet', { address: wallet })
    expect(positions).toHaveLength(1)
    await ask('getWallet', { address: '0x2222222222222222222222222222222222222222' })
    await ask('walletHistory', { address: wallet, strategyId: slug })
    const route = { chainIdIn: 31337, tokenIn: usdc(31337), amountIn: amount }
    const near = await ask('quote', {
      ...route,
      chainIdOut: 31337,
      tokenOut: sandbox.token(31337, 'WETH').address,
      slippage: 0.01,
    })
    const far = await ask('quote', {
      ...route,
      chainIdOut: 31338,
      tokenOut: usdc(31338),
      transferSpeed: 'standard',
    })
    for (const { quote } of [near, far]) {
      await ask('swapStatus', { id: quote.id })
      const { approvals, transactions } = await ask('swapBytecode', {
        quote: quote.raw as never,
        walletAddress: wallet,
      })
      await perform(sandbox, wallet, [...approvals, ...transactions])
      await ask('swapStatus', { id: quote.id })
      await ask('getAction', { id: quote.id })
    }
    await ask('listActions', {})
    await ask('listQuotes', {})
    await ask('transferBytecode', {
      originAddress: wallet,
      destinationAddress: '0x2222222222222222222222222222222222222222',
      token: usdc(31337),
      chainId: 31337,
      amount,
    })
    await ask('customer', {})
    await ask('getFees', {})
    await ask('setFees', { markupBps: 7, collector: wallet })
    const { id } = await ask('addWebhook', { url: 'https://example.com/hook', apyLine: 0.03 })
    await ask('rotateWebhook', { id })
    await ask('enableWebhook', { id })
    await ask('triggerEvent', { type: 'action.succeeded' })
    await store.numberEvents(customer)
    const [delivery] = (await ask('webhookDeliveries', { id })).items
    await ask('resendDelivery', { id, deliveryId: delivery!.id })
    await ask('replayWebhook', { id, since: '2020-01-01T00:00:00Z' })
    const { cursor } = await ask('listEvents', { consumer: 'one' })
    await ask('commitEvents', { consumer: 'one', cursor })
    await ask('listWebhooks', {})
    await ask('removeWebhook', { id })
    expect([...said].toSorted()).toEqual(names.toSorted())
  })
})
