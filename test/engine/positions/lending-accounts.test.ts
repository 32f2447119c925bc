import {
  concat,
  decodeFunctionResult,
  encodeAbiParameters,
  parseAbi,
  toFunctionSelector,
  toHex,
} from 'viem/utils'
import { describe, expect, test } from 'vitest'
import type { Stats } from '../../../src/api/wallet-positions.ts'
import type { Address, Hex } from '../../../src/domain/address.ts'
import type { EngineContext } from '../../../src/engine/engine.ts'
import { lendingStats } from '../../../src/engine/positions/lending-accounts.ts'
import type { AaveV3Constants } from '../../../src/protocols/aave-v3/constants-schema.ts'
import type { Catalog } from '../../../src/protocols/catalog-types.ts'
import { sandboxAddress } from '../../../src/sandbox/accounts.ts'
import { ownContract } from '../../../src/sandbox/genesis/artifacts.ts'
import { speaks } from '../../support/contracts/override-answer.ts'
import { refuses } from '../../support/contracts/revert-function.ts'
import { aroundReads, engineOn, over, perform, watched } from '../../support/engine.ts'
import { useCommands } from '../../support/use-commands.ts'
import { calldata, useSandbox } from '../../support/use-sandbox.ts'
import { codeSaying } from '../catalog-checks/scripted-contract-code.ts'

const sandbox = useSandbox()
const { run } = useCommands(sandbox)
const wallet = sandbox.user.address
const owner = sandboxAddress(0)
const chainId = 31337
const token = (symbol: string, chain = chainId) => sandbox.token(chain, symbol).address
const constants = (chain = chainId) =>
  sandbox.strategy(`aave-v3-USDC-${chain === chainId ? 'sandbox-one' : 'sandbox-two'}`)
    .constants as AaveV3Constants
const accountAbi = parseAbi([
  'function getUserAccountData(address) view returns (uint256 collateral, uint256 debt, uint256 available, uint256 threshold, uint256 ltv, uint256 health)',
])

/** The catalogue without the Aave strategies of an asset, which the pools still list. */
function withoutStrategiesOf(symbol: string): Catalog {
  const { strategies, ...rest } = sandbox.world.catalog()
  const isOther = ({ constants, asset }: (typeof strategies)[number]) =>
    constants.family !== 'aave-v3' || asset.symbol !== symbol
  return { ...rest, strategies: strategies.filter(isOther) }
}

/** The account data of the pool, by a raw read. */
async function counted(who: Address, chain = chainId) {
  const data = await sandbox.call(chain, constants(chain).pool, 'function getUserAccountData(address)', [who])
  const [collateral, debt, available, threshold, ltv, health] = decodeFunctionResult({
    abi: accountAbi,
    functionName: 'getUserAccountData',
    data,
  })
  return { collateral, debt, available, threshold, ltv, health }
}

const send = async (
  from: Address,
  to: Address,
  signature: string,
  args: readonly unknown[],
  chain = chainId,
) => perform(sandbox, from, [{ to, data: calldata(signature, args), value: 0n, chainId: chain }])
async function supply(symbol: string, amount: bigint, chain = chainId) {
  const { pool } = constants(chain)
  await send(wallet, token(symbol, chain), 'function approve(address,uint256)', [pool, amount], chain)
  const args = [token(symbol, chain), amount, wallet, 0]
  await send(wallet, pool, 'function supply(address,uint256,address,uint16)', args, chain)
}
/** Borrows at the variable rate, directly from the pool: sluice builds no such transaction. */
const borrow = (symbol: string, amount: bigint, chain = chainId) =>
  send(
    wallet,
    constants(chain).pool,
    'function borrow(address,uint256,uint256,uint16,address)',
    [token(symbol, chain), amount, 2, 0, wallet],
    chain,
  )

/** Sets the USD price of an asset through a new source of the oracle. */
async function setPrice(symbol: string, price: bigint) {
  const { rpc } = sandbox.chain(chainId)
  const source = sandboxAddress(4)
  // PUSH32 price, PUSH0 MSTORE, return the word: an aggregator that answers every call with this price.
  const code: Hex = `0x7f${price.toString(16).padStart(64, '0')}60005260206000f3`
  await rpc.request('anvil_setCode', [source, code])
  const { oracle } = constants()
  await send(owner, oracle, 'function setAssetSources(address[],address[])', [[token(symbol)], [source]])
}

const shown = async () => ({
  out: (await run(`wallet show ${wallet}`)).out,
  json: (await run(`wallet show ${wallet} --json`)).json,
})
const debtToken = async (symbol: string) => {
  const data = await sandbox.call(chainId, constants().pool, 'function getReserveData(address)', [
    token(symbol),
  ])
  return `0x${data.slice(2 + 10 * 64 + 24, 2 + 11 * 64)}` as Address
}
const statsOf = async (who = wallet): Promise<Stats> => {
  const { stats } = await engineOn(sandbox).service.getWallet({ address: who })
  expect(stats).not.toBeNull()
  return stats!
}
/** Decimal text with at most 8 decimals, in units of 1e-8. */
const units = (text: unknown): bigint => {
  const [, sign, whole, rest = ''] = /^(-?)(\d+)(?:\.(\d{1,8}))?$/.exec(String(text))!
  return BigInt(`${sign}${whole}${rest.padEnd(8, '0')}`)
}
const near = (a: number, b: number) => expect(a / b).toBeCloseTo(1, 9)
/** For values that interest changes between two blocks. */
const nearOne = (a: number) => expect(a).toBeCloseTo(1, 6)
const eth = 10n ** 18n

/** The lending stats of the wallet on both chains. */
const lent = async ({ lendingAccounts, catalog }: EngineContext) =>
  lendingStats(
    catalog,
    (await Promise.all([lendingAccounts(wallet, 31337), lendingAccounts(wallet, 31338)])).flat(),
  )

describe('the lending stats of a wallet', () => {
  test('are null without a loan, and when the only deposit is no collateral', async () => {
    const { service } = engineOn(sandbox)
    expect((await service.getWallet({ address: wallet })).stats).toBeNull()
    await supply('USDC', 5_000000n)
    const off = [token('USDC'), false]
    await send(wallet, constants().pool, 'function setUserUseReserveAsCollateral(address,bool)', off)
    const { stats, positions } = await service.getWallet({ address: wallet })
    expect({ stats, positions: positions.length }).toEqual({ stats: null, positions: 1 })
  })

  test('of one collateral and one debt equal the account data of the pool', async () => {
    await supply('WETH', 5n * eth)
    await borrow('USDC', 6_000_123456n)
    const [stats, pool] = [await statsOf(), await counted(wallet)]
    expect(stats.underlying).toEqual([
      {
        asset: { address: token('WETH'), decimals: 18, symbol: 'WETH', name: 'Wrapped Ether' },
        // One second of interest may have accrued.
        balance: { raw: expect.stringMatching(/^50{8}\d{10}$/), humanized: expect.any(String), decimals: 18 },
        balanceUSD: expect.stringMatching(/^15000(\.0000\d*)?$/),
        price: '3000',
        liquidationThreshold: 0.8,
      },
    ])
    expect(units(stats.underlying[0]!.balanceUSD)).toBe(pool.collateral)
    expect(stats.debt).toMatchObject([
      {
        asset: { address: token('USDC'), symbol: 'USDC', decimals: 6 },
        balance: { raw: '6000123456', humanized: '6000.123456' },
      },
    ])
    expect(units(stats.debt[0]!.balanceUSD)).toBe(pool.debt)
    const data = await sandbox.call(chainId, constants().pool, 'function getReserveData(address)', [
      token('USDC'),
    ])
    expect(stats.debt[0]!.borrowRate).toBe(Number(BigInt(`0x${data.slice(2 + 4 * 64, 2 + 5 * 64)}`)) / 1e27)
    expect(stats.debt[0]!.borrowRate).toBeGreaterThan(0.03)
    near(stats.healthFactor as number, Number(pool.health) / 1e18)
    near(stats.ltv as number, Number(pool.debt) / Number(pool.collateral))
    expect(units(stats.maxBorrowValue)).toBe(pool.available)
  })

  test.each([
    ['that is a position', () => sandbox.world.catalog(), '0'],
    ['that is no position', () => withoutStrategiesOf('WETH'), '15000'],
  ])(
    'of a collateral %s make the total of the wallet: collateral less debt',
    async (_, catalog, collateral) => {
      await supply('WETH', 5n * eth)
      await borrow('USDC', 6_000_123456n)
      const { service } = engineOn(sandbox, { catalog: catalog() })
      const [held, pool] = [await service.getWallet({ address: wallet }), await counted(wallet)]
      expect(units(held.debtUsd)).toBe(pool.debt)
      expect(Number(held.collateralUsd)).toBeCloseTo(Number(collateral), 3)
      // Interest of a second may lie between the two reads.
      expect(Number(held.totalValueUsd)).toBeCloseTo(Number(pool.collateral - pool.debt) / 1e8, 3)
      const { out, json } = await shown()
      expect(json).toMatchObject({
        totalValueUsd: expect.stringMatching(/^8999\./),
        debtUsd: expect.any(String),
      })
      expect(out).toMatch(/total +\$8,999\.8[78].* after \$6,000\.12 of debt/)
    },
  )

  test('have a health factor of 1 at the liquidation price, and above or below it on either side', async () => {
    await supply('WETH', 5n * eth)
    await borrow('USDC', 6_000_123456n)
    const price = units((await statsOf()).liquidationPrice)
    expect(price).toBeLessThan(3_000n * 10n ** 8n)
    await setPrice('WETH', price)
    nearOne(Number((await counted(wallet)).health) / 1e18)
    nearOne((await statsOf()).healthFactor as number)
    await setPrice('WETH', (price * 1001n) / 1000n)
    expect((await counted(wallet)).health).toBeGreaterThan(eth)
    await setPrice('WETH', (price * 999n) / 1000n)
    expect((await counted(wallet)).health).toBeLessThan(eth)
    expect((await statsOf()).healthFactor).toBeLessThan(1)
  })

  test('have no liquidation price for a debt in the collateral only, and the correct one with another debt', async () => {
    await supply('WETH', 5n * eth)
    await borrow('WETH', eth)
    expect((await statsOf()).liquidationPrice).toBeNull()
    await borrow('USDC', 3_000_000000n)
    const stats = await statsOf()
    expect(stats.debt.map(({ asset }) => asset.symbol).toSorted()).toEqual(['USDC', 'WETH'])
    await setPrice('WETH', units(stats.liquidationPrice))
    nearOne(Number((await counted(wallet)).health) / 1e18)
  })

  test('have no liquidation price for several collaterals, and no health factor without a debt', async () => {
    await supply('WETH', eth)
    expect(await statsOf()).toMatchObject({ healthFactor: null, ltv: 0, debt: [], liquidationPrice: null })
    await supply('USDC', 2_000_000000n)
    // A reserve without a strategy in this catalogue.
    await borrow('BRLA', 1_000n * eth)
    const [stats, pool] = [await statsOf(), await counted(wallet)]
    expect(stats.liquidationPrice).toBeNull()
    expect(stats.underlying).toHaveLength(2)
    expect(stats.underlying.reduce((sum, { balanceUSD }) => sum + units(balanceUSD), 0n)).toBe(
      pool.collateral,
    )
    expect(stats.debt).toMatchObject([{ asset: { symbol: 'BRLA' }, balanceUSD: '180' }])
    near(stats.healthFactor as number, Number(pool.health) / 1e18)
    expect(units(stats.maxBorrowValue)).toBe(pool.available)
  })

  test('state by how much too much is borrowed, where the pool states zero', async () => {
    await supply('WETH', eth)
    await borrow('USDC', 2_200_000000n)
    await setPrice('WETH', 2_800n * 10n ** 8n)
    const [stats, pool] = [await statsOf(), await counted(wallet)]
    expect(pool.available).toBe(0n)
    expect(units(stats.maxBorrowValue)).toBe((pool.collateral * pool.ltv) / 10_000n - pool.debt)
    expect(Number(stats.maxBorrowValue)).toBeCloseTo(-100, 1)
  })

  test('state the borrowable amount with the rounding of the pool', async () => {
    await supply('WETH', eth)
    const isUp = async (price: bigint): Promise<boolean> => {
      await setPrice('WETH', price)
      const { collateral, ltv } = await counted(wallet)
      return (collateral * ltv) % 10_000n >= 5_000n
    }
    let price = 3_000n * 10n ** 8n + 1n
    while (!(await isUp(price))) price += 1n
    expect(units((await statsOf()).maxBorrowValue)).toBe((await counted(wallet)).available)
  })

  test('use the e-mode threshold of the account for the collaterals of that e-mode', async () => {
    const { pool } = constants()
    await supply('WETH', 5n * eth)
    await supply('USDC', 1_000_000000n)
    await borrow('USDC', 6_000_123456n)
    const thresholds = async () => (await statsOf()).underlying.map((one) => one.liquidationThreshold)
    const before = await thresholds()
    await enterMode(['WETH', 'USDC'])
    const both = await thresholds()
    expect([before[1], both]).toEqual([0.8, [0.95, 0.95]])
    expect((await counted(wallet)).threshold).toBe(9500n)
    const [stats, pooled] = [await statsOf(), await counted(wallet)]
    near(stats.healthFactor as number, Number(pooled.health) / 1e18)
    expect(units(stats.maxBorrowValue)).toBe(pooled.available)
    // A pool since v3.2 has the e-mode terms and a bitmap of reserve ids, which take precedence over the older fields.
    const says = (terms: Hex | undefined, bitmap: Hex | undefined) =>
      speaks(
        sandbox,
        chainId,
        pool,
        new Map([
          ...(terms
            ? ([[calldata('function getEModeCategoryCollateralConfig(uint8)', [1]), terms]] as const)
            : []),
          ...(bitmap
            ? ([[calldata('function getEModeCategoryCollateralBitmap(uint8)', [1]), bitmap]] as const)
            : []),
        ]),
      )
    const data = await sandbox.call(chainId, pool, 'function getReserveData(address)', [token('WETH')])
    const id = BigInt(`0x${data.slice(2 + 7 * 64, 2 + 8 * 64)}`)
    const words = (...values: bigint[]) => concat(values.map((value) => toHex(value, { size: 32 })))
    const terms = words(9200n, 9400n, 10_100n)
    await says(terms, words(1n << id))
    expect(await thresholds()).toEqual([before[0], 0.94])
    await says(terms, words(0n))
    expect(await thresholds()).toEqual(before)
    await says(undefined, words(1n << id))
    expect(await thresholds()).toEqual([null, null])
  })

  test('have no thresholds when the e-mode cannot be read', async () => {
    await supply('WETH', 5n * eth)
    await refuses(sandbox, chainId, constants().pool, 'function getUserEMode(address)')
    expect((await statsOf()).underlying).toMatchObject([{ liquidationThreshold: null, price: '3000' }])
  })

  test('are listed per chain; in total the health factor is the lowest, and ratios are null', async () => {
    await supply('WETH', 2n * eth)
    await borrow('USDC', 4_000_000000n)
    await supply('WETH', 5n * eth, 31338)
    await borrow('USDT', 1_000_000000n, 31338)
    const [stats, one, two] = [await statsOf(), await counted(wallet), await counted(wallet, 31338)]
    near(stats.healthFactor as number, Number(one.health) / 1e18)
    expect(one.health).toBeLessThan(two.health)
    expect(stats.ltv).toBeNull()
    expect(stats.markets).toHaveLength(2)
    for (const [network, pool] of [
      ['sandbox-one', one],
      ['sandbox-two', two],
    ] as const) {
      const there = stats.markets!.find((market) => market.network === network)!
      near(there.ltv as number, Number(pool.debt) / Number(pool.collateral))
      near(there.healthFactor as number, Number(pool.health) / 1e18)
      expect(units(there.maxBorrowValue)).toBe(pool.available)
      expect(units(there.liquidationPrice)).toBeGreaterThan(0n)
    }
    expect(units(stats.maxBorrowValue)).toBe(one.available + two.available)
    expect(stats.liquidationPrice).toBeNull()
  })

  test('are on the legacy wallet page, and are empty there for a wallet with a vault position only', async () => {
    await supply('WETH', 5n * eth)
    await borrow('USDC', 1_000_000000n)
    const ask = over(engineOn(sandbox).service)
    const older = await ask('GET', `/v1/wallets/${wallet}`)
    expect(Object.keys(older.body).toSorted()).toEqual(['address', 'stats'])
    expect(older.body.stats).toEqual((await ask('GET', `/wallets/${wallet}`)).body.stats)
    expect(Object.keys(older.body.stats).toSorted()).toEqual(
      [
        'debt',
        'healthFactor',
        'liquidationPrice',
        'ltv',
        'markets',
        'maxBorrowValue',
        'underlying',
        'unread',
      ].toSorted(),
    )
    // The vault of this wallet is a position, and no collateral.
    const vault = sandbox.strategy('sandbox-vault-USDC-sandbox-two')
    const query = { action: 'lend', amount: '1000000', wallet: sandboxAddress(3) }
    const { body } = await ask('GET', `/strategies/${vault.slug}/bytecode`, query)
    await perform(sandbox, sandboxAddress(3), body.bytecode)
    expect(await ask('GET', `/v1/wallets/${sandboxAddress(3)}`)).toMatchObject({
      status: 200,
      body: { stats: { underlying: [], debt: [], healthFactor: null } },
    })
  })

  test.each([
    ['the oracle has no price for', 'oracle', 'getAssetPrice(address)', null],
    ['the pool returns no account data for', 'pool', 'getUserAccountData(address)', '1000'],
    ['the pool returns no user configuration for', 'pool', 'getUserConfiguration(address)', '1000'],
  ] as const)('keep a debt that %s, without a health factor', async (_, where, signature, worth) => {
    await supply('WETH', eth)
    await borrow('USDC', 1_000_000000n)
    await supply('USDC', 500_000000n, 31338)
    const place = constants()[where]
    await refuses(sandbox, chainId, place, `function ${signature}`)
    const { service } = engineOn(sandbox)
    const { stats } = await service.getWallet({ address: wallet })
    expect(stats).toMatchObject({
      debt: [{ asset: { symbol: 'USDC' }, balance: { humanized: '1000' }, balanceUSD: worth }],
      healthFactor: null,
      ltv: null,
      liquidationPrice: null,
      maxBorrowValue: null,
      unread: [{ protocol: 'aave-v3', network: 'sandbox-one', address: constants().pool }],
    })
    expect((await over(service)('GET', `/v1/wallets/${wallet}`)).body.stats).toEqual(stats)
    // A wallet without a position there gets no such notice.
    expect((await service.getWallet({ address: sandboxAddress(5) })).stats).toBeNull()
  })

  test.each([
    ['its debt token does not report', async () => [await debtToken('USDC'), 'balanceOf(address)'] as const],
    ['the pool does not list', async () => [constants().pool, 'getReservesList()'] as const],
    [
      'the pool returns no reserve data for',
      async () => [constants().pool, 'getReserveData(address)'] as const,
    ],
  ])('name the market of a debt that %s, until it is readable again', async (_, asked) => {
    await supply('WETH', eth)
    await borrow('USDC', 1_000_000000n)
    const [contract, signature] = await asked()
    const { rpc } = sandbox.chain(chainId)
    const own = await rpc.request<Hex>('eth_getCode', [contract, 'latest'])
    await refuses(sandbox, chainId, contract, `function ${signature}`)
    const { service } = engineOn(sandbox, { catalog: withoutStrategiesOf('USDC') })
    const { stats } = await service.getWallet({ address: wallet })
    expect(stats).toMatchObject({ debt: [], healthFactor: null, ltv: null, maxBorrowValue: null })
    expect(stats!.unread).toMatchObject([{ network: 'sandbox-one', address: constants().pool }])
    await rpc.request('anvil_setCode', [contract, own])
    const again = (await service.getWallet({ address: wallet })).stats
    expect([again!.debt.length, again!.unread]).toEqual([1, []])
    near(again!.healthFactor as number, Number((await counted(wallet)).health) / 1e18)
  })

  test('need no reserve list for assets of the catalogue, and find other debts by that list', async () => {
    await supply('WETH', eth)
    await borrow('USDC', 1_000_000000n)
    const listed: string[] = []
    const debtOf = async (catalog: Catalog) => {
      const rpc = aroundReads(sandbox.chain(chainId).rpc, (_, params) => {
        if (JSON.stringify(params).includes(toFunctionSelector('getReservesList()').slice(2)))
          listed.push('list')
      })
      const { service } = engineOn(sandbox, {
        catalog,
        rpc: (id) => (id === chainId ? rpc : sandbox.chain(id).rpc),
      })
      const { stats } = await service.getWallet({ address: wallet })
      return stats!.debt.map(({ asset }) => asset.symbol)
    }
    expect([await debtOf(sandbox.world.catalog()), listed]).toEqual([['USDC'], []])
    expect([await debtOf(withoutStrategiesOf('USDC')), listed]).toEqual([['USDC'], ['list']])
  })

  test('do not need prices of assets that the account does not have', async () => {
    await supply('WETH', eth)
    await borrow('USDC', 1_000_000000n)
    const before = await statsOf()
    const source = sandboxAddress(4)
    await sandbox.chain(chainId).rpc.request('anvil_setCode', [source, '0x5f5ffd'])
    const args = [[token('BRLA')], [source]]
    await send(owner, constants().oracle, 'function setAssetSources(address[],address[])', args)
    const { healthFactor, unread, debt } = await statsOf()
    nearOne(Number(healthFactor) / Number(before.healthFactor))
    expect([unread, debt.length]).toEqual([[], 1])
  })

  test('have no USD value by a price older than a day, and the health factor of the pool', async () => {
    await supply('WETH', eth)
    await borrow('USDC', 1_000_000000n)
    const { rpc } = sandbox.chain(chainId)
    const { timestamp } = await rpc.request<{ timestamp: Hex }>('eth_getBlockByNumber', ['latest', false])
    const price = encodeAbiParameters([{ type: 'int256' }], [3_000n * 10n ** 8n])
    const source = sandboxAddress(4)
    const renewed = async (ago: bigint) => {
      const round = [1n, 3_000n * 10n ** 8n, 0n, BigInt(timestamp) - ago, 1n]
      const said = new Map([
        [calldata('function latestAnswer()', []), price],
        [calldata('function latestRoundData()', []), concat(round.map((word) => toHex(word, { size: 32 })))],
      ])
      await rpc.request('anvil_setCode', [source, codeSaying(said)])
    }
    await send(owner, constants().oracle, 'function setAssetSources(address[],address[])', [
      [token('WETH')],
      [source],
    ])
    await renewed(60n)
    const fresh = await statsOf()
    expect(fresh.underlying).toMatchObject([{ price: '3000', balanceUSD: expect.stringMatching(/^3000/) }])
    await renewed(27n * 3_600n)
    const old = await statsOf()
    expect(old.underlying).toMatchObject([{ price: null, balanceUSD: null }])
    expect(old.debt).toMatchObject([{ balanceUSD: expect.stringMatching(/^1000/) }])
    nearOne(Number(old.healthFactor) / Number(fresh.healthFactor))
    nearOne(Number(old.liquidationPrice) / Number(fresh.liquidationPrice))
  })

  test('are shown with their unknown parts', async () => {
    await supply('WETH', eth)
    await borrow('USDC', 1_000_000000n)
    await refuses(sandbox, chainId, constants().oracle, 'function getAssetPrice(address)')
    const { out, json } = await shown()
    expect(out).toMatch(/debt +1,000(\.0+)? USDC/)
    expect(out).toMatch(/health factor +-\n/)
    expect(out).toMatch(/not known +aave-v3 on sandbox-one could not be read completely/)
    expect(json.stats).toMatchObject({ healthFactor: null, debt: [{ balanceUsd: null }] })
  })

  test('cost one call per chain, and include a reserve that was listed since', async () => {
    const said: string[] = []
    const { context } = engineOn(sandbox, { rpc: (chain) => watched(sandbox.chain(chain).rpc, said) })
    expect(await lent(context)).toBeNull()
    said.length = 0
    // The price age is cached for a minute.
    await supply('WETH', eth)
    expect((await lent(context))!.underlying).toHaveLength(1)
    expect(said).toEqual(['eth_call', 'eth_call'])
    const fresh = await listed()
    await perform(sandbox, owner, [
      {
        to: fresh,
        data: calldata('function mint(address,uint256)', [wallet, 10n ** 8n]),
        value: 0n,
        chainId,
      },
    ])
    const args = [fresh, 10n ** 8n]
    await send(wallet, fresh, 'function approve(address,uint256)', [constants().pool, args[1]])
    const supplied = [...args, wallet, 0]
    await send(wallet, constants().pool, 'function supply(address,uint256,address,uint16)', supplied)
    const { underlying } = (await lent(context))!
    expect(underlying.map(({ asset }) => asset.symbol)).toEqual(['WETH', 'NEW'])
    expect(underlying[1]).toMatchObject({ balanceUSD: '2', price: '2', liquidationThreshold: 0.8 })
  })
})

/** Creates an e-mode category of these assets and puts the wallet into it. */
async function enterMode(symbols: readonly string[]): Promise<void> {
  const address = async (to: Address, signature: string) =>
    `0x${(await sandbox.call(chainId, to, signature)).slice(26, 66)}` as Address
  const { pool } = constants()
  const provider = await address(pool, 'function ADDRESSES_PROVIDER() view')
  const configurator = await address(provider, 'function getPoolConfigurator() view')
  const terms = [1, 9300, 9500, 10_100, '0x0000000000000000000000000000000000000000', 'alike']
  await send(
    owner,
    configurator,
    'function setEModeCategory(uint8,uint16,uint16,uint16,address,string)',
    terms,
  )
  for (const symbol of symbols)
    await send(owner, configurator, 'function setAssetEModeCategory(address,uint8)', [token(symbol), 1])
  await send(wallet, pool, 'function setUserEMode(uint8)', [1])
}

/** Lists a new token in the pool, at two dollars, with the settings of USDC. */
async function listed(): Promise<Address> {
  const { rpc } = sandbox.chain(chainId)
  const address = async (to: Address, signature: string, args: readonly unknown[] = []) =>
    `0x${(await sandbox.call(chainId, to, signature, args)).slice(26, 66)}` as Address
  const { pool, aToken } = constants()
  const provider = await address(pool, 'function ADDRESSES_PROVIDER() view')
  const configurator = await address(provider, 'function getPoolConfigurator() view')
  const { bytecode } = ownContract('SandboxToken')
  const args = calldata('function x(string,string,uint8)', ['New', 'NEW', 8]).slice(10)
  const hash = await rpc.request<Hex>('eth_sendTransaction', [
    { from: owner, data: `${bytecode}${args}`, gas: '0x4c4b40' },
  ])
  const ask = () => rpc.request<{ contractAddress: Address } | null>('eth_getTransactionReceipt', [hash])
  let made = await ask()
  while (!made) made = await ask()
  const token = made.contractAddress
  const data = await sandbox.call(chainId, pool, 'function getReserveData(address)', [
    sandbox.token(chainId, 'USDC').address,
  ])
  const at = (place: number) => `0x${data.slice(2 + place * 64 + 24, 2 + place * 64 + 64)}` as Address
  const slot = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc'
  const behind = async (proxy: Address) =>
    `0x${(await rpc.request<Hex>('eth_getStorageAt', [proxy, slot, 'latest'])).slice(26)}` as Address
  const tuple =
    '(address,address,address,uint8,address,address,address,address,string,string,string,string,string,string,bytes)'
  const [implementation, stable, variable] = [await behind(aToken), await behind(at(9)), await behind(at(10))]
  const none = '0x0000000000000000000000000000000000000000'
  const names = ['aNew', 'aNEW', 'vNew', 'vNEW', 'sNew', 'sNEW', '0x10']
  const input = [implementation, stable, variable, 8, at(11), token, owner, none, ...names]
  await send(owner, configurator, `function initReserves(${tuple}[])`, [[input]])
  await send(owner, configurator, 'function configureReserveAsCollateral(address,uint256,uint256,uint256)', [
    token,
    7500n,
    8000n,
    10500n,
  ])
  const source = sandboxAddress(4)
  const code = `0x7f${(2n * 10n ** 8n).toString(16).padStart(64, '0')}60005260206000f3`
  await rpc.request('anvil_setCode', [source, code])
  await send(owner, constants().oracle, 'function setAssetSources(address[],address[])', [[token], [source]])
  return token
}
