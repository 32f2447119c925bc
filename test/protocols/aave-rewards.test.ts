import { parseAbi } from 'viem/utils'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Address } from '../../src/domain/address.ts'
import { roles, sandboxAddress } from '../../src/sandbox/accounts.ts'
import { ownContract, published } from '../../src/sandbox/genesis/artifacts.ts'
import { type Deployer, startDeployer } from '../../src/sandbox/genesis/deployer.ts'
import { engineOn } from '../support/engine.ts'
import { reserveOf } from '../support/market-constants.ts'
import { useCommands } from '../support/use-commands.ts'
import { useSandbox } from '../support/use-sandbox.ts'
import { theirs } from './artifacts.ts'

// The RewardsController is Aave's own; the second reward token and the reward prices are ours.
const sandbox = useSandbox()
const { run } = useCommands(sandbox)
const chainId = 31337
const wallet = sandbox.user.address
const slug = 'aave-v3-usdc-sandbox-one'
const day = 86_400
const year = 365 * day
const wad = 10n ** 18n

let d: Deployer
let controller: Address
let oracle: Address
let points: Address
let weth: Address
let aToken: Address
const { abi } = theirs('RewardsController')
const aggregator = (answer: bigint) => d.deploy(published('MockAggregator'), [answer])
beforeEach(async () => {
  aToken = reserveOf(sandbox.strategy('aave-v3-USDC-sandbox-one')).aToken
  weth = sandbox.token(chainId, 'WETH').address
  d = await startDeployer(sandbox.chain(chainId).rpc, sandboxAddress(roles.owner))
  controller = d.deploy(theirs('RewardsController'))
  d.call(abi, controller, 'initialize', [d.from])
  oracle = aggregator(25_000_000n)
  points = d.deploy(ownContract('SandboxToken'), ['Points', 'PTS', 18])
  const named = parseAbi(['function setIncentivesController(address)'])
  d.call(named, aToken, 'setIncentivesController', [controller])
  await d.flush()
})
const paying = async (reward: Address, aSecond: bigint, end: number, priced = oracle) => {
  const totalSupply = 0n
  const config = { emissionPerSecond: aSecond, totalSupply, distributionEnd: end, asset: aToken, reward }
  d.call(abi, controller, 'configureAssets', [
    [{ ...config, transferStrategy: oracle, rewardOracle: priced }],
  ])
  await d.flush()
}
const now = async () =>
  Number(
    (
      await sandbox
        .chain(chainId)
        .rpc.request<{ timestamp: string }>('eth_getBlockByNumber', ['latest', false])
    ).timestamp,
  )
const reward = async () => (await engineOn(sandbox).service.getStrategy({ id: slug })).rates?.reward
const earned = async (token: Address) =>
  BigInt(
    await sandbox.call(chainId, controller, 'function getUserRewards(address[],address,address) view', [
      [aToken],
      wallet,
      token,
    ]),
  )

describe('the rewards of an Aave reserve', () => {
  test('are stated apart from the interest, and equal the rewards accrued over a month', async () => {
    expect((await run(`deposit ${slug} --amount 1000 --yes --quiet`)).exit).toBe(0)
    await paying(weth, 10n ** 13n, (await now()) + year)
    const before = (await run(`strategies show ${slug} --json`)).json
    expect(before.rates.reward).toBeGreaterThan(0.001)
    expect(before.rates.base).toBe(before.apy)
    expect((await run(`strategies show ${slug}`)).out).toMatch(/rewards +[0-9.]+ ?% in other tokens/)
    const from = await now()
    const held = await sandbox.balanceOf(chainId, aToken, wallet)
    await sandbox.world.warp(30 * day)
    const seconds = (await now()) - from
    // WETH is worth 3,000 USDC here, and USDC has 6 decimals.
    const aYear = (Number(await earned(weth)) * 3_000) / 1e18 / (Number(held) / 1e6) / (seconds / year)
    expect(Math.abs(before.rates.reward - aYear)).toBeLessThan(1e-4 * aYear + 1e-6)
  })

  test('add up all tokens still paid; the reward oracle prices a token that the Aave oracle does not', async () => {
    expect((await run(`deposit ${slug} --amount 1000 --yes --quiet`)).exit).toBe(0)
    await sandbox.world.warp(2 * day)
    const end = (await now()) + year
    expect(await reward()).toBe(0)
    await paying(weth, 10n ** 13n, end)
    const one = (await reward())!
    await paying(points, 12n * wad, end)
    const both = (await reward())!
    // One point is worth 0.25 USD, one WETH 3,000 USD.
    expect((both - one) / one).toBeCloseTo((12 * 0.25) / (1e-5 * 3_000), 6)
    d.call(abi, controller, 'setDistributionEnd', [aToken, points, BigInt(await now())])
    await d.flush()
    expect((await reward())! / one).toBeCloseTo(1, 4)
  })

  test('are null when a reward token has no price', async () => {
    await sandbox.world.warp(2 * day)
    const end = (await now()) + year
    await paying(points, wad, end)
    expect(await reward()).toBeGreaterThan(0)
    await sandbox.chain(chainId).rpc.request('anvil_setCode', [oracle, '0x'])
    expect(await reward()).toBeNull()
  })
})
