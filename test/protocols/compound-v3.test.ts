import { join } from 'node:path'
import { concat, toHex } from 'viem/utils'
import { beforeEach, describe, expect, test } from 'vitest'
import type { ChainClient } from '../../src/chain/chain-client.ts'
import type { Address, Hex } from '../../src/domain/address.ts'
import { maxUint256 } from '../../src/domain/amount.ts'
import { AppError } from '../../src/domain/errors.ts'
import { lendingStats } from '../../src/engine/positions/lending-accounts.ts'
import { checkLeg } from '../../src/guard/calldata-against-intent.ts'
import { strictTerms } from '../../src/guard/user-limits-and-exemptions.ts'
import { simulatePlannedLeg } from '../../src/planning/leg-simulation.ts'
import type { Catalog, StrategyEntry } from '../../src/protocols/catalog-types.ts'
import { sandboxAddress } from '../../src/sandbox/accounts.ts'
import { codeSaying } from '../engine/catalog-checks/scripted-contract-code.ts'
import { deployedFrom } from '../support/contracts/compile-contract.ts'
import { deposited } from '../support/contracts/deposit-brings-its-worth.ts'
import { refuses } from '../support/contracts/revert-function.ts'
import { codeOf, engineOn, perform, watched } from '../support/engine.ts'
import { calldata, useSandbox } from '../support/use-sandbox.ts'

// These tests use a contract of ours with the published interface: they show that sluice calls that interface correctly.
const sandbox = useSandbox()
const chainId = 31337
const wallet = sandbox.user.address
const friend = sandboxAddress(2)
const amount = 1_234_567_891n

let comet: Address
let entry: StrategyEntry
let catalog: Catalog
beforeEach(async () => {
  const asset = sandbox.token(chainId, 'USDC')
  comet = await deployedFrom(sandbox, chainId, join(import.meta.dirname, 'contracts/CometLike.sol'), [
    asset.address,
  ])
  entry = {
    ...sandbox.strategy('aave-v3-USDC-sandbox-one'),
    id: 'compound-v3-USDC-sandbox-one',
    slug: 'compound-v3-usdc-sandbox-one',
    receipt: { chainId, address: comet, symbol: 'cUSDCv3', decimals: 6, name: 'cUSDCv3' },
    implementationSelector: 'compound-v3@2',
    constants: { family: 'compound-v3', comet },
  }
  const known = sandbox.world.catalog()
  catalog = { ...known, strategies: [...known.strategies, entry] }
  // Another lender deposits, so that interest can be paid.
  const other = sandboxAddress(3)
  await perform(sandbox, other, [
    {
      to: asset.address,
      data: calldata('function approve(address,uint256)', [comet, 10n ** 12n]),
      value: 0n,
      chainId,
    },
    supplying(10_000_000_000n, other),
  ])
})

const supplying = (much: bigint, who = wallet) => ({
  to: comet,
  data: calldata('function supplyFrom(address,address,address,uint256)', [
    who,
    who,
    entry.asset.address,
    much,
  ]),
  value: 0n,
  chainId,
})
const service = () => engineOn(sandbox, { catalog }).service
const made = async (action: 'lend' | 'withdraw', much: bigint) =>
  (await service().strategyBytecode({ id: entry.slug, action, amount: much, wallet })).bytecode
const held = (who = wallet) => sandbox.balanceOf(chainId, comet, who)
const position = async (who = wallet) =>
  (await service().getWallet({ address: who })).positions.find(({ strategy }) => strategy.id === entry.id)
const set = (utilization: bigint, noSupply = false, noWithdraw = false) =>
  sandbox.sendAs(chainId, wallet, {
    to: comet,
    data: calldata('function set(uint256,bool,bool)', [utilization, noSupply, noWithdraw]),
  })

describe('a Compound v3 market', () => {
  test.each([0n, 5n * 10n ** 17n, 8n * 10n ** 17n, 93n * 10n ** 16n, 10n ** 18n])(
    'at utilization %s states getSupplyRate, compounded every second',
    async (utilization) => {
      await set(utilization)
      const said = BigInt(
        await sandbox.call(chainId, comet, 'function getSupplyRate(uint256) view', [utilization]),
      )
      const { apy } = await service().getStrategy({ id: entry.slug })
      expect(apy! / ((1 + Number(said) / 1e18) ** 31_536_000 - 1)).toBeCloseTo(1, 6)
      expect(apy).toBeGreaterThan(0)
    },
  )

  test('accepts a deposit with an exact approval, grows, and pays a partial and a full withdrawal', async () => {
    const lent = await made('lend', amount)
    expect(lent).toEqual([
      {
        to: entry.asset.address,
        data: calldata('function approve(address,uint256)', [comet, amount]),
        value: 0n,
        chainId,
      },
      supplying(amount),
    ])
    await perform(sandbox, wallet, lent)
    expect(await position()).toMatchObject({ balance: await held(), principal: amount })
    await sandbox.world.warp(30 * 86_400)
    const grown = await held()
    expect(grown).toBeGreaterThan(amount)
    expect(await position()).toMatchObject({ balance: grown, principal: amount, profit: grown - amount })
    await perform(sandbox, wallet, await made('withdraw', amount / 3n))
    expect((await position())!.principal).toBe(amount - amount / 3n)
    const all = await made('withdraw', maxUint256)
    expect(all).toEqual([
      {
        to: comet,
        data: calldata('function withdrawFrom(address,address,address,uint256)', [
          wallet,
          wallet,
          entry.asset.address,
          maxUint256,
        ]),
        value: 0n,
        chainId,
      },
    ])
    await perform(sandbox, wallet, all)
    expect(await held()).toBe(0n)
    const history = await service().walletHistory({ address: wallet, strategyId: entry.slug })
    expect(history.items.map(({ type }) => type)).toEqual(['withdraw', 'withdraw', 'deposit'])
    expect(history.items.slice(1).map((item) => item.amount)).toEqual([amount / 3n, amount])
  })

  test.each([
    ['with old states', true],
    ['without old states', false],
  ])(
    'has the principal of its logs, and a null principal when logs are missing, on a node %s',
    async (_, keeps) => {
      const { rpc } = sandbox.chain(chainId)
      for (let at = 1n; at <= 4n; at++) {
        await perform(sandbox, wallet, await made('lend', amount / 7n + at))
        await sandbox.world.warp(40 * 86_400 + Number(at))
        const data = calldata('function transfer(address,uint256)', [friend, 1_000_003n * at])
        // The balance after a transfer is read at its block, if the node has that state.
        if (keeps) await perform(sandbox, wallet, [{ to: comet, data, value: 0n, chainId }])
      }
      const last = BigInt(await rpc.request<string>('eth_blockNumber'))
      const through = (isLost: boolean) => {
        const all: ChainClient = {
          ...rpc,
          request: async (method, params = []) => {
            if (!keeps && method === 'eth_call' && Number(params[1]) <= Number(last))
              throw new AppError('RPC_ERROR', 'missing trie node')
            return rpc.request(method, params)
          },
          batch: async (calls) => {
            const said = (await rpc.batch(calls)) as { blockNumber: string }[][]
            return said.map((one, at) =>
              isLost && calls[at]![0] === 'eth_getLogs'
                ? one.filter(({ blockNumber }) => BigInt(blockNumber) <= last)
                : one,
            )
          },
        }
        const { service } = engineOn(sandbox, {
          catalog,
          rpc: (id) => (id === chainId ? all : sandbox.chain(id).rpc),
        })
        return service
      }
      await perform(sandbox, wallet, await made('lend', amount))
      const principal = async (isLost: boolean) =>
        (await through(isLost).getWallet({ address: wallet })).positions.find(
          ({ strategy }) => strategy.id === entry.id,
        )!.principal
      expect(await principal(false)).toBeGreaterThan(amount)
      expect(await principal(true)).toBeNull()
    },
  )

  /** Sends these calls in one block, in this order. */
  const inOneBlock = async (...calls: { from?: Address; data: Hex }[]) => {
    const { rpc } = sandbox.chain(chainId)
    await rpc.request('evm_setAutomine', [false])
    const hashes: Hex[] = []
    for (const { from = wallet, data } of calls)
      hashes.push(await rpc.request('eth_sendTransaction', [{ from, to: comet, data, gas: '0xf4240' }]))
    await rpc.request('evm_mine')
    await rpc.request('evm_setAutomine', [true])
    type Receipt = { status: Hex; blockNumber: Hex }
    const receipts = await Promise.all(
      hashes.map((hash) => rpc.request<Receipt>('eth_getTransactionReceipt', [hash])),
    )
    expect(receipts.map(({ status }) => status)).toEqual(calls.map(() => '0x1'))
    expect(new Set(receipts.map(({ blockNumber }) => blockNumber)).size).toBe(1)
  }

  test('reads few old balances for 400 gifts, and has no principal only when the node refuses all reads', async () => {
    const asset = entry.asset.address
    const approve = calldata('function approve(address,uint256)', [comet, maxUint256])
    await sandbox.sendAs(chainId, wallet, { to: asset, data: approve })
    await perform(sandbox, wallet, [supplying(amount)])
    await sandbox.world.warp(300 * 86_400)
    await inOneBlock(...Array.from({ length: 11 }, () => supplying(1_000n)))
    // Another wallet sends tiny amounts, very often.
    const gift = calldata('function transfer(address,uint256)', [wallet, 3n])
    for (let part = 0; part < 40; part++)
      await inOneBlock(...Array.from({ length: 10 }, () => ({ from: sandboxAddress(3), data: gift })))
    const { rpc } = sandbox.chain(chainId)
    const head = await rpc.request<Hex>('eth_blockNumber')
    const shown = async (isTired: false | 'of the past' | 'of all') => {
      const seen = { now: 0, most: 0, all: 0 }
      const refusal = new AppError('RPC_UNREACHABLE', 'HTTP status 429')
      let said: string | undefined
      const counting: ChainClient = {
        ...rpc,
        request: async (method, params = []) => {
          if (method !== 'eth_call' || params[1] === 'latest' || params[1] === head) {
            const isSame = JSON.stringify(params[0]) === said
            if (isTired === 'of all' && seen.all > 5 && isSame) throw refusal
            return rpc.request(method, params)
          }
          said = JSON.stringify(params[0])
          seen.all++
          seen.most = Math.max(seen.most, ++seen.now)
          try {
            if (isTired && seen.all > 5) throw refusal
            return await rpc.request(method, params)
          } finally {
            seen.now--
          }
        },
      }
      const { service } = engineOn(sandbox, {
        catalog,
        rpc: (id) => (id === chainId ? counting : sandbox.chain(id).rpc),
      })
      const { positions } = await service.getWallet({ address: wallet })
      return { ...seen, principal: positions.find(({ strategy }) => strategy.id === entry.id)!.principal }
    }
    const told = await shown(false)
    expect(Number(told.principal! - amount - 11_000n)).toBeCloseTo(1_200, -3)
    expect(told.all).toBeLessThan(30)
    expect(told.most).toBeLessThanOrEqual(8)
    expect(await shown('of the past')).toMatchObject({ principal: told.principal })
    expect(await shown('of all')).toMatchObject({ principal: null })
  })

  test('counts a transfer of receipts in the principal of the sender and of the recipient', async () => {
    await perform(sandbox, wallet, await made('lend', amount))
    const data = calldata('function transfer(address,uint256)', [friend, 1_000_000n])
    await perform(sandbox, wallet, [{ to: comet, data, value: 0n, chainId }])
    const history = await service().walletHistory({ address: wallet, strategyId: entry.slug })
    expect(history.items.map(({ type }) => type)).toEqual(['transfer_out', 'deposit'])
    const [mine, theirs] = [(await position())!.principal!, (await position(friend))!.principal!]
    expect(Number(mine - (amount - 1_000_000n))).toBeCloseTo(0, -1)
    expect(Number(theirs - 1_000_000n)).toBeCloseTo(0, -1)
  })

  const takingOut = (much: bigint) => ({
    data: calldata('function withdrawFrom(address,address,address,uint256)', [
      wallet,
      wallet,
      entry.asset.address,
      much,
    ]),
  })

  test('has an exact principal after any order of withdrawals and deposits in one block', async () => {
    const approve = calldata('function approve(address,uint256)', [comet, maxUint256])
    await perform(sandbox, wallet, await made('lend', amount))
    await sandbox.sendAs(chainId, wallet, { to: entry.asset.address, data: approve })
    const gift = calldata('function transfer(address,uint256)', [wallet, 3n])
    let principal = amount
    const holds = async () => {
      const [is, balance] = [await position(), await held()]
      expect(is).toMatchObject({ principal, profit: balance - principal })
    }
    for (const order of [
      [-1_000_000n, 2_000_001n],
      [7n, -5n, 11n],
      [-400n, -500n, 1n, -600n],
    ]) {
      await sandbox.world.warp(30 * 86_400)
      await inOneBlock(...order.map((much) => (much < 0n ? takingOut(-much) : supplying(much))))
      principal += order.reduce((sum, much) => sum + much, 0n)
      await holds()
    }
    // After a full withdrawal and a deposit in one block, only that deposit counts.
    for (const again of [5_000_003n, 1_000n]) {
      await sandbox.world.warp(30 * 86_400)
      await inOneBlock(takingOut(1_000n), takingOut(maxUint256), supplying(again))
      principal = again
      await holds()
    }
    // The same with a tiny transfer from another wallet.
    await sandbox.world.warp(30 * 86_400)
    await inOneBlock(takingOut(maxUint256), { from: sandboxAddress(3), data: gift })
    expect((await position())!.principal).toBeLessThanOrEqual(3n)
    await perform(sandbox, wallet, [supplying(90_000_000n)])
    await inOneBlock(takingOut(80_000_000n), { from: sandboxAddress(3), data: gift })
    expect(Number((await position())!.principal)).toBeCloseTo(10_000_006, -1)
  })

  test('never borrows: a withdrawal above the position is refused by the engine and by the simulation', async () => {
    await perform(sandbox, wallet, await made('lend', amount))
    expect(await codeOf(made('withdraw', amount * 2n))).toBe('INSUFFICIENT_FUNDS')
    const withdrawing = {
      ...supplying(0n),
      data: calldata('function withdraw(address,uint256)', [entry.asset.address, amount * 2n]),
    }
    const intent = { kind: 'withdraw', wallet, strategy: entry, amount: amount * 2n } as const
    const ground = { rpc: () => sandbox.chain(chainId).rpc, catalog }
    expect(
      await codeOf(simulatePlannedLeg(ground, { chainId, intent, transactions: [withdrawing] }, strictTerms)),
    ).toBe('INSUFFICIENT_FUNDS')
    expect(await sandbox.call(chainId, comet, 'function borrowBalanceOf(address) view', [wallet])).toMatch(
      /^0x0+$/,
    )
  })

  test('says whether deposits or withdrawals are paused, and refuses the paused action', async () => {
    await perform(sandbox, wallet, await made('lend', amount))
    await set(10n ** 17n, true)
    expect((await service().getStrategy({ id: entry.slug })).actions).toEqual(['withdraw'])
    expect(await codeOf(made('lend', 5n))).toBe('STRATEGY_PAUSED')
    expect(await made('withdraw', 5n)).toHaveLength(1)
    await set(10n ** 17n, false, true)
    expect((await service().getStrategy({ id: entry.slug })).actions).toEqual(['lend'])
    expect(await codeOf(made('withdraw', 5n))).toBe('STRATEGY_PAUSED')
  })

  test('builds a deposit that passes the guard, and its simulation shows the requested changes', async () => {
    const intent = { kind: 'deposit', wallet, strategy: entry, amount } as const
    const transactions = await made('lend', amount)
    expect(checkLeg({ intent, chainId, transactions, catalog }).at(-1)!.text).toBe(
      'Supply 1,234.567891 USDC to Compound v3',
    )
    const ground = { rpc: () => sandbox.chain(chainId).rpc, catalog }
    const { changes } = await simulatePlannedLeg(ground, { chainId, intent, transactions }, strictTerms)
    expect(changes.find(({ token }) => token.address === entry.asset.address)?.delta).toBe(-amount)
    expect(changes.find(({ token }) => token.address === comet)?.delta).toBeGreaterThan(amount - 3n)
  })

  test('the guard refuses a deposit that delivers less than its worth minus the debt it repays', async () => {
    const owing = async (owed: bigint) => {
      const borrow = calldata('function withdraw(address,uint256)', [entry.asset.address, owed])
      await sandbox.sendAs(chainId, wallet, { to: comet, data: borrow })
      return deposited(sandbox, { catalog, entry, amount })
    }
    for (const owed of [0n, amount / 3n])
      expect(await owing(owed)).toEqual({ whole: undefined, part: 'POLICY_SIMULATION' })
    // When the whole amount repays debt, nothing is deposited.
    expect((await owing(amount)).whole).toBe('POLICY_SIMULATION')
  })
})

describe('the debt of a wallet to a Compound v3 market', () => {
  const [ethFeed, baseFeed]: Address[] = [
    '0x00000000000000000000000000000000000000e7',
    '0x000000000000000000000000000000000000ba5e',
  ]
  const eth = 10n ** 18n
  const told = (signature: string, args: readonly unknown[]) =>
    sandbox.sendAs(chainId, wallet, { to: comet, data: calldata(signature, args) })
  const statsOf = async () => (await service().getWallet({ address: wallet })).stats
  /** Borrows 3,000 USDC against 2 WETH, with prices in the market's own currency. */
  const owe = async (ethPrice: bigint, basePrice: bigint) => {
    const weth = sandbox.token(chainId, 'WETH')
    await told('function list(address,address,uint64,uint64,uint64)', [
      weth.address,
      ethFeed,
      eth,
      (825n * eth) / 1000n,
      (895n * eth) / 1000n,
    ])
    await told('function setPrice(address,uint256)', [ethFeed, ethPrice])
    await told('function setPrice(address,uint256)', [baseFeed, basePrice])
    const step = (to: Address, signature: string, args: readonly unknown[]) => ({
      to,
      data: calldata(signature, args),
      value: 0n,
      chainId,
    })
    await perform(sandbox, wallet, [
      step(weth.address, 'function approve(address,uint256)', [comet, 2n * eth]),
      step(comet, 'function supply(address,uint256)', [weth.address, 2n * eth]),
      step(comet, 'function withdraw(address,uint256)', [entry.asset.address, 3_000_000_000n]),
    ])
  }

  test('is no part of the position history, which has the deposits only', async () => {
    await owe(3_000n * 10n ** 8n, 10n ** 8n)
    const history = () => service().walletHistory({ address: wallet, strategyId: entry.slug })
    expect((await history()).items).toEqual([])
    await perform(sandbox, wallet, await made('lend', 3_000_000_005n))
    await sandbox.world.warp(86_400)
    expect((await history()).items.map(({ type }) => type)).toEqual(['deposit'])
    expect((await position())!.principal).toBeGreaterThan(0n)
  })

  test('is null before the wallet borrows', async () => {
    expect(await statsOf()).toBeNull()
  })

  test.each([
    ['USD', 3_000n * 10n ** 8n, 10n ** 8n],
    ['a currency in which its base is worth 0.5', 1_500n * 10n ** 8n, 5n * 10n ** 7n],
  ])('is valued in USD by the factors of the market, which counts in %s', async (_, ethPrice, basePrice) => {
    await owe(ethPrice, basePrice)
    await set(9n * 10n ** 17n)
    const stats = (await statsOf())!
    expect(stats.underlying).toMatchObject([
      {
        asset: { symbol: 'WETH' },
        balance: { humanized: '2' },
        balanceUSD: '6000',
        price: '3000',
        liquidationThreshold: 0.895,
      },
    ])
    expect(stats.debt).toMatchObject([
      { asset: { symbol: 'USDC' }, balance: { humanized: '3000' }, balanceUSD: '3000' },
    ])
    const aSecond = 475_646_879n + (1_030_568_239n * 8n) / 10n + 107_813_292_744n / 10n
    expect(stats.debt[0]!.borrowRate as number).toBeCloseTo((Number(aSecond) * 31_536_000) / 1e18, 6)
    expect(stats.healthFactor as number).toBeCloseTo((6_000 * 0.895) / 3_000, 9)
    expect(stats.ltv).toBe(0.5)
    expect(Number(stats.maxBorrowValue)).toBeCloseTo(6_000 * 0.825 - 3_000, 6)
    expect(Number(stats.liquidationPrice)).toBeCloseTo(3_000 / (2 * 0.895), 6)
  })

  test('has collateral without USD value by a feed older than a day, and the health factor of the market', async () => {
    await owe(3_000n * 10n ** 8n, 10n ** 8n)
    const { rpc } = sandbox.chain(chainId)
    const { timestamp } = await rpc.request<{ timestamp: Hex }>('eth_getBlockByNumber', ['latest', false])
    const round = [1n, 1n, 0n, BigInt(timestamp) - 27n * 3_600n, 1n]
    const said = concat(round.map((word) => toHex(word, { size: 32 })))
    await rpc.request('anvil_setCode', [
      ethFeed,
      codeSaying(new Map([[calldata('function latestRoundData()', []), said]])),
    ])
    const stats = (await statsOf())!
    expect(stats.underlying).toMatchObject([{ price: null, balanceUSD: null }])
    expect(stats.healthFactor as number).toBeCloseTo((6_000 * 0.895) / 3_000, 9)
  })

  test('has no USD value by a base price older than a day, and the health factor of the market', async () => {
    await owe(3_000n * 10n ** 8n, 10n ** 8n)
    const { rpc } = sandbox.chain(chainId)
    const { timestamp } = await rpc.request<{ timestamp: Hex }>('eth_getBlockByNumber', ['latest', false])
    const words = (...values: bigint[]) => concat(values.map((value) => toHex(value, { size: 32 })))
    const source = sandboxAddress(4)
    const said = new Map([
      [calldata('function latestAnswer()', []), words(10n ** 8n)],
      [
        calldata('function latestRoundData()', []),
        words(1n, 10n ** 8n, 0n, BigInt(timestamp) - 27n * 3_600n, 1n),
      ],
    ])
    await rpc.request('anvil_setCode', [source, codeSaying(said)])
    await sandbox.sendAs(chainId, sandboxAddress(0), {
      to: catalog.priceOracles[chainId]!,
      data: calldata('function setAssetSources(address[],address[])', [[entry.asset.address], [source]]),
    })
    const stats = (await statsOf())!
    expect(stats).toMatchObject({
      underlying: [{ price: null, balanceUSD: null }],
      debt: [{ balance: { humanized: '3000' }, balanceUSD: null }],
      ltv: 0.5,
      unread: [],
    })
    expect(stats.healthFactor as number).toBeCloseTo((6_000 * 0.895) / 3_000, 9)
  })

  test('follows changed collaterals, factors and feeds within one engine, with one call per read', async () => {
    await owe(3_000n * 10n ** 8n, 10n ** 8n)
    const said: string[] = []
    const { context } = engineOn(sandbox, {
      catalog: { ...catalog, strategies: [entry] },
      rpc: (id) => watched(sandbox.chain(id).rpc, said),
    })
    const now = async () => lendingStats(context.catalog, await context.lendingAccounts(wallet, 31337))!
    expect((await now()).healthFactor).toBeCloseTo((6_000 * 0.895) / 3_000, 9)
    said.length = 0
    await now()
    expect(said).toEqual(['eth_call'])
    // The liquidation factor falls, so the health factor must fall too.
    await told('function amend(uint8,address,uint64,uint64)', [
      0,
      ethFeed,
      (6n * eth) / 10n,
      (7n * eth) / 10n,
    ])
    expect(await now()).toMatchObject({ healthFactor: 1.4, maxBorrowValue: '600' })
    // Another feed prices the collateral.
    const otherFeed: Address = '0x00000000000000000000000000000000000000e8'
    await told('function setPrice(address,uint256)', [otherFeed, 2_500n * 10n ** 8n])
    await told('function amend(uint8,address,uint64,uint64)', [
      0,
      otherFeed,
      (6n * eth) / 10n,
      (7n * eth) / 10n,
    ])
    expect((await now()).healthFactor).toBeCloseTo((5_000 * 0.7) / 3_000, 9)
    // Another collateral is listed.
    const usdt = sandbox.token(chainId, 'USDT')
    await told('function list(address,address,uint64,uint64,uint64)', [
      usdt.address,
      baseFeed,
      10n ** 6n,
      (8n * eth) / 10n,
      (9n * eth) / 10n,
    ])
    await sandbox.sendAs(chainId, wallet, {
      to: usdt.address,
      data: calldata('function approve(address,uint256)', [comet, 2_000_000_000n]),
    })
    await told('function supply(address,uint256)', [usdt.address, 2_000_000_000n])
    const { underlying, healthFactor } = await now()
    expect(underlying.map(({ asset }) => asset.symbol)).toEqual(['WETH', 'USDT'])
    expect(healthFactor).toBeCloseTo((5_000 * 0.7 + 2_000 * 0.9) / 3_000, 9)
    said.length = 0
    await now()
    expect(said).toEqual(['eth_call'])
  })

  test('has no USD value and no health factor when no oracle prices its base', async () => {
    await owe(3_000n * 10n ** 8n, 10n ** 8n)
    const nobody = { ...catalog, priceOracles: {} }
    const { stats } = await engineOn(sandbox, { catalog: nobody }).service.getWallet({ address: wallet })
    expect(stats).toMatchObject({ ...owed, underlying: [{ balance: { humanized: '2' }, balanceUSD: null }] })
    expect(stats!.debt[0]!.balanceUSD).toBeNull()
  })

  /** The stats of a known debt in an account that cannot be read completely. */
  const owed = {
    debt: [{ asset: { symbol: 'USDC' }, balance: { humanized: '3000' } }],
    healthFactor: null,
    ltv: null,
    liquidationPrice: null,
    maxBorrowValue: null,
    unread: [{ protocol: 'aave-v3', network: 'sandbox-one' }],
  }

  test.each([
    ['the price of the collateral', 'getPrice(address)', [{ balanceUSD: null, price: null }]],
    ['the collateral balance', 'collateralBalanceOf(address,address)', []],
    ['the list of collaterals', 'getAssetInfo(uint8)', []],
    ['the price feed of its base', 'baseTokenPriceFeed()', []],
  ])('stays in the stats when the market does not return %s', async (_, signature, underlying) => {
    await owe(3_000n * 10n ** 8n, 10n ** 8n)
    await refuses(sandbox, chainId, comet, `function ${signature}`)
    expect(await statsOf()).toMatchObject({ ...owed, underlying })
  })

  test('is null for a wallet without a position when the market returns no prices', async () => {
    await owe(3_000n * 10n ** 8n, 10n ** 8n)
    const { service: other } = engineOn(sandbox, { catalog })
    await refuses(sandbox, chainId, comet, 'function getPrice(address)')
    expect((await other.getWallet({ address: friend })).stats).toBeNull()
  })
})
