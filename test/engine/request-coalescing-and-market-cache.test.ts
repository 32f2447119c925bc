import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { Service } from '../../src/api/service-type.ts'
import type { ChainClient } from '../../src/chain/chain-client.ts'
import { AppError } from '../../src/domain/errors.ts'
import { createCustomerEngines } from '../../src/engine/engine.ts'
import { type AnswerReuse, coalesceRequests } from '../../src/engine/request-coalescing.ts'
import { codeOf, engineOn, perform, watched } from '../support/engine.ts'
import { calldata, useSandbox } from '../support/use-sandbox.ts'

const sandbox = useSandbox()
const wallet = sandbox.user.address
const slug = 'aave-v3-usdc-sandbox-one'
const other = 'aave-v3-usdc-sandbox-two'

/** Requests that the test answers by hand. */
function byHand(answerReuse?: AnswerReuse) {
  const open: { answer: (value: string) => void; fail: (error: Error) => void }[] = []
  const ask = coalesceRequests(
    () => new Promise<string>((answer, fail) => open.push({ answer, fail: (error) => fail(error) })),
    answerReuse,
  )
  const settle = () => new Promise((resolve) => setTimeout(resolve, 0))
  return { open, ask, settle }
}

describe('coalesced requests', () => {
  test('share one call if they arrive before it starts, and share the next call if they arrive during it', async () => {
    const { open, ask, settle } = byHand()
    const early = [ask(), ask(), ask()]
    await settle()
    expect(open).toHaveLength(1)
    const late = [ask(), ask()]
    await settle()
    expect(open).toHaveLength(1)
    open[0]!.answer('old')
    expect(await Promise.all(early)).toEqual(['old', 'old', 'old'])
    await settle()
    expect(open).toHaveLength(2)
    const latest = ask()
    open[1]!.answer('new')
    expect(await Promise.all(late)).toEqual(['new', 'new'])
    await settle()
    open[2]!.answer('newest')
    expect(await latest).toBe('newest')
  })

  test('fail together with their call, and later requests start a new call', async () => {
    const { open, ask, settle } = byHand()
    const early = [ask(), ask()].map((one) => one.catch((error: Error) => error.message))
    await settle()
    const late = ask()
    open[0]!.fail(new Error('down'))
    expect(await Promise.all(early)).toEqual(['down', 'down'])
    await settle()
    open[1]!.answer('up')
    expect(await late).toBe('up')
  })
})

describe('the reuse of an answer after many concurrent requests', () => {
  /** A request that `many` callers shared and that was answered. */
  const answered = async (many: number, ms: number) => {
    const { open, ask, settle } = byHand({ minCallers: 8, ms })
    const together = Array.from({ length: many }, ask)
    await settle()
    open[0]!.answer('old')
    expect(await Promise.all(together)).toEqual(together.map(() => 'old'))
    return { open, ask, settle }
  }

  test('does not apply after a few callers', async () => {
    const { open, ask, settle } = await answered(7, 60_000)
    const next = ask()
    await settle()
    open[1]!.answer('new')
    expect(await next).toBe('new')
  })

  test('applies for a short time after many callers', async () => {
    const { open, ask, settle } = await answered(8, 1_000)
    expect([await ask(), await ask()]).toEqual(['old', 'old'])
    expect(open).toHaveLength(1)
    await new Promise((resolve) => setTimeout(resolve, 1_010))
    const next = ask()
    await settle()
    open[1]!.answer('new')
    expect(await next).toBe('new')
  })

  test('does not apply after a failed call', async () => {
    const { open, ask, settle } = byHand({ minCallers: 8, ms: 60_000 })
    const together = Array.from({ length: 8 }, () => ask().catch((error: Error) => error.message))
    await settle()
    open[0]!.fail(new Error('down'))
    await Promise.all(together)
    const next = ask()
    await settle()
    open[1]!.answer('up')
    expect(await next).toBe('up')
  })
})

/** The catalogue with markets that start now, so that no old blocks are read. */
const begunNow = () => {
  const catalog = sandbox.world.catalog()
  const startDate = new Date().toISOString()
  return { ...catalog, strategies: catalog.strategies.map((entry) => ({ ...entry, startDate })) }
}

/** An engine that has answered once, with a record of its chain calls. */
async function counted() {
  const said: string[] = []
  const { service } = engineOn(sandbox, {
    rpc: (id) => watched(sandbox.chain(id).rpc, said),
    catalog: begunNow(),
  })
  await service.listStrategies({})
  const calls = async (work: () => Promise<unknown>) => {
    said.length = 0
    await work()
    return { reads: said.filter((one) => one === 'eth_call').length, all: said.length }
  }
  return { service, calls }
}

/** Sends all requests that read markets, `times` times. */
const everything = (service: Service, times: number) =>
  Promise.all(
    Array.from({ length: times }, (_, at) => [
      service.listStrategies({ limit: 1 + (at % 7) }),
      service.analytics({}),
      service.getStrategy({ id: at % 2 === 0 ? slug : other }),
      service.recommend({ identifier: 'usdc' }),
    ]).flat(),
  )
const deposited = (amount: bigint) =>
  engineOn(sandbox).service.strategyBytecode({ id: slug, action: 'lend', amount, wallet })
const mine = (chainId: number) => sandbox.chain(chainId).rpc.request('evm_mine')

describe('the market cache', () => {
  test('reads each chain once for many requests, and again only after a new block on that chain', async () => {
    const { service, calls } = await counted()
    // One read per chain, and for each of the two shown strategies its rewards and the symbol of its receipt.
    expect((await calls(() => everything(service, 50))).reads).toBe(6)
    const again = await calls(() => everything(service, 50))
    expect(again.reads).toBe(0)
    // All 200 requests arrive together and share one request per chain.
    expect(again.all).toBe(2)
    await mine(31337)
    expect(await calls(() => everything(service, 50))).toEqual({ reads: 1, all: 3 })
    expect(await calls(() => service.getStrategy({ id: other }))).toEqual({ reads: 0, all: 1 })
  })

  test('reads markets and newest block in one first round trip, and does not cache them for that block', async () => {
    let [underWay, trips] = [0, 0]
    let hold: Promise<void> | undefined
    const holding = Promise.withResolvers<void>()
    const real = sandbox.chain(31337).rpc
    const counting: ChainClient = {
      ...real,
      request: async (method, params) => {
        if (underWay++ === 0) trips++
        try {
          // The markets are read before the block that is mined meanwhile, and the newest block after it.
          if (method === 'eth_getBlockByNumber' && hold) {
            holding.resolve()
            await hold
          }
          return await real.request(method, params)
        } finally {
          underWay--
        }
      },
    }
    const catalog = begunNow()
    const strategies = catalog.strategies.filter(({ chainId }) => chainId === 31337)
    const { service } = engineOn(sandbox, { rpc: () => counting, catalog: { ...catalog, strategies } })
    let release = () => {}
    hold = new Promise((go) => (release = go))
    const first = service.listStrategies({ limit: 100 })
    await holding.promise
    await perform(sandbox, wallet, (await deposited(90_000_000000n)).bytecode)
    release()
    const tvl = (items: readonly { slug: string; tvlUsd: string | null }[]) =>
      Number(items.find((one) => one.slug === slug)!.tvlUsd)
    const before = tvl((await first).items)
    expect(trips).toBe(1)
    expect(tvl((await service.listStrategies({ limit: 100 })).items) - before).toBeCloseTo(90_000, 0)
    trips = 0
    await service.listStrategies({ limit: 100 })
    expect(trips).toBe(1)
  })

  test('reads markets at the exact block they are cached for, and reads a lagging node again', async () => {
    const real = sandbox.chain(31337).rpc
    const asked: unknown[] = []
    let lags = false
    const behind: ChainClient = {
      ...real,
      request: async (method, params) => {
        if (method !== 'eth_call') return real.request(method, params)
        asked.push(params?.[1])
        if (lags && params?.[1] !== 'latest') throw new AppError('RPC_ERROR', 'header not found')
        return real.request(method, params)
      },
    }
    const catalog = begunNow()
    const strategies = catalog.strategies.filter(({ chainId }) => chainId === 31337)
    const { service } = engineOn(sandbox, { rpc: () => behind, catalog: { ...catalog, strategies } })
    const look = async () => {
      asked.length = 0
      await service.listStrategies({})
      return asked.map((block) => (block === 'latest' ? block : 'numbered'))
    }
    expect(new Set(await look())).toEqual(new Set(['latest']))
    expect(new Set(await look())).toEqual(new Set(['numbered']))
    expect(asked[0]).toBe(await real.request('eth_blockNumber'))
    expect(await look()).toEqual([])
    await mine(31337)
    lags = true
    expect(new Set(await look())).toEqual(new Set(['numbered', 'latest']))
    lags = false
    expect(new Set(await look())).toEqual(new Set(['numbered']))
    expect(await look()).toEqual([])
  })

  test('returns the same objects until a new block, page by page', async () => {
    const { service } = await counted()
    const first = await service.listStrategies({ page: 2, limit: 3 })
    expect(await service.listStrategies({ page: 2, limit: 3 })).toBe(first)
    expect(await service.listStrategies({ page: 1, limit: 3 })).not.toBe(first)
    expect(await service.listStrategies({})).toBe(await service.listStrategies({ page: 1, limit: 10 }))
    const totals = await service.analytics({})
    expect(await service.analytics({})).toBe(totals)
    const [here, there] = [await service.getStrategy({ id: slug }), await service.getStrategy({ id: other })]
    expect(await service.getStrategy({ id: slug })).toBe(here)
    expect((await service.listStrategies({ limit: 100 })).items).toContainEqual({ ...here, receipt: null })
    await mine(31337)
    expect(await service.getStrategy({ id: slug })).not.toBe(here)
    expect(await service.getStrategy({ id: other })).toBe(there)
    expect(await service.listStrategies({ page: 2, limit: 3 })).not.toBe(first)
    expect(await service.analytics({})).not.toBe(totals)
  })

  test('is shared by customers with the same scope, whose actions stay separate', async () => {
    const said: string[] = []
    const { context } = engineOn(sandbox)
    const of = createCustomerEngines({
      catalog: sandbox.world.catalog(),
      rpc: (id) => watched(sandbox.chain(id).rpc, said),
      store: context.store,
      now: Date.now,
      newId: randomUUID,
    })
    const all = { testnets: true, strategies: null }
    const [one, two] = ['one', 'two'].map((customer) =>
      of({ customer, changedBy: customer, scope: all }),
    ) as [Service, Service]
    const few = of({ customer: 'three', changedBy: 'three', scope: { testnets: true, strategies: [slug] } })
    await one.listStrategies({})
    said.length = 0
    expect(await two.listStrategies({})).toBe(await one.listStrategies({}))
    expect(said.filter((call) => call === 'eth_call')).toHaveLength(2)
    expect((await few.listStrategies({})).total).toBe(1)
    const made = await one.strategyBytecode({ id: slug, action: 'lend', amount: 1n, wallet })
    expect((await one.getAction({ id: made.id })).status).toBe('INITIAL')
    expect(await codeOf(two.getAction({ id: made.id }))).toBe('ACTION_NOT_FOUND')
    expect([(await one.customer({})).id, (await two.customer({})).id]).toEqual(['one', 'two'])
  })

  test('is read again after a reorganisation to the same height', async () => {
    const { service } = await counted()
    const tvl = async () => Number((await service.getStrategy({ id: slug })).tvlUsd)
    const asset = sandbox.token(31337, 'USDC').address
    const pool = (await service.strategyBytecode({ id: slug, action: 'lend', amount: 1n, wallet }))
      .bytecode[1]!.to
    const sum = 50_000_000000n
    const call = (to: typeof pool, data: `0x${string}`) => ({ to, data, value: 0n, chainId: 31337 })
    await perform(sandbox, wallet, [call(asset, calldata('function approve(address,uint256)', [pool, sum]))])
    const before = await tvl()
    const supply = calldata('function supply(address,uint256,address,uint16)', [asset, sum, wallet, 0])
    await perform(sandbox, wallet, [call(pool, supply)])
    expect((await tvl()) - before).toBeCloseTo(50_000, 0)
    const head = () => sandbox.chain(31337).rpc.request('eth_blockNumber')
    const height = await head()
    await sandbox.chain(31337).rpc.request('anvil_reorg', [1, []])
    expect(await head()).toBe(height)
    expect((await tvl()) - before).toBeCloseTo(0, 0)
    await sandbox.chain(31337).rpc.request('anvil_dropAllTransactions')
  })

  test('returns no state older than the request, whatever other requests are in flight', async () => {
    const real = sandbox.chain(31337).rpc
    let release = () => {}
    let holds = false
    const holding = Promise.withResolvers<void>()
    /** A node that holds back its answer for the newest block. */
    const slow: ChainClient = {
      ...real,
      request: async (method, params) => {
        const answer = await real.request(method, params)
        if (holds && method === 'eth_getBlockByNumber') {
          const released = new Promise<void>((go) => (release = go))
          holding.resolve()
          await released
        }
        return answer as never
      },
    }
    const { service } = engineOn(sandbox, { rpc: (id) => (id === 31337 ? slow : sandbox.chain(id).rpc) })
    const { bytecode } = await deposited(70_000_000000n)
    const before = Number((await service.getStrategy({ id: slug })).tvlUsd)
    holds = true
    const early = service.getStrategy({ id: slug })
    await holding.promise
    await perform(sandbox, wallet, bytecode)
    const late = service.getStrategy({ id: slug })
    holds = false
    release()
    expect(Number((await late).tvlUsd) - before).toBeCloseTo(70_000, 0)
    expect(Number((await early).tvlUsd)).toBeGreaterThanOrEqual(before)
  })

  test('reads a chain again with the next request after a failure', async () => {
    let isDown = false
    const real = sandbox.chain(31337).rpc
    const flaky: ChainClient = {
      ...real,
      request: (method, params) =>
        isDown && method === 'eth_call'
          ? Promise.reject(new AppError('RPC_UNREACHABLE', 'down'))
          : real.request(method, params),
    }
    const { service } = engineOn(sandbox, { rpc: (id) => (id === 31337 ? flaky : sandbox.chain(id).rpc) })
    const known = await service.getStrategy({ id: slug })
    await mine(31337)
    isDown = true
    expect(await codeOf(service.getStrategy({ id: slug }))).toBe('RPC_UNREACHABLE')
    expect(await codeOf(service.getStrategy({ id: other }))).toBeUndefined()
    isDown = false
    expect(await service.getStrategy({ id: slug })).not.toBe(known)
  })

  test('reports each network as left out, and as back once it answers', async () => {
    let isDown = true
    const down = (real: ChainClient): ChainClient => ({
      ...real,
      request: (method, params) =>
        isDown ? Promise.reject(new AppError('RPC_UNREACHABLE', 'down')) : real.request(method, params),
    })
    const missed: string[] = []
    const { service } = engineOn(sandbox, {
      rpc: (id) => down(sandbox.chain(id).rpc),
      onMissingNetwork: ({ name }, fault) => missed.push(`${name} ${fault?.code ?? 'answers'}`),
    })
    expect(await codeOf(service.listStrategies({}))).toBe('RPC_UNREACHABLE')
    expect(missed.toSorted()).toEqual(['sandbox-one RPC_UNREACHABLE', 'sandbox-two RPC_UNREACHABLE'])
    isDown = false
    await service.analytics({})
    expect(missed.slice(2).toSorted()).toEqual(['sandbox-one answers', 'sandbox-two answers'])
  })
})
