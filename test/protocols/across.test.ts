import { parseUnits } from 'viem/utils'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Address } from '../../src/domain/address.ts'
import { maxUint256 } from '../../src/domain/amount.ts'
import { acrossYear } from '../../src/protocols/across-pool/market-adapter.ts'
import type { Catalog, StrategyEntry } from '../../src/protocols/catalog-types.ts'
import { sandboxAddress } from '../../src/sandbox/accounts.ts'
import { deposited } from '../support/contracts/deposit-brings-its-worth.ts'
import { engineOn } from '../support/engine.ts'
import { useCommands } from '../support/use-commands.ts'
import { calldata, useSandbox } from '../support/use-sandbox.ts'
import { type Across, deployAcross, hubOf, type Leaf, liveness, spoke } from './fixtures/across.ts'

// The HubPool of Across with its own bytecode. Only the bridge to the other chain is ours, and no bundle is disputed.
const sandbox = useSandbox()
const chainId = 31337
const wallet = sandbox.user.address
const ether = 10n ** 18n
const day = 86_400

let at: Across
beforeEach(async () => {
  at = await deployAcross(sandbox, chainId)
})
const catalog = (): Catalog => {
  const known = sandbox.world.catalog()
  return { ...known, strategies: [...known.strategies, ...at.entries] }
}
const { run, signsNothing } = useCommands(sandbox, { catalog })
const done = async (line: string) => {
  const ran = await run(`${line} --yes --json`)
  expect(ran.err + ran.out).toMatch(ran.exit === 0 ? /./ : /^$/)
  return ran.json
}
const refused = async (line: string) =>
  (await signsNothing(() => run(`${line} --yes --json`))).json.error as { code: string; details: unknown }

const usdc = 'across-usdc-sandbox-one'
const coin = 'across-eth-sandbox-one'
const entryOf = (slug: string): StrategyEntry => at.entries.find((entry) => entry.slug === slug)!
const tokenOf = (slug: string) => (slug === usdc ? at.usdc : at.weth)
const shares = (slug: string, owner = wallet) =>
  sandbox.balanceOf(chainId, entryOf(slug).receipt.address, owner)
/** The price of one LP token, from the pool. */
const price = async (slug: string) =>
  BigInt(await sandbox.call(chainId, at.hubPool, 'function exchangeRateCurrent(address)', [tokenOf(slug)]))
const assetOf = (slug: string) =>
  slug === usdc ? sandbox.balanceOf(chainId, at.usdc, wallet) : sandbox.nativeBalanceOf(chainId, wallet)
const position = async (slug: string) =>
  (await run('wallet show --json')).json.positions.find(
    ({ strategy }: { strategy: { slug: string } }) => strategy.slug === slug,
  )
const pass = (seconds: number) => sandbox.chain(chainId).rpc.request('evm_increaseTime', [seconds])
const now = async () => {
  const { rpc } = sandbox.chain(chainId)
  return Number(
    (await rpc.request<{ timestamp: string }>('eth_getBlockByNumber', ['latest', false])).timestamp,
  )
}
const hub = () => hubOf(sandbox, chainId, at)
/** Lets the rest of a day pass, then executes a bundle with these relay fees. Another wallet touches the pool before and after. */
const bundle = async (leaf: Leaf, passes = day) => {
  const touched = () => hub().lend(leaf.token, 1_000_000n)
  await pass(passes - liveness - 4)
  await hub().propose(leaf)
  await pass(liveness + 1)
  await touched()
  await hub().execute(leaf)
  await touched()
}

describe.each([
  [usdc, '1234.567891', 1_234_567_891n, 3_000_000n],
  [coin, '3.000000000000000007', 3n * ether + 7n, ether / 500n],
])('%s with the bytecode of Across', (slug, typed, amount, fees) => {
  test('accepts a deposit, then a partial and a full withdrawal that leaves no LP token', async () => {
    await bundle({ token: tokenOf(slug), fees })
    await pass(day)
    const before = await assetOf(slug)
    await done(`deposit ${slug} --amount ${typed}`)
    const held = await shares(slug)
    const rate = await price(slug)
    expect(rate).toBeGreaterThan(ether)
    // Fees accrue that no touch has distributed yet.
    await pass(day)
    await sandbox.chain(chainId).rpc.request('evm_mine')
    const grown = await price(slug)
    expect(grown).toBeGreaterThan(rate)
    expect(BigInt((await position(slug)).balance.raw)).toBe((held * grown) / ether)

    const third = `${Number(typed) / 3}`.slice(0, 6)
    const { amounts } = await done(`withdraw ${slug} --amount ${third}`)
    expect(Number(amounts.out.formatted)).toBeCloseTo(Number(third), 6)
    // A transfer to another wallet is no withdrawal.
    const [friend, few] = [sandboxAddress(2), held / 7n]
    const data = calldata('function transfer(address,uint256)', [friend, few])
    await sandbox.sendAs(chainId, wallet, { to: entryOf(slug).receipt.address, data })
    // A transfer from another wallet is no deposit.
    const back = calldata('function transfer(address,uint256)', [wallet, few / 2n])
    const invested = (await position(slug)).principal.raw
    await sandbox.sendAs(chainId, friend, { to: entryOf(slug).receipt.address, data: back })
    const { principal, balance } = await position(slug)
    const gained = BigInt(principal.raw) - BigInt(invested)
    expect(Number(gained) / Number(((few / 2n) * grown) / ether)).toBeCloseTo(1, 6)
    expect(BigInt(balance.raw) > BigInt(principal.raw)).toBe(true)
    await done(`withdraw ${slug} --amount max`)
    expect([await shares(slug), await shares(slug, friend)]).toEqual([0n, few - few / 2n])
    expect(await position(slug)).toBeUndefined()
    const cost = before - (await assetOf(slug)) - ((few - few / 2n) * grown) / ether
    // The deposit earned a little; for the native coin, gas was paid too.
    expect(Math.abs(Number(cost) / Number(amount))).toBeLessThan(1e-3)
    const history = (await run(`history ${slug} --json`)).json.items
    expect(history.map(({ type }: { type: string }) => type)).toEqual([
      'withdraw',
      'transfer_in',
      'transfer_out',
      'withdraw',
      'deposit',
    ])
    expect(history.at(-1).amount.raw).toBe(String(amount))
    // A partial withdrawal delivers at least the requested amount, and at most the interest until it is mined on top.
    const part = parseUnits(third, entryOf(slug).asset.decimals)
    const more = Number(BigInt(history[3].amount.raw) - part)
    expect(more).toBeGreaterThanOrEqual(0)
    expect(more).toBeLessThan(2 + Number(part) * 1e-7)
  })

  test('is refused by the guard when a simulated deposit delivers less than its worth', async () => {
    await bundle({ token: tokenOf(slug), fees })
    const tried = await deposited(sandbox, { catalog: catalog(), entry: entryOf(slug), amount })
    expect(tried).toEqual({ whole: undefined, part: 'POLICY_SIMULATION' })
  })

  test('states realized rates like the current rate: not compounded, over the year of Across', async () => {
    const { service } = engineOn(sandbox, { catalog: { ...catalog(), strategies: [entryOf(slug)] } })
    for (let passed = 0; passed < 3; passed++) await bundle({ token: tokenOf(slug), fees })
    const end = await price(slug)
    const { apy, avgApy, inceptionApy, startDate, rates } = await service.getStrategy({ id: slug })
    // A unit started at a price of one; a market younger than a month is averaged since its start.
    const since = (await now()) - Date.parse(startDate!) / 1000
    expect(since).toBeGreaterThan(2 * day)
    const all = ((Number(end) / Number(ether) - 1) * acrossYear) / since
    for (const paid of [avgApy, inceptionApy]) expect(Math.abs(paid! - all)).toBeLessThan(1e-9)
    // The fees of the last day are part of the fees owed now; the rest is paid later.
    expect([apy! > avgApy!, rates!.days1! > 0]).toEqual([true, true])
    const { at: last, apy: rate } = rates!.points.at(-1)!
    expect(Number.isFinite(rate) && Date.parse(last) <= (await now()) * 1000).toBe(true)
  })
})

test('fees are distributed evenly between touches until none are left, and the APY follows', async () => {
  const apy = async () => {
    const { service } = engineOn(sandbox, { catalog: { ...catalog(), strategies: [entryOf(usdc)] } })
    return (await service.getStrategy({ id: usdc })).apy!
  }
  await bundle({ token: at.usdc, fees: 10_000_000n })
  const paid = await apy()
  await pass(7 * day)
  await sandbox.chain(chainId).rpc.request('evm_mine')
  expect(await apy()).toBeGreaterThan(paid * 0.99)
  // 1.5e-6 per second distributes all of it in 7.7 days (source: HubPool, lpFeeRatePerSecond).
  await pass(day)
  await sandbox.chain(chainId).rpc.request('evm_mine')
  const end = await price(usdc)
  expect(await apy()).toBe(0)
  await pass(day)
  await sandbox.chain(chainId).rpc.request('evm_mine')
  expect(await price(usdc)).toBe(end)
})

test('a withdrawal above the liquidity of the hub is INSUFFICIENT_LIQUIDITY before signing', async () => {
  await done(`deposit ${usdc} --amount 5000`)
  // All but 1,000 of 25,000 are lent out. The next bundle is only proposed, and its bond is in the pool's own token.
  const away = { token: at.usdc, fees: 10_000_000n, sent: 24_000_000_000n }
  await bundle(away)
  await hub().propose({ token: at.usdc, fees: 1n })
  const [own, bond] = [1_002_000_000n, 1_000_000_001n]
  expect(await sandbox.balanceOf(chainId, at.usdc, at.hubPool)).toBe(own + bond)
  const { code, details } = await refused(`withdraw ${usdc} --amount 1500`)
  expect(code).toBe('INSUFFICIENT_LIQUIDITY')
  const { liquidity } = details as { liquidity: string }
  expect(own - BigInt(liquidity)).toBeGreaterThanOrEqual(0n)
  expect(own - BigInt(liquidity)).toBeLessThanOrEqual(2n)
  expect((await refused(`withdraw ${usdc} --amount max`)).code).toBe('INSUFFICIENT_LIQUIDITY')
  // The reported liquidity can be withdrawn, except for what the LP tokens earn meanwhile.
  await done(`withdraw ${usdc} --amount ${(Number(liquidity) - 100) / 1e6}`)
  // The funds return, but the pool has not been touched yet.
  const back = calldata('function transfer(address,uint256)', [at.hubPool, away.sent])
  await sandbox.sendAs(chainId, spoke, { to: at.usdc, data: back })
  await done(`withdraw ${usdc} --amount max`)
  expect(await shares(usdc)).toBe(0n)
})

test('a loss on the bridge lowers the balance, down to zero when everything is lost', async () => {
  await done(`deposit ${usdc} --amount 5000`)
  const before = BigInt((await position(usdc)).balance.raw)
  const loses = (amount: bigint) =>
    hub().govern('function haircutReserves(address,int256)', [at.usdc, amount])
  await loses(10_000_000_000n)
  const after = BigInt((await position(usdc)).balance.raw)
  expect(Number(after) / Number(before)).toBeCloseTo(0.6, 5)
  await loses(15_000_000_000n)
  expect(await price(usdc)).toBe(0n)
  expect((await position(usdc)).balance.raw).toBe('0')
  const { apy, tvlUsd, paused } = (await run(`strategies show ${usdc} --json`)).json
  expect([apy, Number(tvlUsd), paused]).toEqual([0, 0, false])
  expect((await refused(`deposit ${usdc} --amount 1`)).code).toBe('SIMULATION_REVERTED')
})

test('a paused HubPool refuses deposits and withdrawals, and a disabled pool refuses deposits', async () => {
  await done(`deposit ${coin} --amount 2`)
  await hub().govern('function setPaused(bool)', [true])
  const paused = (await run(`strategies show ${coin} --json`)).json
  expect([paused.paused, paused.actions]).toEqual([true, []])
  expect((await refused(`deposit ${coin} --amount 1`)).code).toBe('STRATEGY_PAUSED')
  expect((await refused(`withdraw ${coin} --amount 1`)).code).toBe('STRATEGY_PAUSED')
  await hub().govern('function setPaused(bool)', [false])
  await hub().govern('function disableL1TokenForLiquidityProvision(address)', [at.weth])
  expect((await refused(`deposit ${coin} --amount 1`)).code).toBe('STRATEGY_PAUSED')
  // Nothing was earned: an LP token is worth exactly one, and withdrawing the full amount leaves none.
  expect(await price(coin)).toBe(ether)
  await done(`withdraw ${coin} --amount 2`)
  expect(await shares(coin)).toBe(0n)
})

describe('LP tokens in the AcceleratingDistributor', () => {
  const collector: Address = `0x${'77'.repeat(20)}`
  const friend = sandboxAddress(2)
  const send = async (from: Address, to: Address, signature: string, args: readonly unknown[]) =>
    expect((await sandbox.sendAs(chainId, from, { to, data: calldata(signature, args) })).status).toBe('0x1')
  const staker = (signature: string, args: readonly unknown[], from = wallet) =>
    send(from, at.staking, signature, [entryOf(usdc).receipt.address, ...args])
  const allow = (from = wallet) =>
    send(from, entryOf(usdc).receipt.address, 'function approve(address,uint256)', [at.staking, maxUint256])
  const typesOf = async () =>
    (await run(`history ${usdc} --json`)).json.items.map(({ type }: { type: string }) => type)
  const paidOut = async () =>
    (await run(`history ${usdc} --json`)).json.items.reduce(
      (sum: bigint, { type, amount }: { type: string; amount: { raw: string } }) =>
        type === 'withdraw' ? sum + BigInt(amount.raw) : sum,
      0n,
    )

  test('stay in the position: staking is no withdrawal, no profit pays twice, and withdraw says where they are', async () => {
    await run(`fees set --operator-collector ${collector} --performance-fee-bps 1000 --json`)
    await done(`deposit ${usdc} --amount 1000`)
    await bundle({ token: at.usdc, fees: 300_000_000n })
    await pass(30 * day)
    await hub().lend(at.usdc, 1_000_000n)
    const [held, before] = [await shares(usdc), await position(usdc)]
    expect([before.principal.raw, before.staked]).toEqual(['1000000000', null])
    expect(BigInt(before.profit.raw)).toBeGreaterThan(10_000_000n)
    await allow()
    const part = (held * 3n) / 4n
    await staker('function stake(address,uint256)', [part])
    const partly = await position(usdc)
    expect([partly.balance, partly.principal, partly.profit]).toEqual([
      before.balance,
      before.principal,
      before.profit,
    ])
    expect(partly.staked).toMatchObject({ at: at.staking, shares: String(part) })
    const free = (BigInt(before.balance.raw) - BigInt(partly.staked.amount.raw)) as bigint
    expect(free).toBe(((held - part) * (await price(usdc))) / ether)
    expect((await run('wallet show')).out).toMatch(new RegExp(`staked +[0-9.]+ USDC .*${at.staking}`))
    expect(await typesOf()).toEqual(['deposit'])

    // More than is free is refused, and the refusal says where the rest is.
    const more = (await signsNothing(() => run(`withdraw ${usdc} --amount 900 --yes --json`))).json.error
    expect(more.code).toBe('INSUFFICIENT_FUNDS')
    expect(more.message).toMatch(new RegExp(`are staked at ${at.staking}; unstake them there first`))
    // Everything that is free is paid out, and the rest is named. It returns principal, so it pays no fee.
    const rest = await run(`withdraw ${usdc} --amount max --yes --json`)
    expect([rest.exit, await shares(usdc)]).toEqual([0, 0n])
    expect(rest.err).toMatch(new RegExp(`staked at ${at.staking}`))
    expect(await sandbox.balanceOf(chainId, at.usdc, collector)).toBe(0n)
    const after = await position(usdc)
    expect(BigInt(after.principal.raw)).toBe(1_000_000_000n - (await paidOut()))
    const none = (await signsNothing(() => run(`withdraw ${usdc} --amount max --yes --json`))).json.error
    expect(none.code).toBe('INSUFFICIENT_FUNDS')
    expect(none.message).toMatch(new RegExp(`are staked at ${at.staking}; unstake them there first`))

    await staker('function unstake(address,uint256)', [part])
    const again = await position(usdc)
    expect([again.balance, again.principal, again.staked]).toEqual([after.balance, after.principal, null])
    await done(`withdraw ${usdc} --amount max`)
    expect(await position(usdc)).toBeUndefined()
    expect(await typesOf()).toEqual(['withdraw', 'withdraw', 'deposit'])
    const profit = (await paidOut()) - 1_000_000_000n
    expect(await sandbox.balanceOf(chainId, at.usdc, collector)).toBe(profit / 10n)
  })

  test('that one wallet stakes for another are a transfer, and what is staked alone is a position', async () => {
    await done(`deposit ${usdc} --amount 1000`)
    const few = (await shares(usdc)) / 4n
    await allow()
    await staker('function stakeFor(address,uint256,address)', [few, friend])
    expect(await typesOf()).toEqual(['transfer_out', 'deposit'])
    expect((await position(usdc)).principal.raw).toBe('750000000')
    const theirs = (await run(`wallet show ${friend} --json`)).json.positions
    expect(theirs).toMatchObject([
      {
        balance: { raw: '250000000' },
        principal: { raw: '250000000' },
        staked: { amount: { raw: '250000000' } },
      },
    ])
    // Staked and given away in one transaction: only what is given away leaves.
    const lp = entryOf(usdc).receipt.address
    const [own, given] = [
      calldata('function stake(address,uint256)', [lp, few]),
      calldata('function stakeFor(address,uint256,address)', [lp, few, friend]),
    ]
    await send(wallet, at.staking, 'function multicall(bytes[])', [[given, own]])
    expect(await typesOf()).toEqual(['transfer_out', 'transfer_out', 'deposit'])
    const { principal, balance, staked } = await position(usdc)
    expect([principal.raw, balance.raw, staked.amount.raw]).toEqual(['500000000', '500000000', '250000000'])
  })
})
