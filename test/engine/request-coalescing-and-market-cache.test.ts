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

/** Questions that are answered by hand. */
function byHand(answerReuse?: AnswerReuse) {
  const open: { answer: (value: string) => void; fail: (error: Error) => void }[] = []
  const ask = coalesceRequests(
    () => new Promise<string>((answer, fail) => open.push({ answer, fail: (error) => fail(error) })),
    answerReuse,
  )
  const settle = () => new Promise((resolve) => setTimeout(resolve, 0))
  return { open, ask, settle }
}

describe('a question that many share', () => {
  test('is asked once for all who come before it is on its way, and once for all who come while it is', async () => {
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

  test('that failed fails for those who waited for it, and for nobody after them', async () => {
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

describe('a question that a crowd may share for a moment longer', () => {
  /** A question that so many asked together was answered; whoever comes next asks. */
  const answered = async (many: number, ms: number) => {
    const { open, ask, settle } = byHand({ minCallers: 8, ms })
    const together = Array.from({ length: many }, ask)
    await settle()
    open[0]!.answer('old')
    expect(await Promise.all(together)).toEqual(together.map(() => 'old'))
    return { open, ask, settle }
  }

  test('is asked anew for whoever comes after a few', async () => {
    const { open, ask, settle } = await answered(7, 60_000)
    const next = ask()
    await settle()
    open[1]!.answer('new')
    expect(await next).toBe('new')
  })

  test('is not asked for whoever comes at once after many, and is once the moment is over', async () => {
    const { open, ask, settle } = await answered(8, 200)
    expect([await ask(), await ask()]).toEqual(['old', 'old'])
    expect(open).toHaveLength(1)
    await new Promise((resolve) => setTimeout(resolve, 210))
    const next = ask()
    await settle()
    open[1]!.answer('new')
    expect(await next).toBe('new')
  })

  test('is asked at once after one that failed, however many shared it', async () => {
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

/** The markets as if they began now: there is no past of theirs to ask for. */
const begunNow = () => {
  const catalog = sandbox.world.catalog()
  const startDate = new Date().toISOString()
  return { ...catalog, strategies: catalog.strategies.map((entry) => ({ ...entry, startDate })) }
}

/** An engine whose every call of a chain is written down, and which has been asked before. */
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

/** Asks everything that stands on the markets, so often. */
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

describe('the markets', () => {
  test('are read once a chain however many ask, and again only on the chain that has a new block', async () => {
    const { service, calls } = await counted()
    // Each chain once, and of each of the two that are shown what it pays beside its interest and what its receipt is called.
    expect((await calls(() => everything(service, 50))).reads).toBe(6)
    const again = await calls(() => everything(service, 50))
    expect(again.reads).toBe(0)
    // All 200 came together: they share a question a chain.
    expect(again.all).toBe(2)
    await mine(31337)
    expect(await calls(() => everything(service, 50))).toEqual({ reads: 1, all: 3 })
    expect(await calls(() => service.getStrategy({ id: other }))).toEqual({ reads: 0, all: 1 })
  })

  test('are asked for beside the newest block at first, in one round trip, which is then not taken for that block', async () => {
    let [underWay, trips] = [0, 0]
    let hold: Promise<void> | undefined
    const real = sandbox.chain(31337).rpc
    const counting: ChainClient = {
      ...real,
      request: async (method, params) => {
        if (underWay++ === 0) trips++
        try {
          // The markets are read before the block that is mined meanwhile, and the newest block is asked for after it.
          if (method === 'eth_getBlockByNumber') await hold
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
    await new Promise((resolve) => setTimeout(resolve, 200))
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

  test('are read at the very block that they are kept for; a node that lags behind shows what it has, and is asked again', async () => {
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

  test('are the same objects as long as nothing happened, page by page', async () => {
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

  test('are read once for all customers who see the same, and what they did stays theirs', async () => {
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

  test('are read again after a reorganisation of the same height', async () => {
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

  test('are never shown older than the request, whatever else is being asked', async () => {
    const real = sandbox.chain(31337).rpc
    let release = () => {}
    let holds = false
    /** A node that answers which block is newest only when it is let to. */
    const slow: ChainClient = {
      ...real,
      request: async (method, params) => {
        const answer = await real.request(method, params)
        if (holds && method === 'eth_getBlockByNumber') await new Promise<void>((go) => (release = go))
        return answer as never
      },
    }
    const { service } = engineOn(sandbox, { rpc: (id) => (id === 31337 ? slow : sandbox.chain(id).rpc) })
    const { bytecode } = await deposited(70_000_000000n)
    const before = Number((await service.getStrategy({ id: slug })).tvlUsd)
    holds = true
    const early = service.getStrategy({ id: slug })
    await new Promise((resolve) => setTimeout(resolve, 50))
    await perform(sandbox, wallet, bytecode)
    const late = service.getStrategy({ id: slug })
    holds = false
    release()
    expect(Number((await late).tvlUsd) - before).toBeCloseTo(70_000, 0)
    expect(Number((await early).tvlUsd)).toBeGreaterThanOrEqual(before)
  })

  test('that could not be read are read by the next request', async () => {
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

  test('where no network has them, each of them is told as left out, and as there again', async () => {
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
