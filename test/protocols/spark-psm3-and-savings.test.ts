import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { openChain } from '../../src/chain/network-client.ts'
import type { Address } from '../../src/domain/address.ts'
import { networkNamed } from '../../src/domain/networks.ts'
import { nativeToken } from '../../src/domain/token.ts'
import { marketFaults } from '../../src/engine/catalog-checks/contract-check.ts'
import type { Catalog, StrategyEntry } from '../../src/protocols/catalog-types.ts'
import { marketOf } from '../../src/protocols/registry.ts'
import { sandboxAddress } from '../../src/sandbox/accounts.ts'
import { deployedFrom } from '../support/contracts/compile-contract.ts'
import { deposited } from '../support/contracts/deposit-brings-its-worth.ts'
import { useCommands } from '../support/use-commands.ts'
import { calldata, useSandbox } from '../support/use-sandbox.ts'

// The contracts of these tests are ours with the published interfaces: they show that sluice calls those interfaces correctly.
const sandbox = useSandbox()
const chainId = 31337
const wallet = sandbox.user.address
const ether = 10n ** 18n

let entries: StrategyEntry[] = []
const catalog = (): Catalog => {
  const known = sandbox.world.catalog()
  return { ...known, strategies: [...known.strategies, ...entries] }
}
const { run, signsNothing } = useCommands(sandbox, { catalog })

const entry = (more: Pick<StrategyEntry, 'protocol' | 'asset' | 'receipt' | 'constants'>): StrategyEntry => ({
  ...sandbox.strategy('aave-v3-USDC-sandbox-one'),
  id: `${more.protocol}-${more.asset.symbol}-sandbox-one`,
  slug: `${more.protocol}-${more.asset.symbol.toLowerCase()}-sandbox-one`,
  name: more.protocol,
  category: 'other',
  startDate: null,
  isDefault: false,
  implementationSelector: `${more.constants.family}@1`,
  ...more,
})
const held = (address: Address, symbol: string) => ({ chainId, address, symbol, decimals: 18, name: symbol })
const send = async (from: Address, to: Address, signature: string, args: readonly unknown[], value = 0n) => {
  const data = calldata(signature, args)
  expect((await sandbox.sendAs(chainId, from, { to, data, value })).status).toBe('0x1')
}
const contract = (name: string, args: readonly unknown[]) =>
  deployedFrom(sandbox, chainId, join(import.meta.dirname, `contracts/${name}.sol`), args)
const done = async (line: string) => {
  const ran = await run(`${line} --yes --json`)
  expect(ran.err + ran.out).toMatch(ran.exit === 0 ? /./ : /^$/)
  return ran.json
}
const refused = async (line: string) =>
  (await signsNothing(() => run(`${line} --yes --json`))).json.error.code as string
const position = async (slug: string) =>
  (await run('wallet show --json')).json.positions.find(
    (one: { strategy: { slug: string } }) => one.strategy.slug === slug,
  )
const faults = async (one: StrategyEntry) => {
  const { network, rpc } = sandbox.chain(chainId)
  const flawed = await marketFaults(openChain(networkNamed([network], network.name), rpc), [marketOf(one)])
  return flawed.flatMap((found) => found.faults)
}
const typesOf = async (slug: string) =>
  (await run(`history ${slug} --json`)).json.items.map(({ type }: { type: string }) => type)

let psm: Address
let savings: Address
beforeEach(async () => {
  const usdc = sandbox.token(chainId, 'USDC')
  psm = await contract('PsmLike', [usdc.address])
  const said = await sandbox.call(chainId, psm, 'function susds() view returns (address)')
  const susds = `0x${said.slice(-40)}` as Address
  await send(sandboxAddress(3), usdc.address, 'function transfer(address,uint256)', [psm, 500_000_000n])
  savings = await contract('SavingsXdaiLike', [sandbox.token(chainId, 'WETH').address])
  await sandbox.sendAs(chainId, sandboxAddress(3), { to: savings, value: 10n * ether })
  const coin = nativeToken(networkNamed(sandbox.world.catalog().networks, chainId))
  entries = [
    entry({
      protocol: 'psm',
      asset: usdc,
      receipt: held(susds, 'sUSDS'),
      constants: { family: 'spark-psm3', psm, oracle: psm },
    }),
    entry({
      protocol: 'savings',
      asset: coin,
      receipt: held(savings, 'sDAI'),
      constants: {
        family: 'gnosis-sdai',
        token: savings,
        adapter: savings,
        wrapped: sandbox.token(chainId, 'WETH').address,
      },
    }),
  ]
})

test('sUSDS is bought and sold at the PSM rate, and not sold when that is far below the oracle', async () => {
  const [one] = entries
  const { slug, asset, receipt } = one!
  const usdc = () => sandbox.balanceOf(chainId, asset.address, wallet)
  const before = await usdc()
  expect(await faults(one!)).toEqual([])
  const { apy, grade } = (await run(`strategies show ${slug} --json`)).json
  expect([apy, grade.grade]).toEqual([expect.closeTo(0.05, 4), 'C'])
  await done(`deposit ${slug} --amount 220`)
  expect(await sandbox.balanceOf(chainId, receipt.address, wallet)).toBe(200n * ether)

  await send(wallet, psm, 'function set(uint256,uint256)', [12n * 10n ** 26n, 0n])
  expect(await position(slug)).toMatchObject({
    balance: { raw: '240000000' },
    principal: { raw: '220000000' },
    profit: { raw: '20000000' },
  })
  await done(`withdraw ${slug} --amount 60`)
  expect(before - (await usdc())).toBe(160_000_000n)
  // Four percent below the oracle is beyond the price impact limit.
  await send(wallet, psm, 'function set(uint256,uint256)', [12n * 10n ** 26n, 400n])
  expect(await refused(`withdraw ${slug} --amount max`)).toBe('POLICY_PRICE_IMPACT')
  await send(wallet, psm, 'function set(uint256,uint256)', [12n * 10n ** 26n, 0n])
  await done(`withdraw ${slug} --amount max`)
  expect(await sandbox.balanceOf(chainId, receipt.address, wallet)).toBe(0n)
  expect((await usdc()) - before).toBeGreaterThanOrEqual(20_000_000n - 2n)
  expect(await typesOf(slug)).toEqual(['withdraw', 'withdraw', 'deposit'])
})

test('the guard refuses an sDAI deposit whose simulation delivers less than its worth', async () => {
  const tried = await deposited(sandbox, { catalog: catalog(), entry: entries[1]!, amount: 3n * ether + 7n })
  expect(tried).toEqual({ whole: undefined, part: 'POLICY_SIMULATION' })
})

test('a withdrawal above the PSM balance is refused, and the contract check reports a wrong token', async () => {
  const [one] = entries
  await done(`deposit ${one!.slug} --amount 1000`)
  // At twice the value, the withdrawal exceeds the balance of the PSM.
  await send(wallet, psm, 'function set(uint256,uint256)', [22n * 10n ** 26n, 0n])
  expect(await refused(`withdraw ${one!.slug} --amount max`)).toBe('INSUFFICIENT_LIQUIDITY')
  expect(await faults({ ...one!, asset: sandbox.token(chainId, 'USDT') })).toEqual([
    expect.stringContaining('the USDC of the PSM is'),
  ])
  expect(await faults({ ...one!, receipt: held(savings, 'sUSDS') })).toEqual([
    expect.stringContaining('the sUSDS of the PSM is'),
  ])
})

test('sDAI accepts the native coin and pays partial and full withdrawals at once', async () => {
  const [, one] = entries
  const { slug, receipt } = one!
  expect(await faults(one!)).toEqual([])
  expect(await faults({ ...one!, constants: { ...one!.constants, wrapped: wallet } as never })).toEqual([
    expect.stringContaining('the asset of the vault is'),
    expect.stringContaining('the coin of the adapter is'),
    expect.stringContaining('no contract'),
  ])
  await done(`deposit ${slug} --amount 6`)
  expect(await sandbox.balanceOf(chainId, receipt.address, wallet)).toBe(5n * ether)
  await send(wallet, savings, 'function set(uint256,uint256)', [13n * 10n ** 17n, 0n])
  expect((await position(slug)).balance.raw).toBe((65n * 10n ** 17n).toString())
  expect(await refused(`deposit ${slug} --amount 1`)).toBe('STRATEGY_PAUSED')
  const coins = await sandbox.nativeBalanceOf(chainId, wallet)
  await done(`withdraw ${slug} --amount 1.3`)
  await done(`withdraw ${slug} --amount max`)
  expect(await sandbox.balanceOf(chainId, receipt.address, wallet)).toBe(0n)
  const came = (await sandbox.nativeBalanceOf(chainId, wallet)) - coins
  expect(Number(came) / 1e18).toBeCloseTo(6.5, 2)
  expect(await typesOf(slug)).toEqual(['withdraw', 'withdraw', 'deposit'])
})
