import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { routes } from '../../src/api/routes.ts'
import type { Service } from '../../src/api/service-type.ts'
import { httpRpc } from '../../src/chain/rpc/failover.ts'
import { maxUint256 } from '../../src/domain/amount.ts'
import { errorTable } from '../../src/domain/error-table.ts'
import { AppError, type ErrorCode, errorRow } from '../../src/domain/errors.ts'
import { remoteService } from '../../src/remote/client.ts'
import { engineOn } from '../support/engine.ts'
import { alwaysSays, serveTo, type TestServer } from '../support/services/serve-in-process.ts'
import { useSandbox } from '../support/use-sandbox.ts'

type Name = keyof Service
type Call = { name: Name; input: unknown; output: unknown }

const sandbox = useSandbox()
const key = 'k-1234567890'
let near: Service
let far: Service
let seen: Call[]
let server: TestServer
/** Gives the new events their places, as the jobs of a server do. */
let number: () => Promise<void>
/** The last response body. */
let sent: string

const overheard: Parameters<typeof serveTo>[2] = (app) =>
  app.addHook('onSend', async (_request, _reply, payload) => {
    sent = String(payload)
  })

/** A service that records its calls. */
const recorded = (service: Service): Service =>
  Object.fromEntries(
    Object.entries(service).map(([name, method]) => [
      name,
      async (input: unknown) => {
        const output = await (method as (input: unknown) => Promise<unknown>)(input)
        seen.push({ name: name as Name, input, output })
        return output
      },
    ]),
  ) as Service

beforeEach(async () => {
  seen = []
  const engine = engineOn(sandbox)
  number = () => engine.context.store.numberEvents(engine.context.customer)
  near = recorded(engine.service)
  server = await serveTo(near, key, overheard)
  far = remoteService({ baseUrl: server.url, apiKey: key })
})
afterEach(() => server.close())

/** Calls over HTTP, and compares input, output and the body sent (with its nulls) to the embedded service. */
async function same<name extends Name>(
  name: name,
  input: Parameters<Service[name]>[0],
): Promise<Awaited<ReturnType<Service[name]>>> {
  const output = await (far[name] as (input: unknown) => Promise<unknown>)(input)
  const call = seen.findLast((one) => one.name === name)!
  expect(call.input).toEqual(input)
  expect(output).toEqual(call.output)
  const written = z.encode(routes[name].output as z.ZodType, call.output)
  expect(JSON.parse(sent)).toStrictEqual(JSON.parse(JSON.stringify(written)))
  return output as Awaited<ReturnType<Service[name]>>
}

test('the remote service equals the embedded service on every route', async () => {
  const { address } = sandbox.user
  const usdc = sandbox.token(31337, 'USDC')
  const weth = sandbox.token(31337, 'WETH')
  const strategyId = 'aave-v3-usdc-sandbox-one'
  await same('listStrategies', { page: 2, limit: 5 })
  await same('analytics', {})
  await same('getStrategy', { id: strategyId })
  await same('recommend', { identifier: 'usdc' })
  await same('recommend', {
    identifier: 'USDC',
    wallet: address,
    amount: 10n ** 7n,
    from: 'sandbox-one',
    to: 'sandbox-two',
  })
  const made = await same('strategyBytecode', {
    id: strategyId,
    action: 'lend',
    amount: 123_456_789n,
    wallet: address,
  })
  for (const { to, data, value, chainId } of made.bytecode)
    await sandbox.sendAs(chainId, address, { to, data, value })
  const [, sent] = (await same('getAction', { id: made.id })).transactions
  await same('listActions', { wallet: address, status: 'SUCCESS', limit: 5 })
  await same('ingest', { actionId: made.id, event: 'SIGNED', txHash: sent!.hash as never })
  await same('getWallet', { address })
  await same('walletHistory', { address, strategyId, page: 1, limit: 3 })
  const { quote } = await same('quote', {
    chainIdIn: 31337,
    chainIdOut: 31337,
    tokenIn: usdc.address,
    tokenOut: weth.address,
    amountIn: 10n ** 8n,
    slippage: 0.0123,
  })
  await same('swapBytecode', {
    quote: quote.raw as never,
    walletAddress: address,
    destinationAddress: address,
  })
  await same('swapStatus', { id: quote.id })
  await same('listQuotes', { provider: 'uniswap-v3' })
  await same('transferBytecode', {
    originAddress: address,
    destinationAddress: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
    token: weth.address,
    chainId: 31337,
    amount: 5n,
  })
  await same('customer', {})
  await same('getFees', {})
  await same('setFees', { markupBps: 12 })
  const { id } = await same('addWebhook', { url: 'https://example.com/hook', types: ['action.succeeded'] })
  await same('rotateWebhook', { id })
  await same('enableWebhook', { id })
  await same('triggerEvent', { type: 'strategy.paused' })
  await number()
  const [delivery] = (await same('webhookDeliveries', { id, state: 'pending' })).items
  await same('resendDelivery', { id, deliveryId: delivery!.id })
  await same('replayWebhook', { id, since: '2026-01-01T00:00:00Z' })
  const { cursor } = await same('listEvents', {
    consumer: 'one',
    types: ['strategy.paused', 'action.created'],
  })
  await same('commitEvents', { consumer: 'one', cursor, seek: true })
  await same('listWebhooks', { page: 1, limit: 5 })
  await same('removeWebhook', { id })
  expect(new Set(seen.map(({ name }) => name))).toEqual(new Set(Object.keys(routes)))
})

test('the remote service equals the embedded service for a queued withdrawal, from request to claim', async () => {
  const { address } = sandbox.user
  const id = 'sandbox-lido-eth-sandbox-one'
  const send = async (action: 'lend' | 'withdraw' | 'claim', amount: bigint) => {
    const made = await same('strategyBytecode', { id, action, amount, wallet: address })
    for (const { to, data, value, chainId } of made.bytecode)
      await sandbox.sendAs(chainId, address, { to, data, value })
    return made
  }
  await send('lend', 5n * 10n ** 18n)
  expect((await send('withdraw', 10n ** 18n)).queued).toEqual({ seconds: null })
  const waiting = (await same('getWallet', { address })).positions[0]!
  expect(waiting.pending).toMatchObject([{ id: '1', amount: 10n ** 18n }])
  const refused = await far
    .strategyBytecode({ id, action: 'claim', amount: maxUint256, wallet: address })
    .catch((error: unknown) => error)
  expect(refused).toMatchObject({ code: 'NOTHING_CLAIMABLE', details: { pending: [{ id: '1' }] } })
  await sandbox.world.warp(2 * 86_400)
  expect((await same('getWallet', { address })).positions[0]!.claimable).toHaveLength(1)
  const { id: claim } = await send('claim', maxUint256)
  expect(await same('getAction', { id: claim })).toMatchObject({ type: 'SAMECHAIN_INVESTMENT_CLAIM' })
  expect((await same('walletHistory', { address, strategyId: id })).items[0]).toMatchObject({ type: 'claim' })
})

test('the remote service names an unreachable network in both lists, and reports it once', async () => {
  // No process listens on this loopback port.
  const dead = httpRpc('http://127.0.0.1:1', { retries: 0 })
  const one = recorded(
    engineOn(sandbox, { rpc: (id) => (id === 31337 ? sandbox.chain(id).rpc : dead) }).service,
  )
  const other = await serveTo(one, key, overheard)
  const told: string[] = []
  far = remoteService({
    baseUrl: other.url,
    apiKey: key,
    onMissingNetwork: (network) => void told.push(network),
  })
  expect((await same('listStrategies', { limit: 3 })).missing).toEqual(['sandbox-two'])
  expect((await same('listStrategies', { limit: 3 })).missing).toEqual(['sandbox-two'])
  expect((await same('recommend', { identifier: 'usdc' })).missing).toEqual(['sandbox-two'])
  expect(told).toEqual(['sandbox-two'])
  const older = await fetch(`${other.url}/v1/strategies`, { headers: { 'x-api-key': key } })
  expect(older.headers.get('x-sluice-missing')).toBe('sandbox-two')
  const whole = await fetch(`${server.url}/strategies`, { headers: { 'x-api-key': key } })
  expect(whole.headers.get('x-sluice-missing')).toBeNull()
  await other.close()
})

test('IDs with special characters arrive unchanged', async () => {
  for (const id of ['a/b', 'a b', '%2e%2e', 'ä', 'a?b#c'])
    await expect(far.getStrategy({ id })).rejects.toMatchObject({
      code: 'STRATEGY_NOT_FOUND',
      details: { id },
    })
})

describe('errors over HTTP', () => {
  const codes = (Object.keys(errorTable) as ErrorCode[]).filter((code) => errorRow(code).status !== undefined)
  test.each(codes)('%s keeps its code, message and details', async (code) => {
    const failing = {
      ...near,
      customer: async () => Promise.reject(new AppError(code, 'because', { details: { a: [1] } })),
    } as Service
    const other = await serveTo(failing, key)
    const said = await remoteService({ baseUrl: other.url, apiKey: key })
      .customer({})
      .catch((error: unknown) => error)
    await other.close()
    expect(said).toMatchObject({ code, message: 'because', details: { a: [1] } })
  })

  test('an unexpected error is INTERNAL_SERVER_ERROR without its message', async () => {
    const failing = { ...near, customer: async () => Promise.reject(new Error('secret')) } as Service
    const other = await serveTo(failing, key)
    const said = await remoteService({ baseUrl: other.url, apiKey: key })
      .customer({})
      .catch((error: unknown) => error)
    await other.close()
    expect(said).toMatchObject({ code: 'INTERNAL_SERVER_ERROR', message: 'Unexpected error' })
  })

  test('a wrong API key is UNAUTHORIZED', async () => {
    await expect(remoteService({ baseUrl: server.url, apiKey: 'x' }).customer({})).rejects.toMatchObject({
      code: 'UNAUTHORIZED',
      message: 'invalid API key',
    })
  })

  test('an invalid request is a 422 that names the fields', async () => {
    await expect(far.listStrategies({ page: 1.5 as never })).rejects.toThrow()
    const answer = await fetch(
      `${server.url}/strategies/x/bytecode?action=request-lend&amount=1&wallet=0x1`,
      { headers: { 'x-api-key': key } },
    )
    expect(answer.status).toBe(422)
    const { error } = (await answer.json()) as {
      error: { code: string; details: { errors: { path: string }[] } }
    }
    expect(error.code).toBe('VALIDATION_ERROR')
    expect(error.details.errors.map(({ path }) => path).sort()).toEqual(['action', 'wallet'])
  })

  test('an invalid response is SERVICE_BAD_RESPONSE without the content of the response', async () => {
    const other = await alwaysSays(200, { docs: [{ slug: 'canary-4711' }] })
    const said = (await remoteService({ baseUrl: other.url, apiKey: key })
      .listStrategies({})
      .catch((error: unknown) => error)) as AppError
    await other.close()
    expect(said.code).toBe('SERVICE_BAD_RESPONSE')
    expect(JSON.stringify([said.message, said.details])).not.toContain('canary')
  })
})

test('deprecated paths answer like their successors, with deprecation and link headers', async () => {
  const answer = await fetch(`${server.url}/swap/status/nope`, { headers: { 'x-api-key': key } })
  expect(answer.status).toBe(404)
  const usdc = sandbox.token(31337, 'USDC').address
  const query = new URLSearchParams({
    originChainId: '31337',
    destinationChainId: '31338',
    tokenIn: usdc,
    tokenOut: sandbox.token(31338, 'USDC').address,
    amountIn: '100000000',
  })
  const quoted = await fetch(`${server.url}/swap/quote?${query}`, { headers: { 'x-api-key': key } })
  expect(quoted.headers.get('deprecation')).toMatch(/^@[0-9]+$/)
  expect(quoted.headers.get('link')).toContain('/v2/swap/quote')
  expect((await quoted.json()) as object).toMatchObject({
    quote: { provider: 'cctp', tokenIn: { amount: '100000000' } },
  })
})

test('a base URL with an extra path is NOT_FOUND with a configuration hint, for lists and for IDs', async () => {
  const lost = remoteService({ baseUrl: `${server.url}/foo`, apiKey: key })
  for (const asked of [lost.listStrategies({}), lost.getStrategy({ id: 'x' }), lost.getAction({ id: 'x' })])
    await expect(asked).rejects.toMatchObject({
      code: 'NOT_FOUND',
      hint: expect.stringContaining('sluice config list --show-origin'),
    })
})

test('an API key is not sent over plain HTTP', () => {
  expect(() => remoteService({ baseUrl: 'http://service.example', apiKey: key })).toThrow(/not https/)
})
