import { describe, expect, test } from 'vitest'
import type { EngineInputs } from '../../src/engine/engine.ts'
import type { Catalog } from '../../src/protocols/catalog-types.ts'
import { engineOn, over, perform, watched } from '../support/engine.ts'
import { useSandbox } from '../support/use-sandbox.ts'

const sandbox = useSandbox()
const wallet = sandbox.user.address
const slug = 'aave-v3-usdc-sandbox-one'
const there = 'aave-v3-usdc-sandbox-two'
const usdc = (chainId: number) => sandbox.token(chainId, 'USDC').address

/** The catalogue with the second chain as a testnet. */
const withTestnet = (): Catalog => {
  const catalog = sandbox.world.catalog()
  const networks = catalog.networks.map((network) => ({ ...network, testnet: network.chainId === 31338 }))
  return { ...catalog, networks }
}
const near = () => ({
  chainIdIn: 31337,
  chainIdOut: 31337,
  tokenIn: usdc(31337),
  tokenOut: sandbox.token(31337, 'WETH').address,
  amountIn: '1000000',
})
const across = () => ({ ...near(), chainIdOut: 31338, tokenOut: usdc(31338) })
const lend = { action: 'lend', amount: '1000000', wallet }

test('the sandbox chains are no testnets', () => {
  expect(sandbox.world.catalog().networks.map(({ testnet }) => testnet)).toEqual([false, false])
})

describe('a key without testnets', () => {
  const engine = (scope?: EngineInputs['scope'], more: Partial<EngineInputs> = {}) =>
    engineOn(sandbox, { catalog: withTestnet(), ...(scope && { scope }), ...more })
  const none = { testnets: false, strategies: null }

  test('does not see the strategies, tokens and bridges of a testnet, which is never called', async () => {
    const asked: number[] = []
    const rpc = (chainId: number) => {
      asked.push(chainId)
      return sandbox.chain(chainId).rpc
    }
    const [all, some] = [over(engine().service), over(engine(none, { rpc }).service)]
    const list = (await some('GET', '/strategies', { limit: 100 })).body.docs as { network: string }[]
    expect(new Set(list.map(({ network }) => network))).toEqual(new Set(['sandbox-one']))
    expect((await all('GET', '/strategies', { limit: 100 })).body.totalDocs).toBeGreaterThan(list.length)
    expect((await some('GET', '/strategies/analytics')).body.strategyCount).toBe(list.length)
    const refused: [path: string, sent: object, code: string][] = [
      [`/strategies/${there}`, {}, 'STRATEGY_NOT_FOUND'],
      [`/strategies/${there}/bytecode`, lend, 'STRATEGY_NOT_FOUND'],
      [`/strategies/${slug}/bytecode`, { ...lend, from: 'sandbox-two' }, 'NO_ROUTE_FOUND'],
      [`/wallets/${wallet}/history/${there}`, {}, 'STRATEGY_NOT_FOUND'],
      ['/yield/usdc', { to: 'sandbox-two' }, 'NO_ROUTE_FOUND'],
      ['/yield/brla', {}, 'STRATEGY_NOT_FOUND'],
      ['/v2/swap/quote', across(), 'NO_ROUTE_FOUND'],
    ]
    for (const [path, sent, code] of refused) {
      expect([path, (await some('GET', path, sent)).body.error?.code]).toEqual([path, code])
    }
    const transfer = { originAddress: wallet, destinationAddress: usdc(31337), amount: '1' }
    expect(
      (await some('POST', '/transfer/bytecode', { ...transfer, token: usdc(31338), chainId: 31338 })).body
        .error.code,
    ).toBe('TRANSFER_VALIDATION_FAILED')
    expect((await some('GET', '/customers/by-api-key')).body.testnet).toBe(false)
    expect((await all('GET', '/customers/by-api-key')).body.testnet).toBe(true)
    expect((await some('GET', '/v2/swap/quote', near())).status).toBe(200)
    expect(new Set(asked)).toEqual(new Set([31337]))
  })

  test('does not see the operations of another key of the customer on a testnet', async () => {
    const { service, context } = engine()
    const [all, some] = [over(service), over(engine(none, { store: context.store }).service)]
    const { body: made } = await all('GET', `/strategies/${there}/bytecode`, lend)
    await perform(sandbox, wallet, made.bytecode)
    expect((await all('GET', `/wallets/${wallet}`)).body).toMatchObject({ positions: [{}], stats: {} })
    expect((await some('GET', `/wallets/${wallet}`)).body).toMatchObject({ positions: [], stats: null })
    expect((await all('GET', `/actions/${made.id}`)).body.status).toBe('SUCCESS')
    expect((await some('GET', `/actions/${made.id}`)).body.error.code).toBe('ACTION_NOT_FOUND')
    const told = { actionId: made.id, event: 'SIGNED' }
    expect((await some('POST', '/actions/ingest/wallet', told)).body.error.code).toBe('ACTION_NOT_FOUND')
    const { quote } = (await all('GET', '/v2/swap/quote', across())).body
    const own = (await some('GET', '/v2/swap/quote', near())).body.quote
    const body = { quote, walletAddress: wallet }
    expect((await some('POST', '/v2/swap/bytecode', body)).body.error.code).toBe('QUOTE_NOT_FOUND')
    expect((await some('GET', `/v2/swap/status/${quote.id}`)).body.error.code).toBe('QUOTE_NOT_FOUND')
    expect((await all('GET', '/quotes')).body.totalDocs).toBe(2)
    const shown = (await some('GET', '/quotes')).body
    expect([shown.totalDocs, shown.docs.map(({ id }: { id: string }) => id)]).toEqual([1, [own.id]])
    for (const destinationChain of ['sandbox-two', 'nowhere'])
      expect(await some('GET', '/quotes', { destinationChain })).toMatchObject({
        status: 422,
        body: { error: { message: `destinationChain: there is no network "${destinationChain}"` } },
      })
  })

  test('sees nothing when every network is a testnet', async () => {
    const catalog = withTestnet()
    const networks = catalog.networks.map((network) => ({ ...network, testnet: true }))
    const ask = over(engineOn(sandbox, { catalog: { ...catalog, networks }, scope: none }).service)
    for (const path of ['/strategies', '/quotes'])
      expect((await ask('GET', path)).body).toMatchObject({ docs: [], totalDocs: 0 })
    expect((await ask('GET', `/wallets/${wallet}`)).body).toMatchObject({ positions: [], totalValueUSD: '0' })
  })
})

test('a customer sees only its active strategies', async () => {
  const strategies = [slug, 'sandbox-vault-usdc-sandbox-two', 'one-that-is-gone']
  const ask = over(engineOn(sandbox, { scope: { testnets: true, strategies } }).service)
  const { body } = await ask('GET', '/strategies')
  expect(body.docs.map((one: { slug: string }) => one.slug).toSorted()).toEqual(
    strategies.slice(0, 2).toSorted(),
  )
  expect((await ask('GET', '/strategies/analytics')).body.strategyCount).toBe(2)
  for (const path of [
    `/strategies/${there}`,
    `/strategies/${there.toUpperCase()}`,
    `/strategies/${there}/bytecode`,
  ])
    expect((await ask('GET', path, lend)).body.error.code).toBe('STRATEGY_NOT_FOUND')
  expect(strategies).toContain((await ask('GET', '/yield/usdc')).body.strategy.slug)
  expect((await ask('GET', '/yield/usdt')).status).toBe(404)
  expect((await ask('GET', '/v2/swap/quote', across())).status).toBe(200)
})

test('the status of an unused quote costs one query and no chain call', async () => {
  const said: string[] = []
  const { service, context } = engineOn(sandbox, {
    rpc: (chainId) => watched(sandbox.chain(chainId).rpc, said),
  })
  const ids = []
  for (let made = 0; made < 3; made++)
    ids.push((await service.quote({ ...near(), amountIn: 1_000000n })).quote.id)
  let queries = 0
  const counted: EngineInputs['store'] = {
    ...context.store,
    quote: (...asked) => {
      queries++
      return context.store.quote(...asked)
    },
    quoteSummary: (...asked) => {
      queries++
      return context.store.quoteSummary(...asked)
    },
    quotes: (...asked) => {
      queries++
      return context.store.quotes(...asked)
    },
    action: () => Promise.reject(new Error('no operation is looked up')),
  }
  const again = engineOn(sandbox, {
    store: counted,
    rpc: (chainId) => watched(sandbox.chain(chainId).rpc, said),
  })
  said.length = 0
  expect((await again.service.swapStatus({ id: ids[0]! })).status).toBe('pending')
  expect((await again.service.listQuotes({})).items.map(({ status }) => status)).toEqual(
    Array(3).fill('pending'),
  )
  expect({ queries, said }).toEqual({ queries: 2, said: [] })
})

test('the list of quotes shows the status of each as its chains do', async () => {
  let shift = 0
  const { service } = engineOn(sandbox, { now: () => Date.now() + shift })
  const { quote: swap } = await service.quote({ ...near(), amountIn: 1_000000n })
  const { quote: unused } = await service.quote({ ...near(), amountIn: 1_000000n })
  const deposit = await service.strategyBytecode({
    id: there,
    ...lend,
    action: 'lend',
    amount: 5_000000n,
    from: 'sandbox-one',
  })
  const made = await service.swapBytecode({ quote: swap.raw as never, walletAddress: wallet })
  const listed = async () =>
    Object.fromEntries((await service.listQuotes({})).items.map(({ id, status }) => [id, status]))
  const [a, b, c] = [swap.id, unused.id, deposit.quote!.id]
  expect(await listed()).toEqual({ [a]: 'pending', [b]: 'pending', [c]: 'pending' })
  await perform(sandbox, wallet, [...made.approvals, ...made.transactions, ...deposit.bytecode.slice(0, 2)])
  expect((await service.swapStatus({ id: a })).status).toBe('fulfilled')
  const onItsWay = expect.stringMatching(/^(confirmed|processing|fulfilled)$/)
  expect((await service.swapStatus({ id: c })).status).toEqual(onItsWay)
  shift = 301_000
  expect(await listed()).toEqual({ [a]: 'fulfilled', [b]: 'expired', [c]: onItsWay })
})
