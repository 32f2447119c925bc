import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'

import type { StrategyEntry } from '../../src/domain/catalog.ts'
import { networkNamed } from '../../src/domain/network.ts'
import { nativeToken } from '../../src/domain/token.ts'
import { deployedFrom } from '../support/compile.ts'
import { useCommands } from '../support/run.ts'
import { calldata, useSandbox } from '../support/sandbox.ts'

// A queue whose requests stand in logs only: a vault like that of StakeWise, of which nothing is known at first.
const sandbox = useSandbox()
const chainId = 31337
const wallet = sandbox.user.address
const ether = 10n ** 18n
const slug = 'stakewise-eth-sandbox-one'
let entry: StrategyEntry

beforeEach(async () => {
  const asset = nativeToken(networkNamed(sandbox.world.catalog().networks, chainId))
  const file = join(import.meta.dirname, '..', 'engine', 'contracts', 'StakewiseLike.sol')
  const vault = await deployedFrom(sandbox, chainId, file, [asset.address])
  entry = {
    ...sandbox.strategy('aave-v3-USDC-sandbox-one'),
    id: 'stakewise-ETH-sandbox-one',
    slug,
    asset,
    receipt: { chainId, address: vault, symbol: 'vault', decimals: 18, name: 'vault', isShares: true },
    implementationSelector: 'stakewise@1',
    constants: { family: 'stakewise', vault, keeper: vault, registry: vault },
  }
})
const catalog = () => {
  const known = sandbox.world.catalog()
  return { ...known, strategies: [...known.strategies, entry] }
}
const { run } = useCommands(sandbox, { catalog })

test('a wallet says once what it did not look for, and what it says to type finds it', async () => {
  const to = entry.receipt.address
  const nobody = `0x${'00'.repeat(20)}` as const
  const stake = calldata('function deposit(address,address)', [wallet, nobody])
  await sandbox.sendAs(chainId, wallet, { to, value: ether, data: stake })
  const exit = calldata('function enterExitQueue(uint256,address)', [ether, wallet])
  await sandbox.sendAs(chainId, wallet, { to, data: exit })

  const first = await run('wallet show --json')
  expect([first.exit, first.json.positions]).toEqual([0, []])
  const [, hint] = /this finds it: sluice (history .*)\n/.exec(first.err) ?? []
  expect(hint).toBe(`history ${slug} --address ${wallet}`)
  expect((await run('wallet show')).err).not.toMatch(/looked for/)
  expect((await run(hint!)).exit).toBe(0)
  expect((await run('wallet show')).out).toMatch(new RegExp(`queued 1(\\.0+)? ETH ${slug}`))
})

test('what was not said to a quiet one is said to the next', async () => {
  await sandbox.sendAs(chainId, wallet, { to: wallet })
  expect((await run('wallet show --quiet')).err).toBe('')
  expect((await run('wallet show')).err).toMatch(/is not looked for/)
})

test('what takes no deposit now and is not paused is not left out with what is: the next step shows what it takes', async () => {
  const set = 'function set(uint256,bool,bool,address)'
  const data = calldata(set, [ether, true, false, entry.receipt.address])
  await sandbox.sendAs(chainId, wallet, { to: entry.receipt.address, data })
  const { exit, json } = await run(`deposit ${slug} --amount 1 --yes --json`)
  expect([exit, json.error.code]).toEqual([10, 'STRATEGY_PAUSED'])
  expect(json.error.message).toMatch(/brought its newest rewards in/)
  expect(json.error.hint).toBe(`What it takes now: sluice strategies show ${slug}`)
  const listed = (await run('strategies list --paused exclude --limit 100 --json')).json.items
  const mine = listed.find((one: { slug: string }) => one.slug === slug)
  expect(mine.actions).toEqual(['withdraw', 'claim'])
  expect((await run(`strategies show ${slug}`)).out).toMatch(/actions +withdraw, claim/)
})
