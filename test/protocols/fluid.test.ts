import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { openChain } from '../../src/chain/network-client.ts'
import type { Address } from '../../src/domain/address.ts'
import { networkNamed } from '../../src/domain/networks.ts'
import { marketFaults } from '../../src/engine/catalog-checks/contract-check.ts'
import type { Catalog, StrategyEntry } from '../../src/protocols/catalog-types.ts'
import { marketOf } from '../../src/protocols/registry.ts'
import { sandboxAddress } from '../../src/sandbox/accounts.ts'
import { deployedFrom } from '../support/contracts/compile-contract.ts'
import { deposited } from '../support/contracts/deposit-brings-its-worth.ts'
import { engineOn, perform } from '../support/engine.ts'
import { useCommands } from '../support/use-commands.ts'
import { calldata, useSandbox } from '../support/use-sandbox.ts'

// The contract of these tests is ours and has the published interfaces of an fToken and of the resolver.
const sandbox = useSandbox()
const chainId = 31337
const wallet = sandbox.user.address
const giver = sandboxAddress(3)
const slug = 'fluid-usdc-sandbox-one'

let vault: Address
let entry: StrategyEntry
const catalog = (): Catalog => {
  const known = sandbox.world.catalog()
  return { ...known, strategies: [...known.strategies, entry] }
}
const { run, signsNothing } = useCommands(sandbox, { catalog })

const to = (signature: string, args: readonly unknown[], at: Address = vault) => ({
  to: at,
  data: calldata(signature, args),
  value: 0n,
  chainId,
})
const set = (supplyRate: bigint, rewardsRate: bigint, limit: bigint) =>
  perform(sandbox, giver, [to('function set(uint256,uint256,uint256)', [supplyRate, rewardsRate, limit])])
const done = async (line: string) => {
  const ran = await run(`${line} --yes --json`)
  expect(ran.exit, ran.err + ran.out).toBe(0)
}
const shown = async () => (await run(`strategies show ${slug} --json`)).json
const held = () => sandbox.balanceOf(chainId, vault, wallet)

beforeEach(async () => {
  const asset = sandbox.token(chainId, 'USDC')
  vault = await deployedFrom(sandbox, chainId, join(import.meta.dirname, 'contracts/FluidLike.sol'), [
    asset.address,
  ])
  entry = {
    ...sandbox.strategy('sandbox-vault-USDC-sandbox-one'),
    id: 'fluid-USDC-sandbox-one',
    slug,
    protocol: 'fluid',
    startDate: null,
    isDefault: false,
    receipt: { chainId, address: vault, symbol: 'fUSDC', decimals: 6, name: 'fUSDC' },
    implementationSelector: 'fluid@1',
    constants: { family: 'fluid', vault, resolver: vault },
  }
  await perform(sandbox, giver, [
    to('function approve(address,uint256)', [vault, 10n ** 12n], asset.address),
    to('function deposit(uint256,address)', [9_000_000_000n, giver]),
    to('function transfer(address,uint256)', [vault, 900_000_000n], asset.address),
  ])
})

test('an fToken states the resolver rate with rewards, and accepts a deposit, partial and full withdrawals', async () => {
  expect(await shown()).toMatchObject({
    apyBasis: 'current',
    apyConvention: 'the stated rate, to 0.01%, compounded every second over 365 days',
    apy: expect.closeTo(Math.expm1(0.0462), 6),
    grade: { grade: 'C' },
  })
  const usdc = () => sandbox.balanceOf(chainId, entry.asset.address, wallet)
  const before = await usdc()
  await done(`deposit ${slug} --amount 220`)
  expect(await held()).toBe(200_000_000n)
  await done(`withdraw ${slug} --amount 55`)
  expect(await held()).toBe(149_999_999n)
  await done(`withdraw ${slug} --amount max`)
  expect([await held(), before - (await usdc())]).toEqual([0n, 2n])
  const { items } = (await run(`history ${slug} --json`)).json
  expect(items.map(({ type }: { type: string }) => type)).toEqual(['withdraw', 'withdraw', 'deposit'])
})

test('an fToken has a null APY and stays open when its resolver states zero or does not answer', async () => {
  await set(0n, 0n, 1n)
  expect((await shown()).apy).toBeNull()
  entry = { ...entry, constants: { family: 'fluid', vault, resolver: entry.asset.address } }
  expect(await shown()).toMatchObject({ apy: null, paused: false, actions: ['lend', 'withdraw'] })
})

test('a withdrawal above the liquidity limit is INSUFFICIENT_LIQUIDITY, and one at the limit succeeds', async () => {
  await done(`deposit ${slug} --amount 220`)
  await set(312n, 0n, 50_000_000n)
  const tooMuch = await signsNothing(() => run(`withdraw ${slug} --amount 51 --yes --json`))
  expect(tooMuch.json.error.code).toBe('INSUFFICIENT_LIQUIDITY')
  await done(`withdraw ${slug} --amount 50`)
})

test('a partial withdrawal reverts when the share price fell after it was built', async () => {
  const { service } = engineOn(sandbox, { catalog: catalog() })
  await done(`deposit ${slug} --amount 220`)
  const made = async () =>
    (await service.strategyBytecode({ id: slug, action: 'withdraw', amount: 55_000_000n, wallet })).bytecode
  const early = await made()
  expect(early).toEqual([
    to('function withdraw(uint256,address,address,uint256)', [55_000_000n, wallet, wallet, 50_000_001n]),
  ])
  await perform(sandbox, giver, [to('function lose(uint256)', [100_000_000n])])
  await expect(perform(sandbox, wallet, early)).rejects.toThrow()
  await perform(sandbox, wallet, await made())
})

test('the guard refuses a deposit whose simulation delivers less than its worth', async () => {
  const tried = await deposited(sandbox, { catalog: catalog(), entry, amount: 220_000_000n })
  expect(tried).toEqual({ whole: undefined, part: 'POLICY_SIMULATION' })
})

test('the contract check reports an asset that differs from that of the resolver', async () => {
  const faults = async (one: StrategyEntry) => {
    const { network, rpc } = sandbox.chain(chainId)
    const flawed = await marketFaults(openChain(networkNamed([network], network.name), rpc), [marketOf(one)])
    return flawed.flatMap((found) => found.faults)
  }
  expect(await faults(entry)).toEqual([])
  expect(await faults({ ...entry, asset: sandbox.token(chainId, 'USDT') })).toContainEqual(
    expect.stringContaining('the asset of the vault by the resolver is'),
  )
})

test('shares in the staking contract stay in the position and are withdrawn only after they are unstaked there', async () => {
  const file = join(import.meta.dirname, 'contracts/StakingRewardsLike.sol')
  const staking = await deployedFrom(sandbox, chainId, file, [vault])
  entry = { ...entry, constants: { family: 'fluid', vault, resolver: vault, staking } }
  const { network, rpc } = sandbox.chain(chainId)
  const faultsOf = async (at: Address) => {
    const one = marketOf({ ...entry, constants: { family: 'fluid', vault, resolver: vault, staking: at } })
    const flawed = await marketFaults(openChain(networkNamed([network], network.name), rpc), [one])
    return flawed.flatMap((found) => found.faults)
  }
  expect([await faultsOf(staking), await faultsOf(vault)]).toEqual([
    [],
    [expect.stringContaining('the staked token is not returned by')],
  ])
  const position = async () => (await run('wallet show --json')).json.positions[0]
  await done(`deposit ${slug} --amount 100`)
  const [all, before] = [await held(), await position()]
  await perform(sandbox, wallet, [
    to('function approve(address,uint256)', [staking, all]),
    to('function stake(uint256)', [all], staking),
  ])
  const { staked, ...same } = await position()
  expect({ ...same, staked: null }).toEqual(before)
  expect(staked).toMatchObject({ at: staking, shares: String(all), amount: same.balance })
  const { error } = (await signsNothing(() => run(`withdraw ${slug} --amount max --yes --json`))).json
  expect([error.code, error.details.staked.at]).toEqual(['INSUFFICIENT_FUNDS', staking])
  await perform(sandbox, wallet, [to('function withdraw(uint256)', [all], staking)])
  expect(await position()).toEqual(before)
  await done(`withdraw ${slug} --amount max`)
  const types = (await run(`history ${slug} --json`)).json.items.map(({ type }: { type: string }) => type)
  expect([types, await held()]).toEqual([['withdraw', 'deposit'], 0n])
})
