import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ask } from '../../../src/chain/ask.ts'
import { both, together } from '../../../src/chain/call.ts'
import type { ChainClient } from '../../../src/chain/chain-client.ts'
import type { Address, Hex } from '../../../src/domain/address.ts'
import { AppError } from '../../../src/domain/errors.ts'
import { multicall3 } from '../../../src/domain/networks.ts'
import { snapshotKey } from '../../../src/engine/rates/annualized-rate.ts'
import type { StrategyEntry } from '../../../src/protocols/catalog-types.ts'
import type { Market } from '../../../src/protocols/market-adapter.ts'
import { engineMigrations, engineStore } from '../../../src/store/engine/store.ts'
import { sqliteSql } from '../../../src/store/sql/sqlite.ts'
import { deployedFrom } from '../../support/contracts/compile-contract.ts'
import { engineOn, perform, watched, word } from '../../support/engine.ts'
import { reserveOf } from '../../support/market-constants.ts'
import { calldata, useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const wallet = sandbox.user.address
const chainId = 31337
const day = 86_400
const year = 365 * day
const slugs = [
  'aave-v3-usdc-sandbox-one',
  'sandbox-vault-usdc-sandbox-one',
  'sandbox-staking-weth-sandbox-one',
]
const rpc = () => sandbox.chain(chainId).rpc
const entryOf = (slug: string): StrategyEntry =>
  sandbox.world.catalog().strategies.find((entry) => entry.slug === slug)!

type Seen = { at: number; price: bigint }

/** The worth of a unit at a block, from the contract, and the time of the block. */
async function seen(entry: StrategyEntry, block: Hex | 'latest' = 'latest'): Promise<Seen> {
  const [to, data]: [Address, Hex] =
    entry.constants.family === 'aave-v3'
      ? [
          reserveOf(entry).pool,
          calldata('function getReserveNormalizedIncome(address)', [entry.asset.address]),
        ]
      : [
          entry.receipt.address,
          calldata('function convertToAssets(uint256)', [10n ** BigInt(entry.receipt.decimals + 9)]),
        ]
  const { number, timestamp } = await rpc().request<{ number: Hex; timestamp: Hex }>('eth_getBlockByNumber', [
    block,
    false,
  ])
  return {
    at: Number(timestamp),
    price: BigInt(await rpc().request<Hex>('eth_call', [{ to, data }, number])),
  }
}
const growth = (from: Seen, to: Seen) =>
  (Number(to.price) / Number(from.price)) ** (year / (to.at - from.at)) - 1

/** A catalogue with one market. */
const only = (slug: string) => ({ ...sandbox.world.catalog(), strategies: [entryOf(slug)] })

const storage = () => engineStore(sqliteSql(':memory:', { migrations: engineMigrations }))
const lend = async (slug: string) =>
  perform(
    sandbox,
    wallet,
    (
      await engineOn(sandbox).service.strategyBytecode({
        id: slug,
        action: 'lend',
        amount: 5_000_000_001n,
        wallet,
      })
    ).bytecode,
  )

describe.each(slugs)('the realized rate of %s', (slug) => {
  test('over a month and since inception is the growth of its share price', async () => {
    await lend(slug)
    const before = await seen(entryOf(slug))
    await sandbox.world.warp(40 * day)
    const now = await seen(entryOf(slug))
    const store = storage()
    const { avgApy, inceptionApy, rates } = await engineOn(sandbox, { store }).service.getStrategy({
      id: slug,
    })
    expect(avgApy).toBeGreaterThan(0)
    expect(Math.abs(avgApy! - growth(before, now))).toBeLessThan(1e-9)
    expect(rates).toMatchObject({ days30: avgApy, days7: null, days1: null })
    const begun = { at: Date.parse(entryOf(slug).startDate!) / 1000, price: 0n }
    // A unit started at one: a ray, or a whole token with nine more digits.
    const one =
      entryOf(slug).constants.family === 'aave-v3'
        ? 10n ** 27n
        : 10n ** BigInt(entryOf(slug).asset.decimals + 9)
    expect(Math.abs(inceptionApy! - growth({ ...begun, price: one }, now))).toBeLessThan(1e-9)
    // The list has the same rates.
    const { items } = await engineOn(sandbox).service.listStrategies({ limit: 100 })
    const listed = items.find((item) => item.slug === slug)!
    expect(Math.abs(listed.avgApy! - avgApy!)).toBeLessThan(1e-9)
    expect(listed.inceptionApy).toBe(inceptionApy)
  })

  test('over a day, a week and a month matches the contract, and is listed as daily points', async () => {
    await lend(slug)
    const all: Seen[] = [await seen(entryOf(slug))]
    for (let days = 1; days <= 33; days++) {
      await sandbox.world.warp(day)
      if (days % 9 === 0) await lend(slug)
      all.push(await seen(entryOf(slug)))
    }
    const now = all.at(-1)!
    const { rates, apy } = await engineOn(sandbox).service.getStrategy({ id: slug })
    const ago = (days: number) => all.findLast(({ at }) => at <= now.at - (days - 0.5) * day)!
    for (const [told, days] of [
      [rates!.days1, 1],
      [rates!.days7, 7],
      [rates!.days30, 30],
    ] as const)
      expect(Math.abs(told! - growth(ago(days), now)) / growth(ago(days), now)).toBeLessThan(0.01)
    expect(Math.abs(rates!.days1! - growth(ago(1), now))).toBeLessThan(1e-6)
    expect(rates!.points.length).toBeGreaterThanOrEqual(28)
    expect(rates!.points.every((point) => point.apy > 0)).toBe(true)
    expect(rates!.points.map(({ at }) => at)).toEqual(rates!.points.map(({ at }) => at).sort())
    expect({ base: rates!.base, reward: rates!.reward }).toEqual({
      base: apy,
      // The Aave reserve of the sandbox pays no rewards, and vaults do not report any.
      reward: slug.startsWith('aave') ? 0 : null,
    })
  })
})

test('realized rates are equal for an engine with stored days and for a new one', async () => {
  const slug = slugs[0]!
  await lend(slug)
  // At least three blocks a day, at varying hours.
  const goesOn = async (steps: number) => {
    for (let step = 0; step < steps; step++) await sandbox.world.warp(5 * 3_600 + step * 60)
  }
  await goesOn(40)
  const old = engineOn(sandbox).service
  await old.getStrategy({ id: slug })
  for (const steps of [1, 1, 3, 9]) {
    await goesOn(steps)
    const [kept, now] = await Promise.all([
      old.getStrategy({ id: slug }),
      engineOn(sandbox).service.getStrategy({ id: slug }),
    ])
    expect(kept.rates!.points.length).toBeGreaterThan(6)
    expect(kept).toEqual(now)
  }
})

test('old blocks are read once per store', async () => {
  const slug = slugs[0]!
  await lend(slug)
  for (let days = 0; days < 33; days++) await sandbox.world.warp(day)
  const store = storage()
  const said: string[] = []
  const asking = () => {
    said.length = 0
    return engineOn(sandbox, {
      store,
      catalog: only(slug),
      rpc: (id) => watched(sandbox.chain(id).rpc, said),
    }).service
  }
  const first = await asking().getStrategy({ id: slug })
  expect(said.filter((method) => method === 'eth_call').length).toBeGreaterThan(20)
  const again = await asking().getStrategy({ id: slug })
  expect(again).toEqual(first)
  // The current market state, the price age, the rewards and the receipt symbol.
  expect(said.filter((method) => method === 'eth_call')).toHaveLength(4)
})

test('a list has the realized rates of every market, with one call per block, once a day', async () => {
  await lend(slugs[0]!)
  for (let days = 0; days < 12; days++) await sandbox.world.warp(day)
  const store = storage()
  const old: unknown[] = []
  const counting = (real: ChainClient): ChainClient => ({
    ...real,
    request: async (method, params = []) => {
      if (method === 'eth_call' && /^0x/.test(String(params[1]))) old.push(params[1])
      return real.request(method, params)
    },
  })
  const begun = () => engineOn(sandbox, { store, rpc: (id) => counting(sandbox.chain(id).rpc) }).service
  const served = begun()
  const all = async (service: ReturnType<typeof begun>) =>
    (await service.listStrategies({ limit: 100 })).items.filter((item) => item.network === 'sandbox-one')
  // A list waits only briefly for old blocks.
  await expect
    .poll(async () => Math.min(...(await all(served)).map(({ rates }) => rates?.points.length ?? 0)), {
      timeout: 30_000,
    })
    .toBeGreaterThan(9)
  const listed = await all(served)
  expect(listed.length).toBeGreaterThan(5)
  const shown = await served.getStrategy({ id: slugs[0]! })
  expect(listed.find(({ slug }) => slug === slugs[0])!.rates!.points).toEqual(shown.rates!.points)
  const asked = old.length
  expect(asked).toBeGreaterThan(9)
  // Two networks, with some more blocks to find the one of a month ago.
  expect(asked).toBeLessThan(2 * 20)
  expect(await all(begun())).toEqual(await all(served))
  // The same object: the list is not assembled again.
  expect(await served.listStrategies({})).toBe(await served.listStrategies({}))
  await sandbox.world.warp(60)
  expect((await all(begun())).map(({ rates }) => rates)).toEqual(
    (await all(served)).map(({ rates }) => rates),
  )
  // A rate that is known by growth is read at an old block by every engine; the days are not.
  expect(old.length - asked).toBeLessThan(9)
})

describe('realized rates on a node without old states', () => {
  const forgetful = (real: ChainClient): ChainClient => ({
    ...real,
    request: async (method, params = []) => {
      if (method === 'eth_call' && /^0x/.test(String(params[1])))
        throw new AppError('RPC_ERROR', 'old', { details: { code: -32000, message: 'missing trie node' } })
      return real.request(method, params)
    },
  })

  test('come from one reading a day, and are null until the readings cover a month', async () => {
    const slug = slugs[1]!
    await lend(slug)
    const store = storage()
    const service = () => engineOn(sandbox, { store, rpc: (id) => forgetful(sandbox.chain(id).rpc) }).service
    // The markets are already old at the first request.
    await sandbox.world.warp(100 * day)
    const first = await seen(entryOf(slug))
    const early = await service().getStrategy({ id: slug })
    expect(early).toMatchObject({ avgApy: null, rates: null })
    expect(early.inceptionApy).toBeGreaterThan(0)
    for (let days = 1; days <= 29; days++) {
      await sandbox.world.warp(day)
      await service().listStrategies({})
    }
    expect((await service().getStrategy({ id: slug })).avgApy).toBeNull()
    await sandbox.world.warp(day)
    const { avgApy, rates } = await service().getStrategy({ id: slug })
    const now = await seen(entryOf(slug))
    expect(Math.abs(avgApy! - growth(first, now))).toBeLessThan(1e-9)
    expect(rates!.points.length).toBeGreaterThanOrEqual(29)
    const { items } = await service().listStrategies({ limit: 100 })
    expect(items.find((item) => item.slug === slug)!.avgApy).toBe(avgApy)
  })

  test('cost no further request on the same day', async () => {
    await sandbox.world.warp(100 * day)
    const store = storage()
    const said: string[] = []
    const service = () =>
      engineOn(sandbox, {
        store,
        catalog: only(slugs[0]!),
        rpc: (id) => forgetful(watched(sandbox.chain(id).rpc, said)),
      }).service
    await service().listStrategies({})
    expect(said.length).toBeGreaterThan(3)
    said.length = 0
    await service().listStrategies({})
    // The newest block, the market state, and the price age.
    expect(said).toEqual(['eth_getBlockByNumber', 'eth_call', 'eth_call'])
  })
})

test('readings of blocks that a reorganisation removed are not used', async () => {
  const slug = slugs[0]!
  await lend(slug)
  const store = storage()
  const service = () => engineOn(sandbox, { store }).service
  await sandbox.world.warp(100 * day)
  const snapshot = await rpc().request('evm_snapshot')
  // On this chain the market earned far more; its readings must be dropped.
  await lend(slug)
  await sandbox.world.warp(1)
  await service().listStrategies({})
  await rpc().request('evm_revert', [snapshot])
  await sandbox.world.warp(2 * 3_600)
  const before = await seen(entryOf(slug))
  await sandbox.world.warp(31 * day)
  const { avgApy } = await service().getStrategy({ id: slug })
  expect(Math.abs(avgApy! - growth(before, await seen(entryOf(slug))))).toBeLessThan(1e-9)
})

describe('a market with an unknown start date', () => {
  /** A client that answers like an archive node: before block `born` the contract has no code, and the other contracts have. */
  const whole = (real: ChainClient, contract: Address, born: number, said: string[]): ChainClient => ({
    ...real,
    batch: async (calls) =>
      Promise.all(
        calls.map(([method, params]) => {
          said.push(method)
          if (method !== 'eth_getCode' || Number(params[1]) >= born) return real.request(method, params)
          return params[0] === contract ? '0x' : real.request(method, [params[0], 'latest'])
        }),
      ),
  })

  test('starts in the block of its code, which is found once and stored', async () => {
    const { pool, aToken } = reserveOf(entryOf(slugs[0]!))
    const { ownContract: own } = await import('../../../src/sandbox/genesis/artifacts.ts')
    const { encodeDeployData } = await import('viem/utils')
    await sandbox.world.warp(day)
    const { abi, bytecode } = own('SandboxVault')
    const args = [entryOf(slugs[0]!).asset.address, pool, aToken, 'New', 'NEW', 2n ** 256n - 1n]
    const data = encodeDeployData({ abi, bytecode, args } as never)
    const hash = await rpc().request<Hex>('eth_sendTransaction', [{ from: wallet, data, gas: '0x989680' }])
    type Receipt = { contractAddress: Address; blockNumber: Hex } | null
    let receipt: Receipt = null
    while (!receipt) receipt = await rpc().request<Receipt>('eth_getTransactionReceipt', [hash])
    const born = await seen(entryOf(slugs[0]!), receipt.blockNumber)
    const base = entryOf('sandbox-vault-usdc-sandbox-one')
    const entry: StrategyEntry = {
      ...base,
      id: 'new-vault-USDC-sandbox-one',
      slug: 'new-vault-usdc-sandbox-one',
      startDate: null,
      receipt: { ...base.receipt, address: receipt.contractAddress },
      constants: { ...base.constants, vault: receipt.contractAddress } as StrategyEntry['constants'],
    }
    const store = storage()
    const said: string[] = []
    const service = (one = entry, kept = store) =>
      engineOn(sandbox, {
        store: kept,
        catalog: { ...sandbox.world.catalog(), strategies: [one] },
        rpc: (id) =>
          id === chainId
            ? whole(rpc(), entry.receipt.address, Number(receipt.blockNumber), said)
            : sandbox.chain(id).rpc,
      }).service
    await perform(
      sandbox,
      wallet,
      (await service().strategyBytecode({ id: entry.slug, action: 'lend', amount: 900_000000n, wallet }))
        .bytecode,
    )
    await sandbox.world.warp(12 * day)
    const now = await seen(entry)
    const shown = await service().getStrategy({ id: entry.slug })
    expect(shown.startDate).toBe(new Date(born.at * 1000).toISOString())
    const one = 10n ** BigInt(entry.asset.decimals + 9)
    expect(Math.abs(shown.inceptionApy! - growth({ at: born.at, price: one }, now))).toBeLessThan(1e-9)
    // The market is younger than a month, so the average counts from its start.
    expect(shown.avgApy).toBe(shown.inceptionApy)
    said.length = 0
    const listed = (await service().listStrategies({})).items[0]!
    expect(listed).toMatchObject({ startDate: shown.startDate, avgApy: shown.avgApy })
    expect((await service().getStrategy({ id: entry.slug })).startDate).toBe(shown.startDate)
    expect(said).not.toContain('eth_getCode')
    // A launch date is shown, and no rate is computed from it. The date of the family is shown if no other is known.
    const familyLaunchDate = '2019-01-01T00:00:00.000Z'
    const ofFamily = service({ ...entry, familyLaunchDate }, storage())
    const unread = (await ofFamily.listStrategies({})).items[0]!
    expect(unread).toMatchObject({ startDate: familyLaunchDate, inceptionApy: null })
    expect((await ofFamily.getStrategy({ id: entry.slug })).startDate).toBe(shown.startDate)
    const launchDate = '2020-01-01T00:00:00.000Z'
    const launched = service({ ...entry, launchDate }, storage())
    const { inceptionApy, avgApy } = shown
    const dated = { startDate: launchDate, inceptionApy, avgApy }
    expect(await launched.getStrategy({ id: entry.slug })).toMatchObject(dated)
    expect((await launched.listStrategies({})).items[0]!).toMatchObject(dated)
  })

  /** A Compound v3 market whose code is older than its initialization. Both are older than the blocks that are read. */
  const initializedLate = async () => {
    await sandbox.world.warp(day)
    const file = join(import.meta.dirname, '../../protocols/contracts/CometLike.sol')
    const comet = await deployedFrom(sandbox, chainId, file, [sandbox.token(chainId, 'USDC').address])
    const tell = (signature: string) =>
      sandbox.sendAs(chainId, wallet, { to: comet, data: calldata(signature, []) })
    const coded = await tell('function uninitialize()')
    await rpc().request('anvil_mine', ['0x28'])
    await sandbox.world.warp(3_600)
    const begun = await tell('function initializeStorage()')
    await rpc().request('anvil_mine', ['0x8'])
    const base = entryOf(slugs[0]!)
    const entry: StrategyEntry = {
      ...base,
      id: 'compound-v3-USDC-sandbox-one',
      slug: 'compound-v3-usdc-sandbox-one',
      startDate: null,
      receipt: { ...base.receipt, address: comet, symbol: 'cUSDCv3' },
      implementationSelector: 'compound-v3@2',
      constants: { family: 'compound-v3', comet },
    }
    const timeIn = async (block: Hex) => Number((await blockOf(block)).timestamp)
    return {
      entry,
      accrue: () => tell('function accrue()'),
      coded: { block: Number(coded.blockNumber), at: await timeIn(coded.blockNumber) },
      begun: { block: Number(begun.blockNumber), at: await timeIn(begun.blockNumber) },
    }
  }
  const blockOf = (block: Hex) =>
    rpc().request<{ number: Hex; timestamp: Hex }>('eth_getBlockByNumber', [block, false])
  const iso = (at: number) => new Date(at * 1000).toISOString()
  /** The yearly growth of a unit since a time at which it was one, from the contract. */
  const grownSince = async ({ constants }: StrategyEntry, at: number) => {
    if (constants.family !== 'compound-v3') throw new Error('another family')
    const { number, timestamp } = await blockOf('latest' as Hex)
    const data = calldata('function totalsBasic()', [])
    const said = await rpc().request<Hex>('eth_call', [{ to: constants.comet, data }, number])
    return (Number(word(said)) / 1e15) ** (year / (Number(timestamp) - at)) - 1
  }

  test('starts at its initialization when its code is older, also if that was not found at first', async () => {
    const { entry, accrue, coded, begun } = await initializedLate()
    const catalog = { ...sandbox.world.catalog(), strategies: [entry] }
    const store = storage()
    const said: string[] = []
    const service = (over: (real: ChainClient) => ChainClient = (real) => real) =>
      engineOn(sandbox, {
        store,
        catalog,
        rpc: (id) =>
          id === chainId
            ? over(whole(rpc(), entry.receipt.address, coded.block, said))
            : sandbox.chain(id).rpc,
      }).service
    const shown = async (over?: (real: ChainClient) => ChainClient) =>
      service(over).getStrategy({ id: entry.slug })
    await sandbox.world.warp(12 * day)
    await accrue()
    // A node that knows the block of the code, but not the state at that time, which is read again later.
    const forgetting = (real: ChainClient): ChainClient => ({
      ...real,
      request: async (method, params = []) => {
        if (method === 'eth_call' && Number(params[1]) <= begun.block + 8)
          throw new AppError('RPC_ERROR', 'old', { details: { message: 'missing trie node' } })
        return real.request(method, params)
      },
    })
    const forgetful = service(forgetting)
    const startListed = async (asked: typeof forgetful) =>
      (await asked.listStrategies({})).items.map(({ startDate }) => startDate)
    expect(await startListed(forgetful)).toEqual([null])
    const first = await forgetful.getStrategy({ id: entry.slug })
    expect(first).toMatchObject({ startDate: iso(coded.at), inceptionApy: null })
    // Once it is shown, a list has it, too: of another engine, and of this one with the next block.
    expect(await startListed(service(forgetting))).toEqual([iso(coded.at)])
    await rpc().request('evm_mine')
    expect(await startListed(forgetful)).toEqual([iso(coded.at)])
    // A stored start without the value of a unit is read again.
    await store.storeFact(chainId, `inception ${snapshotKey({ entry } as Market)}`, String(coded.at))
    const found = await shown()
    expect(found.startDate).toBe(iso(begun.at))
    expect(found.inceptionApy).toBeGreaterThan(0)
    expect(Math.abs(found.inceptionApy! - (await grownSince(entry, begun.at)))).toBeLessThan(1e-9)
    expect(found.avgApy).toBe(found.inceptionApy)
    said.length = 0
    await sandbox.world.warp(40 * day)
    await accrue()
    const later = (await service().listStrategies({})).items[0]!
    expect(Math.abs(later.inceptionApy! - (await grownSince(entry, begun.at)))).toBeLessThan(1e-9)
    expect(said).not.toContain('eth_getCode')
  })

  test('has a null APY since inception when a node has silently lost the states before a block', async () => {
    const { entry, coded, begun } = await initializedLate()
    const store = storage()
    // Another node found the block of the code.
    await store.storeFact(chainId, `first-block ${entry.receipt.address.toLowerCase()}`, String(coded.block))
    const silent = (method: string, block: unknown) =>
      (method === 'eth_call' || method === 'eth_getCode') && Number(block) <= begun.block + 4
    const { service } = engineOn(sandbox, {
      store,
      catalog: { ...sandbox.world.catalog(), strategies: [entry] },
      rpc: (id) => {
        const real = sandbox.chain(id).rpc
        const request: ChainClient['request'] = async (method, params = []) =>
          silent(method, params[1]) ? ('0x' as never) : real.request(method, params)
        return { ...real, request, batch: (calls) => Promise.all(calls.map((call) => request(...call))) }
      },
    })
    await sandbox.world.warp(12 * day)
    expect(await service.getStrategy({ id: entry.slug })).toMatchObject({ inceptionApy: null })
    const [kept] = await store.facts(chainId, 'inception ')
    // The time of the code is stored, without the unit value of a later block.
    expect(kept?.value).toBe(String(coded.at))
  })

  test('for the native coin is dated by the wrapped coin, if that is older than Multicall3', async () => {
    const slug = 'sandbox-lido-eth-sandbox-one'
    const entry: StrategyEntry = { ...entryOf(slug), startDate: null }
    await sandbox.world.warp(day)
    const born = Number(await rpc().request('eth_blockNumber'))
    await sandbox.world.warp(12 * day)
    const batch: ChainClient['batch'] = (calls) =>
      Promise.all(
        calls.map(([method, params]) => {
          if (method !== 'eth_getCode') return rpc().request(method, params)
          const isYoung = [entry.receipt.address, multicall3].includes(params[0] as Address)
          return isYoung && Number(params[1]) < born ? '0x' : rpc().request(method, [params[0], 'latest'])
        }),
      )
    const { service } = engineOn(sandbox, {
      catalog: { ...sandbox.world.catalog(), strategies: [entry] },
      rpc: (id) => (id === chainId ? { ...rpc(), batch } : sandbox.chain(id).rpc),
    })
    const { startDate, inceptionApy } = await service.getStrategy({ id: slug })
    expect(startDate).toBe(iso(Number((await blockOf(`0x${born.toString(16)}`)).timestamp)))
    expect(inceptionApy).not.toBeNull()
  })
})

test('the index reading of every market equals the index of its state', async () => {
  const { context } = engineOn(sandbox)
  await sandbox.world.warp(40 * day)
  for (const network of sandbox.world.catalog().networks) {
    const here = context.markets.filter(({ entry }) => entry.chainId === network.chainId)
    const all = together(here.map(({ state, index }) => both(state, index)))
    for (const [state, index] of await ask(context.chain(network.chainId), all)) {
      expect(index).toBe(state.index)
      expect(index).toBeGreaterThan(0n)
    }
  }
})

describe('a server that runs while time passes', () => {
  /** What lists say of the rates of each market, to nine digits. */
  const ratesIn = async ({ service }: ReturnType<typeof engineOn>) => {
    const { items } = await service.listStrategies({ limit: 100 })
    return Object.fromEntries(
      items.map(({ slug, apy, avgApy }) => [slug, [apy, avgApy].map((rate) => rate?.toFixed(9) ?? null)]),
    )
  }

  test('lists the same rates as a command that starts after each warp', async () => {
    const server = engineOn(sandbox, { store: storage() })
    await ratesIn(server)
    for (const days of [0.1, 9, 14, 30, 0.1, 45, 0.02, 33]) {
      await sandbox.world.warp(days * day)
      expect(await ratesIn(server)).toEqual(await ratesIn(engineOn(sandbox)))
    }
    for (const slug of slugs) expect((await ratesIn(server))[slug]).not.toContain(null)
  })

  test('reads the past again after a node did not answer', async () => {
    await sandbox.world.warp(40 * day)
    let isSilent = true
    const { request, batch, ...rest } = rpc()
    const silent: ChainClient = {
      ...rest,
      request,
      batch: async (calls) => {
        const isPast = ([method, [block]]: (typeof calls)[number]) =>
          method === 'eth_getBlockByNumber' && block !== 'latest'
        if (isSilent && calls.some(isPast)) throw new AppError('RPC_UNREACHABLE', 'The node is silent')
        return batch(calls)
      },
    }
    const server = engineOn(sandbox, {
      rpc: (id) => (id === chainId ? silent : sandbox.chain(id).rpc),
    })
    const first = await ratesIn(server)
    expect(first[slugs[0]!]![1]).toBeNull()
    isSilent = false
    await rpc().request('evm_mine')
    expect(await ratesIn(server)).toEqual(await ratesIn(engineOn(sandbox)))
  })
})
