import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { ChainClient } from '../../../src/chain/chain-client.ts'
import { both, together } from '../../../src/chain/composable-reading.ts'
import { read } from '../../../src/chain/run-readings.ts'
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

/** What a unit is worth at a block, off the contract itself, with the time of the block. */
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

/** A catalogue of one market, whose chain is asked for nothing else. */
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

describe.each(slugs)('what %s really paid', (slug) => {
  test('over a month and since it began is the growth of its share price', async () => {
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
    // A unit began as one: a ray, or a whole token with nine digits more.
    const one =
      entryOf(slug).constants.family === 'aave-v3'
        ? 10n ** 27n
        : 10n ** BigInt(entryOf(slug).asset.decimals + 9)
    expect(Math.abs(inceptionApy! - growth({ ...begun, price: one }, now))).toBeLessThan(1e-9)
    // The list, too, and whoever has the same store without asking an old block.
    const { items } = await engineOn(sandbox).service.listStrategies({ limit: 100 })
    const listed = items.find((item) => item.slug === slug)!
    expect(Math.abs(listed.avgApy! - avgApy!)).toBeLessThan(1e-9)
    expect(listed.inceptionApy).toBe(inceptionApy)
  })

  test('day by day is told as a series, and over a day, a week and a month', async () => {
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
      // The sandbox pays nothing beside; of vaults nobody says.
      reward: slug.startsWith('aave') ? 0 : null,
    })
  })
})

test('what it paid is the same document from an engine that has looked before and from one that looks now', async () => {
  const slug = slugs[0]!
  await lend(slug)
  // Three blocks and more a day, at no fixed hour.
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

test('the past is asked for once, whoever asks again with the same store', async () => {
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
  // The markets as they are now, how old their prices are, whether something is paid beside, and what the receipt is called; nothing else.
  expect(said.filter((method) => method === 'eth_call')).toHaveLength(4)
})

test('a list says what each paid lately, of which nobody was shown anything, by one call a block and once a day', async () => {
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
  // A list does not wait for long.
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
  // Of two networks, with some blocks a month ago.
  expect(asked).toBeLessThan(2 * 20)
  expect(await all(begun())).toEqual(await all(served))
  // The same object again: nothing is put together anew for the next one who asks.
  expect(await served.listStrategies({})).toBe(await served.listStrategies({}))
  await sandbox.world.warp(60)
  expect((await all(begun())).map(({ rates }) => rates)).toEqual(
    (await all(served)).map(({ rates }) => rates),
  )
  // A rate that is only known by growth is read of an old block by every engine; the days are not.
  expect(old.length - asked).toBeLessThan(9)
})

describe('a node that keeps no old states', () => {
  const forgetful = (real: ChainClient): ChainClient => ({
    ...real,
    request: async (method, params = []) => {
      if (method === 'eth_call' && /^0x/.test(String(params[1])))
        throw new AppError('RPC_ERROR', 'old', { details: { code: -32000, message: 'missing trie node' } })
      return real.request(method, params)
    },
  })

  test('is helped by what was read of it each day, and says nothing before that is enough', async () => {
    const slug = slugs[1]!
    await lend(slug)
    const store = storage()
    const service = () => engineOn(sandbox, { store, rpc: (id) => forgetful(sandbox.chain(id).rpc) }).service
    // The markets are old already when somebody first asks.
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

  test('is not asked again the same day', async () => {
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
    // Which block is the newest, how the market stands, and how old the price is.
    expect(said).toEqual(['eth_getBlockByNumber', 'eth_call', 'eth_call'])
  })
})

test('readings of blocks that are no more are not used', async () => {
  const slug = slugs[0]!
  await lend(slug)
  const store = storage()
  const service = () => engineOn(sandbox, { store }).service
  await sandbox.world.warp(100 * day)
  const snapshot = await rpc().request('evm_snapshot')
  // On this chain the market earned far more, which nobody may remember.
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

describe('a market whose beginning the catalogue does not know', () => {
  /** The node keeps few states; this one says what one would that keeps all: before a block a contract was not there, and the others were. */
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

  test('began in the block of its code, which is found once and kept', async () => {
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
    const catalog = { ...sandbox.world.catalog(), strategies: [entry] }
    const store = storage()
    const said: string[] = []
    const service = () =>
      engineOn(sandbox, {
        store,
        catalog,
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
    // Younger than a month: the average is that since it began.
    expect(shown.avgApy).toBe(shown.inceptionApy)
    said.length = 0
    const listed = (await service().listStrategies({})).items[0]!
    expect(listed).toMatchObject({ startDate: shown.startDate, avgApy: shown.avgApy })
    expect((await service().getStrategy({ id: entry.slug })).startDate).toBe(shown.startDate)
    expect(said).not.toContain('eth_getCode')
  })

  /** A market of Compound v3 with code in one block, which says what a unit is some blocks later; both are older than the blocks that are read. */
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
  /** What a unit has become a year since a time at which it was one, off the contract itself. */
  const grownSince = async ({ constants }: StrategyEntry, at: number) => {
    if (constants.family !== 'compound-v3') throw new Error('another family')
    const { number, timestamp } = await blockOf('latest' as Hex)
    const data = calldata('function totalsBasic()', [])
    const said = await rpc().request<Hex>('eth_call', [{ to: constants.comet, data }, number])
    return (Number(word(said)) / 1e15) ** (year / (Number(timestamp) - at)) - 1
  }

  test('began when its contract first said what a unit is, where it had code before; also where that was not found before', async () => {
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
    // A node that knows when it got its code, and not what it said then: that is asked again.
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
    // Once it is shown, a list says it as well: elsewhere, and here with the next block.
    expect(await startListed(service(forgetting))).toEqual([iso(coded.at)])
    await rpc().request('evm_mine')
    expect(await startListed(forgetful)).toEqual([iso(coded.at)])
    // What was kept of it once, without what a unit was then, is no answer for ever.
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

  test('is not begun at a block before which a node has forgotten everything, without a word', async () => {
    const { entry, coded, begun } = await initializedLate()
    const store = storage()
    // An honest node found the block of its code.
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
    // The time of its code is kept, and no unit of a block that is not its first.
    expect(kept?.value).toBe(String(coded.at))
  })

  test('is found of a coin that is older than what asks many contracts at once, by what wraps the coin', async () => {
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

test('every market says by itself what its state says of a unit', async () => {
  const { context } = engineOn(sandbox)
  await sandbox.world.warp(40 * day)
  for (const network of sandbox.world.catalog().networks) {
    const here = context.markets.filter(({ entry }) => entry.chainId === network.chainId)
    const all = together(here.map(({ state, index }) => both(state, index)))
    for (const [state, index] of await read(context.chain(network.chainId), all)) {
      expect(index).toBe(state.index)
      expect(index).toBeGreaterThan(0n)
    }
  }
})
