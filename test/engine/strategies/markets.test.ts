import type { Abi } from 'viem'
import { decodeFunctionData } from 'viem/utils'
import { describe, expect, inject, test } from 'vitest'
import type { Address, Hex } from '../../../src/domain/address.ts'
import { maxUint256 } from '../../../src/domain/amount.ts'
import { categories } from '../../../src/domain/categories.ts'
import type { Transaction } from '../../../src/domain/transaction-types.ts'
import type { StrategyEntry } from '../../../src/protocols/catalog-types.ts'
import { sandboxAddress } from '../../../src/sandbox/accounts.ts'
import { ownContract, publishedAbi } from '../../../src/sandbox/genesis/artifacts.ts'
import { genesis } from '../../../src/sandbox/genesis/genesis-cache.ts'
import { deposited } from '../../support/contracts/deposit-brings-its-worth.ts'
import { aroundReads, codeOf, engineOn, perform, word } from '../../support/engine.ts'
import { reserveOf as backingOf, basicOf, isBasic, targetOf } from '../../support/market-constants.ts'
import { calldata, useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const wallet = sandbox.user.address
const owner = sandboxAddress(0)
const stranger = sandboxAddress(2)

// The entries must be known before the sandbox starts, so that each has its own tests.
const { catalog } = await genesis(inject('sandboxCache'), {
  binary: inject('anvil'),
  noteDir: inject('sandboxNotes'),
})
// Strategies with a withdrawal queue have tests of their own.
const entries = catalog.strategies.filter(isBasic)
const pausedSlugs = ['aave-v3-wbtc-sandbox-two']
const open = entries.filter(({ slug }) => !pausedSlugs.includes(slug))
const named = (slug: string): StrategyEntry => entries.find((entry) => entry.slug === slug)!
const each = (list: readonly StrategyEntry[]) => list.map((entry) => [entry.slug, entry] as const)

/** A little more than one whole token, so that no amount is round. */
const sum = ({ asset }: StrategyEntry) => (10n ** BigInt(asset.decimals) * 123457n) / 100000n

const poolAbi = publishedAbi('Pool')
const abiOf = ({ constants }: StrategyEntry): Abi =>
  constants.family === 'aave-v3' ? poolAbi : ownContract('SandboxVault').abi
const decoded = (entry: StrategyEntry, data: Hex) => {
  const { functionName, args } = decodeFunctionData({ abi: abiOf(entry), data })
  return [functionName, ...(args ?? [])]
}

const lend = (entry: StrategyEntry, amount: bigint, who = wallet) =>
  engineOn(sandbox).service.strategyBytecode({ id: entry.slug, action: 'lend', amount, wallet: who })
const withdraw = (entry: StrategyEntry, amount: bigint, who = wallet) =>
  engineOn(sandbox).service.strategyBytecode({ id: entry.slug, action: 'withdraw', amount, wallet: who })
const deposit = async (entry: StrategyEntry, amount = sum(entry)) =>
  perform(sandbox, wallet, (await lend(entry, amount)).bytecode)

const poolOf = (entry: StrategyEntry) => backingOf(entry).pool
const reserveOf = (entry: StrategyEntry) =>
  sandbox.call(entry.chainId, poolOf(entry), 'function getReserveData(address) view', [entry.asset.address])
const sharesOf = (entry: StrategyEntry, who = wallet) =>
  sandbox.balanceOf(entry.chainId, entry.receipt.address, who)
const assetOf = (entry: StrategyEntry, who = wallet) =>
  sandbox.balanceOf(entry.chainId, entry.asset.address, who)
/** The worth of shares, from the contract. */
const worthOf = async (entry: StrategyEntry, shares: bigint) =>
  entry.constants.family === 'aave-v3'
    ? shares
    : BigInt(
        await sandbox.call(entry.chainId, entry.receipt.address, 'function convertToAssets(uint256) view', [
          shares,
        ]),
      )
const allowance = async (entry: StrategyEntry) =>
  BigInt(
    await sandbox.call(entry.chainId, entry.asset.address, 'function allowance(address,address) view', [
      wallet,
      targetOf(entry),
    ]),
  )
const approve = (entry: StrategyEntry, amount: bigint): Transaction => ({
  to: entry.asset.address,
  data: calldata('function approve(address,uint256)', [targetOf(entry), amount]),
  value: 0n,
  chainId: entry.chainId,
})
/** Sends a call as the configurator of a pool, or as the owner of a vault. */
const configure = async ({ chainId }: StrategyEntry, to: Address, data: Hex, from: Address = owner) => {
  const { rpc } = sandbox.chain(chainId)
  await rpc.request('anvil_impersonateAccount', [from])
  await rpc.request('anvil_setBalance', [from, '0xde0b6b3a7640000'])
  expect((await sandbox.sendAs(chainId, from, { to, data })).status).toBe('0x1')
}
/** The configurator of a pool, from its addresses provider. */
const configuratorOf = async (entry: StrategyEntry): Promise<Address> => {
  const address = (answer: Hex): Address => `0x${answer.slice(-40)}`
  const provider = address(
    await sandbox.call(entry.chainId, poolOf(entry), 'function ADDRESSES_PROVIDER() view'),
  )
  return address(await sandbox.call(entry.chainId, provider, 'function getPoolConfigurator() view'))
}
const setReserve = async (entry: StrategyEntry, signature: string, ...args: unknown[]) =>
  configure(entry, await configuratorOf(entry), calldata(signature, [entry.asset.address, ...args]))
const positionOf = async (entry: StrategyEntry, who = wallet) =>
  (await engineOn(sandbox).service.getWallet({ address: who })).positions.find(
    ({ strategy }) => strategy.slug === entry.slug,
  )
const historyOf = async (entry: StrategyEntry, who = wallet) =>
  (await engineOn(sandbox).service.walletHistory({ address: who, strategyId: entry.slug, limit: 100 })).items

describe('the sandbox catalogue', () => {
  test('has unique entries whose ids and slugs follow the naming rule', () => {
    for (const entry of entries) {
      expect(entry.id).toBe(`${entry.protocol}-${entry.asset.symbol}-${entry.network}`)
      expect(entry.slug).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/)
      expect(entry.slug).toBe(entry.id.toLowerCase())
      expect(categories).toContain(entry.category)
      expect(entry.asset.chainId).toBe(entry.chainId)
      expect(entry.receipt.chainId).toBe(entry.chainId)
      expect(entry.implementationSelector).toMatch(new RegExp(`^${entry.constants.family}@[0-9]+$`))
    }
    expect(new Set(entries.map(({ id }) => id)).size).toBe(entries.length)
    expect(new Set(entries.map(({ slug }) => slug)).size).toBe(entries.length)
  })

  test('has at least six strategies on two chains, among them one paused and one of staking', async () => {
    const { items, total } = await engineOn(sandbox).service.listStrategies({ limit: 100 })
    expect(total).toBe(catalog.strategies.length)
    expect(total).toBeGreaterThanOrEqual(6)
    expect(new Set(items.map(({ chainId }) => chainId)).size).toBe(2)
    expect(items.filter(({ paused }) => paused).map(({ slug }) => slug)).toEqual(pausedSlugs)
    expect(items.some(({ category }) => category === 'staking')).toBe(true)
    const stated = items.filter(({ slug }) => entries.some((entry) => entry.slug === slug))
    expect(stated.filter(({ apy }) => !(apy! > 0)).map(({ slug }) => slug)).toEqual([])
  })

  test('resolves ids in any letter case and slugs, and an unknown one is STRATEGY_NOT_FOUND', async () => {
    const { service } = engineOn(sandbox)
    for (const { id, slug } of entries.slice(0, 2)) {
      expect((await service.getStrategy({ id })).slug).toBe(slug)
      expect((await service.getStrategy({ id: id.toUpperCase() })).slug).toBe(slug)
      expect((await service.getStrategy({ id: slug })).id).toBe(id)
    }
    expect(await codeOf(service.getStrategy({ id: 'aave-v3-usdc-nowhere' }))).toBe('STRATEGY_NOT_FOUND')
  })

  test('is read with one eth_call per chain for all markets, and one for the price ages', async () => {
    const said = new Map<number, number>()
    const rpc = (chainId: number) =>
      aroundReads(sandbox.chain(chainId).rpc, (method, params) => {
        // Past rates are read at old blocks.
        if (method === 'eth_call' && params[1] === 'latest') said.set(chainId, (said.get(chainId) ?? 0) + 1)
      })
    await engineOn(sandbox, { rpc }).service.listStrategies({ limit: 100 })
    expect([...said].toSorted()).toEqual([
      [31337, 2],
      [31338, 2],
    ])
  })
})

describe.each(each(entries))('%s', (_, entry) => {
  test('states the rate, the value and the state of its contracts', async () => {
    const shown = await engineOn(sandbox).service.getStrategy({ id: entry.slug })
    const answer = await reserveOf(entry)
    const [configuration, rate] = [word(answer, 0), word(answer, 2)]
    const apr = Number(rate) / 1e27
    expect(apr).toBeGreaterThan(0)
    expect(shown.apy).toBeCloseTo((1 + apr / 31_536_000) ** 31_536_000 - 1, 7)
    const isPaused = ((configuration >> 60n) & 1n) === 1n
    expect(shown.paused).toBe(isPaused)
    const { chainId, asset } = entry
    const constants = basicOf(entry)
    const tvl =
      constants.family === 'aave-v3'
        ? await sandbox.call(chainId, constants.aToken, 'function totalSupply() view')
        : await sandbox.call(chainId, constants.vault, 'function totalAssets() view')
    const oracle = sandbox.world.catalog().priceOracles[chainId]!
    const price = BigInt(
      await sandbox.call(chainId, oracle, 'function getAssetPrice(address) view', [asset.address]),
    )
    const cents = (BigInt(tvl) * price) / 10n ** BigInt(asset.decimals)
    expect(Number(shown.tvlUsd)).toBeCloseTo(Number(cents) / 1e8, 2)
  })
})

describe.each(each(open))('%s', (_, entry) => {
  const amount = sum(entry)

  test('accepts a deposit with an exact approval, shows the position, and pays partial and full withdrawals', async () => {
    const before = await assetOf(entry)
    const { bytecode, crossChain, quote } = await lend(entry, amount)
    expect({ crossChain: crossChain.isCrossChain, quote }).toEqual({ crossChain: false, quote: null })
    expect(bytecode).toHaveLength(2)
    expect(bytecode[0]).toEqual(approve(entry, amount))
    expect(bytecode[1]).toMatchObject({ to: targetOf(entry), value: 0n, chainId: entry.chainId })
    expect(decoded(entry, bytecode[1]!.data)).toEqual(
      entry.constants.family === 'aave-v3'
        ? ['supply', entry.asset.address, amount, wallet, 0]
        : ['deposit', amount, wallet],
    )
    await perform(sandbox, wallet, bytecode)
    expect(await assetOf(entry)).toBe(before - amount)
    expect(await allowance(entry)).toBe(0n)

    const held = await sharesOf(entry)
    const worth = await worthOf(entry, held)
    const position = (await positionOf(entry))!
    expect(position).toMatchObject({ balance: worth, principal: amount, profit: worth - amount })
    expect(amount - worth).toBeLessThanOrEqual(2n)
    expect(worth - amount).toBeLessThan(amount / 10n ** 6n + 2n)

    const part = await withdraw(entry, amount / 3n)
    expect(decoded(entry, part.bytecode[0]!.data)).toEqual(
      entry.constants.family === 'aave-v3'
        ? ['withdraw', entry.asset.address, amount / 3n, wallet]
        : ['withdraw', amount / 3n, wallet, wallet],
    )
    await perform(sandbox, wallet, part.bytecode)
    expect(await assetOf(entry)).toBe(before - amount + amount / 3n)
    const left = (await positionOf(entry))!
    expect(left.principal).toBe(amount - amount / 3n)
    expect(left.balance).toBe(await worthOf(entry, await sharesOf(entry)))
    expect(left.profit).toBe(left.balance! - left.principal!)

    const all = await withdraw(entry, maxUint256)
    expect(all.bytecode).toHaveLength(1)
    expect(decoded(entry, all.bytecode[0]!.data)).toEqual(
      entry.constants.family === 'aave-v3'
        ? ['withdraw', entry.asset.address, maxUint256, wallet]
        : ['redeem', await sharesOf(entry), wallet, wallet],
    )
    await perform(sandbox, wallet, all.bytecode)
    expect(await sharesOf(entry)).toBe(0n)
    expect(before - (await assetOf(entry))).toBeLessThanOrEqual(3n)
    expect(await positionOf(entry)).toBeUndefined()
    const history = await historyOf(entry)
    expect(history.map(({ type }) => type)).toEqual(['withdraw', 'withdraw', 'deposit'])
    expect(history.slice(1).map((item) => item.amount)).toEqual([amount / 3n, amount])
  })
})

const families = [named('aave-v3-usdt-sandbox-one'), named('sandbox-vault-usdc-sandbox-one')]
const everyFamily = [
  ...families,
  named('aave-v3-weth-sandbox-two'),
  named('sandbox-staking-weth-sandbox-two'),
]

const takers = catalog.strategies.filter(({ slug }) => !pausedSlugs.includes(slug))
test.each(each(takers))(
  'the guard refuses a deposit into %s whose simulation delivers less than its worth',
  async (_, entry) => {
    await sandbox.world.warp(86_400)
    const tried = await deposited(sandbox, { catalog: sandbox.world.catalog(), entry, amount: sum(entry) })
    expect(tried).toEqual({ whole: undefined, part: 'POLICY_SIMULATION' })
  },
)

describe.each(each(families))('approvals of %s', (_, entry) => {
  test('are omitted when the allowance suffices', async () => {
    await perform(sandbox, wallet, [approve(entry, 7000000n)])
    expect((await lend(entry, 7000000n)).bytecode).toHaveLength(1)
    expect((await lend(entry, 7000001n)).bytecode.length).toBeGreaterThan(1)
  })

  test('replace a lower allowance by the exact amount, after a reset to zero only if the token demands it', async () => {
    await perform(sandbox, wallet, [approve(entry, 5n)])
    const { bytecode } = await lend(entry, 9000000n)
    const usdt = entry.asset.symbol === 'USDT'
    expect(bytecode.slice(0, -1)).toEqual([...(usdt ? [approve(entry, 0n)] : []), approve(entry, 9000000n)])
    await perform(sandbox, wallet, bytecode)
    expect(await allowance(entry)).toBe(0n)
    expect((await positionOf(entry))?.principal).toBe(9000000n)
  })
})

describe('refusals of a market', () => {
  test('a paused reserve is STRATEGY_PAUSED for deposits and withdrawals', async () => {
    for (const slug of pausedSlugs) {
      expect(await codeOf(lend(named(slug), 1000n))).toBe('STRATEGY_PAUSED')
      expect(await codeOf(withdraw(named(slug), maxUint256))).toBe('STRATEGY_PAUSED')
    }
    const entry = named('aave-v3-usdc-sandbox-one')
    await deposit(entry)
    await setReserve(entry, 'function setReservePause(address,bool)', true)
    expect(await codeOf(lend(entry, 1000n))).toBe('STRATEGY_PAUSED')
    expect(await codeOf(withdraw(entry, 1000n))).toBe('STRATEGY_PAUSED')
    expect(await codeOf(lend(named('sandbox-vault-usdc-sandbox-one'), 1000n))).toBe('STRATEGY_PAUSED')
    expect((await engineOn(sandbox).service.getStrategy({ id: entry.slug })).actions).toEqual([])
  })

  test('a frozen reserve refuses deposits and pays a full withdrawal', async () => {
    const entry = named('aave-v3-usdc-sandbox-one')
    await deposit(entry)
    await setReserve(entry, 'function setReserveFreeze(address,bool)', true)
    expect(await codeOf(lend(entry, 1000n))).toBe('STRATEGY_PAUSED')
    expect((await engineOn(sandbox).service.getStrategy({ id: entry.slug })).actions).toEqual(['withdraw'])
    await perform(sandbox, wallet, (await withdraw(entry, maxUint256)).bytecode)
    expect(await sharesOf(entry)).toBe(0n)
  })

  test('a paused vault refuses deposits and pays a full withdrawal', async () => {
    const entry = named('sandbox-staking-weth-sandbox-one')
    await deposit(entry)
    await configure(entry, targetOf(entry), calldata('function setPaused(bool)', [true]))
    expect(await codeOf(lend(entry, 1000n))).toBe('STRATEGY_PAUSED')
    expect((await engineOn(sandbox).service.getStrategy({ id: entry.slug })).paused).toBe(true)
    await perform(sandbox, wallet, (await withdraw(entry, maxUint256)).bytecode)
    expect(await sharesOf(entry)).toBe(0n)
  })

  test('a deposit above the cap of a reserve is STRATEGY_CAP_REACHED, and one below it is accepted', async () => {
    const entry = named('aave-v3-usdc-sandbox-one')
    await deposit(entry)
    const supplied = BigInt(
      await sandbox.call(entry.chainId, entry.receipt.address, 'function totalSupply() view'),
    )
    // The reserve's own share counts, too, and is far below a thousand.
    await setReserve(entry, 'function setSupplyCap(address,uint256)', supplied / 1_000000n + 1_000n)
    expect(await codeOf(lend(entry, 1_001_000000n))).toBe('STRATEGY_CAP_REACHED')
    await deposit(entry, 90_000000n)
    await setReserve(entry, 'function setSupplyCap(address,uint256)', 1n)
    expect(await codeOf(lend(entry, 1n))).toBe('STRATEGY_CAP_REACHED')
  })

  test('a deposit above the cap of a vault is STRATEGY_CAP_REACHED, and the recommendation states the capacity', async () => {
    const entry = named('sandbox-vault-usdc-sandbox-one')
    expect(await codeOf(lend(entry, 1_600_000_000000n))).toBe('STRATEGY_CAP_REACHED')
    const words = 'function totalAssets() view returns (uint256)'
    const assets = BigInt(await sandbox.call(entry.chainId, targetOf(entry), words))
    await configure(entry, targetOf(entry), calldata('function setCap(uint256)', [assets + 10_000000n]))
    expect(await codeOf(lend(entry, 11_000000n))).toBe('STRATEGY_CAP_REACHED')
    // Interest counts towards the cap. If no other strategy fits, the error of the recommendation states how much this one takes.
    const only = engineOn(sandbox, { catalog: { ...sandbox.world.catalog(), strategies: [entry] } }).service
    await expect(only.recommend({ identifier: 'usdc', wallet, amount: 11_000000n })).rejects.toThrow(
      new RegExp(`has enough capacity: ${entry.slug} accepts at most (10|9\\.9+\\d*) USDC more`),
    )
    await deposit(entry, 9_000000n)
  })

  test.each(each(everyFamily))(
    '%s: a withdrawal above the balance is INSUFFICIENT_FUNDS',
    async (_, entry) => {
      expect(await codeOf(withdraw(entry, maxUint256))).toBe('INSUFFICIENT_FUNDS')
      expect(await codeOf(withdraw(entry, 1n))).toBe('INSUFFICIENT_FUNDS')
      await deposit(entry)
      expect(await codeOf(withdraw(entry, sum(entry) * 2n))).toBe('INSUFFICIENT_FUNDS')
      expect(await codeOf(withdraw(entry, maxUint256 - 1n))).toBe('INSUFFICIENT_FUNDS')
    },
  )

  test.each(each(families))(
    '%s: a withdrawal above the idle liquidity is INSUFFICIENT_LIQUIDITY',
    async (_, entry) => {
      await deposit(entry, 1000_000000n)
      const { aToken } = backingOf(entry)
      const idle = await sandbox.balanceOf(entry.chainId, entry.asset.address, aToken)
      await configure(
        entry,
        entry.asset.address,
        calldata('function transfer(address,uint256)', [stranger, idle - 400_000000n]),
        aToken,
      )
      expect(await codeOf(withdraw(entry, 500_000000n))).toBe('INSUFFICIENT_LIQUIDITY')
      expect(await codeOf(withdraw(entry, maxUint256))).toBe('INSUFFICIENT_LIQUIDITY')
      await perform(sandbox, wallet, (await withdraw(entry, 300_000000n)).bytecode)
    },
  )

  test('an amount of zero is VALIDATION_ERROR with its path', async () => {
    const refusal = await lend(families[0]!, 0n).catch((error: unknown) => error)
    expect(refusal).toMatchObject({ code: 'VALIDATION_ERROR', details: { errors: [{ path: 'amount' }] } })
  })
})

describe.each(each(everyFamily))('position and history in %s', (_, entry) => {
  const amount = sum(entry) * 2n

  test('add up over deposits, withdrawals, time, and a new deposit after a full withdrawal', async () => {
    await deposit(entry, amount)
    await sandbox.world.warp(40 * 86_400)
    await deposit(entry, amount / 2n)
    const grown = (await positionOf(entry))!
    const worth = await worthOf(entry, await sharesOf(entry))
    expect(grown).toMatchObject({
      balance: worth,
      principal: amount + amount / 2n,
      profit: worth - amount - amount / 2n,
    })
    expect(grown.profit).toBeGreaterThan(0n)

    await perform(sandbox, wallet, (await withdraw(entry, amount / 4n)).bytecode)
    const less = (await positionOf(entry))!
    expect(less.principal).toBe(amount + amount / 2n - amount / 4n)

    await perform(sandbox, wallet, (await withdraw(entry, maxUint256)).bytecode)
    expect(await positionOf(entry)).toBeUndefined()
    await deposit(entry, amount / 5n)
    const again = (await positionOf(entry))!
    expect(again.principal).toBe(amount / 5n)
    const rounding = again.profit! < 0n ? -again.profit! : again.profit!
    expect(rounding).toBeLessThan(amount / 10n ** 6n + 3n)
    expect((await historyOf(entry)).map(({ type }) => type)).toEqual([
      'deposit',
      'withdraw',
      'withdraw',
      'deposit',
      'deposit',
    ])
  })

  test('count shares that were sent and received', async () => {
    // After a year, a share and a unit have different values.
    await sandbox.world.warp(365 * 86_400)
    await deposit(entry, amount)
    const shares = await sharesOf(entry)
    const given = shares / 4n
    const worth = await worthOf(entry, given)
    const data = calldata('function transfer(address,uint256)', [stranger, given])
    const receipt = await sandbox.sendAs(entry.chainId, wallet, { to: entry.receipt.address, data })
    expect(receipt.status).toBe('0x1')

    const [mine, theirs] = [(await positionOf(entry))!, (await positionOf(entry, stranger))!]
    expect((await historyOf(entry)).map(({ type }) => type)).toEqual(['transfer_out', 'deposit'])
    const [got] = await historyOf(entry, stranger)
    expect(got).toMatchObject({ type: 'transfer_in', txHash: receipt.transactionHash, status: 'confirmed' })
    const off = (a: bigint, b: bigint) => (a > b ? a - b : b - a)
    const dust = amount / 10n ** 6n + 3n
    expect(off(got!.amount, worth)).toBeLessThan(dust)
    expect(off(mine.principal!, amount - worth)).toBeLessThan(dust)
    expect(off(theirs.principal!, worth)).toBeLessThan(dust)
    expect(theirs.balance).toBe(await worthOf(entry, await sharesOf(entry, stranger)))

    await perform(sandbox, stranger, (await withdraw(entry, maxUint256, stranger)).bytecode)
    expect(await sharesOf(entry, stranger)).toBe(0n)
    expect(await positionOf(entry, stranger)).toBeUndefined()
  })

  test('have a USD value at the price of the oracle', async () => {
    await deposit(entry, amount)
    const { balance, balanceUsd } = (await positionOf(entry))!
    const oracle = sandbox.world.catalog().priceOracles[entry.chainId]!
    const price = BigInt(
      await sandbox.call(entry.chainId, oracle, 'function getAssetPrice(address) view', [
        entry.asset.address,
      ]),
    )
    expect(Number(balanceUsd)).toBeCloseTo(
      Number((balance! * price) / 10n ** BigInt(entry.asset.decimals)) / 1e8,
      6,
    )
    const { totalValueUsd } = await engineOn(sandbox).service.getWallet({ address: wallet })
    expect(totalValueUsd).toBe(balanceUsd)
  })
})

test('history is paged, newest first, with the times of the blocks', async () => {
  const entry = named('aave-v3-usdc-sandbox-one')
  for (const times of [1n, 2n, 3n]) await deposit(entry, times * 1_000000n)
  const { service } = engineOn(sandbox)
  const ask = { address: wallet, strategyId: entry.slug, limit: 2 }
  const [first, second] = [
    await service.walletHistory({ ...ask, page: 1 }),
    await service.walletHistory({ ...ask, page: 2 }),
  ]
  expect(first).toMatchObject({ page: 1, limit: 2, total: 3, hasMore: true })
  expect(second).toMatchObject({ page: 2, limit: 2, total: 3, hasMore: false })
  expect([...first.items, ...second.items].map(({ amount }) => amount)).toEqual([
    3000000n,
    2000000n,
    1000000n,
  ])
  const { rpc } = sandbox.chain(entry.chainId)
  for (const { txHash, timestamp } of first.items) {
    const { blockNumber } = await rpc.request<{ blockNumber: Hex }>('eth_getTransactionReceipt', [txHash])
    const block = await rpc.request<{ timestamp: Hex }>('eth_getBlockByNumber', [blockNumber, false])
    expect(timestamp).toBe(new Date(Number(block.timestamp) * 1000).toISOString())
  }
})

test('interest above the withdrawn amount does not turn a withdrawal into a deposit', async () => {
  const entry = named('aave-v3-usdc-sandbox-one')
  await deposit(entry, 10_000_000000n)
  await sandbox.world.warp(365 * 86_400)
  await perform(sandbox, wallet, (await withdraw(entry, 1_000000n)).bytecode)
  expect((await historyOf(entry))[0]).toMatchObject({ type: 'withdraw', amount: 1_000000n })
  expect((await positionOf(entry))!.principal).toBe(10_000_000000n - 1_000000n)
})
