import { beforeEach, describe, expect, test } from 'vitest'
import { openChain } from '../../src/chain/network-client.ts'
import { marketFaults } from '../../src/engine/catalog-checks/contract-check.ts'
import type { Catalog, StrategyEntry } from '../../src/protocols/catalog-types.ts'
import { compoundV2 } from '../../src/protocols/compound-v2/market-adapter.ts'
import { sandboxAddress } from '../../src/sandbox/accounts.ts'
import { deposited } from '../support/contracts/deposit-brings-its-worth.ts'
import { useCommands } from '../support/use-commands.ts'
import { calldata, useSandbox } from '../support/use-sandbox.ts'
import { blocksADay, deployVenus, type Venus } from './fixtures/venus.ts'

// The core pool of Venus with its own bytecode. Only its prices and its access control are ours.
const sandbox = useSandbox()
const chainId = 31337
const wallet = sandbox.user.address
const ether = 10n ** 18n

let venus: Venus
beforeEach(async () => {
  venus = await deployVenus(sandbox, chainId)
})
const catalog = (): Catalog => {
  const known = sandbox.world.catalog()
  return { ...known, strategies: [...known.strategies, ...venus.entries] }
}
const { run, signsNothing } = useCommands(sandbox, { catalog })

const entryOf = (slug: string): StrategyEntry => venus.entries.find((entry) => entry.slug === slug)!
const marketOf = (slug: string) => entryOf(slug).receipt.address
const shares = (slug: string) => sandbox.balanceOf(chainId, marketOf(slug), wallet)
const said = async (slug: string, signature: string, args: readonly unknown[] = []) =>
  BigInt(await sandbox.call(chainId, marketOf(slug), signature, args))
/** The exchange rate of the receipt with the interest of the current block, from the market. */
const price = (slug: string) => said(slug, 'function exchangeRateCurrent()')
const done = async (line: string) => {
  const ran = await run(`${line} --yes --json`)
  expect(ran.err + ran.out).toMatch(ran.exit === 0 ? /./ : /^$/)
  return ran.json
}
const position = async (slug: string) =>
  (await run('wallet show --json')).json.positions.find(
    ({ strategy }: { strategy: { slug: string } }) => strategy.slug === slug,
  )
const assetOf = (slug: string) =>
  slug.startsWith('venus-usdc')
    ? sandbox.balanceOf(chainId, entryOf(slug).asset.address, wallet)
    : sandbox.nativeBalanceOf(chainId, wallet)
/** Lets this many days pass, with one accrual in the last block of each. */
const daysPass = async (slug: string, days: number) => {
  const { rpc } = sandbox.chain(chainId)
  const apart = `0x${(86_400 / blocksADay).toString(16)}`
  for (let day = 0; day < days; day++) {
    await rpc.request('anvil_mine', [`0x${(blocksADay - 1).toString(16)}`, apart])
    await rpc.request('evm_increaseTime', [apart])
    await send(sandboxAddress(2), slug, 'function accrueInterest()')
  }
}
const send = async (from: `0x${string}`, slug: string, signature: string, args: readonly unknown[] = []) => {
  const receipt = await sandbox.sendAs(chainId, from, { to: marketOf(slug), data: calldata(signature, args) })
  expect(receipt.status).toBe('0x1')
}
const configure = async (signature: string, args: readonly unknown[]) => {
  const data = calldata(signature, args)
  const receipt = await sandbox.sendAs(chainId, sandboxAddress(0), { to: venus.comptroller, data })
  expect(receipt.status).toBe('0x1')
}
const approve = (token: `0x${string}`, spender: `0x${string}`, amount: bigint) =>
  sandbox.sendAs(chainId, wallet, {
    to: token,
    data: calldata('function approve(address,uint256)', [spender, amount]),
  })
describe.each([
  ['venus-usdc-sandbox-one', '1234.567891', 1_234_567_891n],
  ['venus-eth-sandbox-one', '3.000000000000000007', 3n * ether + 7n],
])('%s with the bytecode of Venus', (slug, typed, amount) => {
  test('accepts a deposit, then a partial and a full withdrawal that leaves no receipt', async () => {
    const before = await assetOf(slug)
    await done(`deposit ${slug} --amount ${typed}`)
    const held = await shares(slug)
    expect(held).toBeGreaterThan(0n)
    // Interest since the last touch is not in storage yet.
    const stored = await said(slug, 'function exchangeRateStored() view')
    await sandbox.chain(chainId).rpc.request('anvil_mine', ['0x9'])
    expect(await price(slug)).toBeGreaterThan(stored)
    const shown = await position(slug)
    expect(BigInt(shown.balance.raw)).toBe((held * (await price(slug))) / ether)
    const { strategy } = shown
    expect([strategy.slug, strategy.paused]).toEqual([slug, false])

    const third = `${Number(typed) / 4}`.slice(0, 6)
    const { amounts } = await done(`withdraw ${slug} --amount ${third}`)
    expect(Number(amounts.out.formatted)).toBeCloseTo(Number(third), 6)
    const max = await done(`withdraw ${slug} --amount max`)
    // No log has the amount of native coin; it is the difference of the wallet's balance.
    expect(Number(max.amounts.out.formatted)).toBeCloseTo(Number(typed) - Number(third), 1)
    expect(await shares(slug)).toBe(0n)
    expect(await position(slug)).toBeUndefined()
    const cost = before - (await assetOf(slug))
    // For the native coin, gas was paid too.
    expect(Number(cost) / Number(amount)).toBeLessThan(1e-3)
    const history = (await run(`history ${slug} --json`)).json.items
    expect(history.map(({ type }: { type: string }) => type)).toEqual(['withdraw', 'withdraw', 'deposit'])
  })

  test('is refused by the guard when a simulated deposit delivers less than its worth', async () => {
    await sandbox.chain(chainId).rpc.request('anvil_mine', ['0x9'])
    const tried = await deposited(sandbox, { catalog: catalog(), entry: entryOf(slug), amount })
    expect(tried).toEqual({ whole: undefined, part: 'POLICY_SIMULATION' })
  })

  test('states its rate per block, compounded once a day', async () => {
    await daysPass(slug, 8)
    const aDay = (Number(await said(slug, 'function supplyRatePerBlock() view')) / 1e18) * blocksADay
    const { apy, apyBasis } = (await run(`strategies show ${slug} --json`)).json
    expect([apyBasis, apy > 0.001]).toEqual(['current', true])
    expect(Math.abs(apy - Math.expm1(365 * Math.log1p(aDay)))).toBeLessThan(1e-5)
  })
})

test('the yearly rate doubles at once when the chain produces blocks twice as fast', async () => {
  const slug = 'venus-usdc-sandbox-one'
  await daysPass(slug, 8)
  const before = (await run(`strategies show ${slug} --json`)).json.apy
  const apart = `0x${(43_200 / blocksADay).toString(16)}`
  await sandbox.chain(chainId).rpc.request('anvil_mine', ['0xc', apart])
  const { apy, apyBasis, apyConvention } = (await run(`strategies show ${slug} --json`)).json
  expect(Math.log1p(apy) / Math.log1p(before)).toBeCloseTo(2, 1)
  expect([apyBasis, apyConvention]).toEqual(['current', expect.stringContaining('the rate per block')])
})

test('a full withdrawal delivers the balance less the treasury fee of the comptroller', async () => {
  const slug = 'venus-usdc-sandbox-one'
  await done(`deposit ${slug} --amount 100`)
  const percent = ether / 100n
  const data = calldata('function _setTreasuryData(address,address,uint256)', [
    sandboxAddress(0),
    sandboxAddress(0),
    percent,
  ])
  const receipt = await sandbox.sendAs(chainId, sandboxAddress(0), { to: venus.comptroller, data })
  expect(receipt.status).toBe('0x1')
  const before = await assetOf(slug)
  await done(`withdraw ${slug} --amount max`)
  expect(await shares(slug)).toBe(0n)
  expect(Number((await assetOf(slug)) - before)).toBeCloseTo(99_000_000, -4)
})

test('an action that the comptroller has paused is STRATEGY_PAUSED, and nothing is signed', async () => {
  const slug = 'venus-usdc-sandbox-one'
  const pause = (action: number, isOn: boolean) =>
    configure('function _setActionsPaused(address[],uint8[],bool)', [[marketOf(slug)], [action], isOn])
  const code = async (line: string) =>
    (await signsNothing(() => run(`${line} --yes --json`))).json.error?.code
  await done(`deposit ${slug} --amount 100`)
  await pause(0, true)
  expect(await code(`deposit ${slug} --amount 1`)).toBe('STRATEGY_PAUSED')
  await pause(0, false)
  await pause(1, true)
  expect(await code(`withdraw ${slug} --amount 1`)).toBe('STRATEGY_PAUSED')
  await pause(1, false)
})

test.each([
  ['venus-usdc-sandbox-one', '--amount 1000000', '1', 'function mint(uint256)'],
  ['venus-eth-sandbox-one', '--amount 900', '0.1', 'function mint()'],
])(
  '%s accepts deposits up to its supply cap and none above it; a cap of zero stops deposits',
  async (slug, much, little, signature) => {
    const { asset } = entryOf(slug)
    const isCoin = signature === 'function mint()'
    const cap = (most: bigint) =>
      configure('function setMarketSupplyCaps(address[],uint256[])', [[marketOf(slug)], [most]])
    const failure = async (amount: string) =>
      (await signsNothing(() => run(`deposit ${slug} ${amount} --yes --json`))).json.error
    const inIt =
      (await said(slug, 'function getCash() view')) + (await said(slug, 'function totalBorrows() view'))
    await cap(inIt + 10n ** BigInt(asset.decimals + (isCoin ? 0 : 3)))
    // Interest accrues with each block; no block is mined until both amounts are tried.
    const allow = (amount: bigint) => isCoin || approve(asset.address, marketOf(slug), amount)
    await allow(inIt)
    const { code, details } = await failure(much)
    expect(code).toBe('STRATEGY_CAP_REACHED')
    const room = BigInt(details.headroom)
    expect(room).toBeGreaterThan(0n)
    const tried = (amount: bigint) =>
      sandbox.chain(chainId).rpc.request<string>('eth_call', [
        {
          from: wallet,
          to: marketOf(slug),
          data: calldata(signature, isCoin ? [] : [amount]),
          value: `0x${(isCoin ? amount : 0n).toString(16)}`,
        },
        'latest',
      ])
    // A native-coin market returns nothing, a token market returns 0 for success.
    expect(await tried(room)).toBe(isCoin ? '0x' : `0x${'0'.repeat(64)}`)
    await expect(tried(room + 1n)).rejects.toThrow('market supply cap reached')
    await allow(0n)
    expect((await done(`deposit ${slug} --amount ${little}`)).status).toBe('SUCCESS')

    await cap(0n)
    expect((await failure(`--amount ${little}`)).code).toBe('STRATEGY_CAP_REACHED')
    const { actions, paused } = (await run(`strategies show ${slug} --json`)).json
    expect([actions, paused]).toEqual([['withdraw'], false])
  },
)

test('the contract check passes each market, and reports the constants of the other one', async () => {
  const [network] = sandbox.world.catalog().networks
  const chain = openChain(network!, sandbox.chain(chainId).rpc)
  const [usdc, coin] = ['venus-usdc-sandbox-one', 'venus-eth-sandbox-one'].map(entryOf) as [
    StrategyEntry,
    StrategyEntry,
  ]
  const faults = async (entry: StrategyEntry, change: object = {}) => {
    const constants = { ...entry.constants, ...change }
    if (constants.family !== 'compound-v2') throw new Error('another family')
    const flawed = await marketFaults(chain, [compoundV2({ ...entry, constants }, constants)])
    return flawed.flatMap((one) => one.faults).join()
  }
  for (const entry of [usdc, coin]) expect(await faults(entry)).toBe('')
  expect(await faults(coin, { market: venus.vUsdc })).toMatch(/an asset that is a token returned by/)
  expect(await faults(usdc, { market: venus.vCoin })).toMatch(/the asset of the market is 0x0000/)
  expect(await faults(usdc, { market: sandbox.token(chainId, 'USDC').address })).toMatch(
    /whether the comptroller lists the market is false/,
  )
})
