import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { networkNamed } from '../../../src/domain/networks.ts'
import { nativeToken } from '../../../src/domain/token.ts'
import type { StrategyEntry } from '../../../src/protocols/catalog-types.ts'
import { deployedFrom } from '../../support/contracts/compile-contract.ts'
import { engineOn } from '../../support/engine.ts'
import { serveTo } from '../../support/services/serve-in-process.ts'
import { rpcEnvOf, useCommands } from '../../support/use-commands.ts'
import { calldata, useSandbox } from '../../support/use-sandbox.ts'

// A withdrawal queue whose requests appear only in logs: a vault like StakeWise, not searched at first.
const sandbox = useSandbox()
const chainId = 31337
const wallet = sandbox.user.address
const ether = 10n ** 18n
const slug = 'stakewise-eth-sandbox-one'
let entry: StrategyEntry

beforeEach(async () => {
  const asset = nativeToken(networkNamed(sandbox.world.catalog().networks, chainId))
  const file = join(import.meta.dirname, '../../protocols/contracts/StakewiseLike.sol')
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

test('wallet show names a strategy that was not searched, and the history command of its hint finds the position', async () => {
  const to = entry.receipt.address
  const nobody = `0x${'00'.repeat(20)}` as const
  const stake = calldata('function deposit(address,address)', [wallet, nobody])
  await sandbox.sendAs(chainId, wallet, { to, value: ether, data: stake })
  const exit = calldata('function enterExitQueue(uint256,address)', [ether, wallet])
  await sandbox.sendAs(chainId, wallet, { to, data: exit })

  const served = await serveTo(engineOn(sandbox, { catalog: catalog() }).service, 'key-unlooked')
  const places = [
    {},
    { env: { SLUICE_BASE_URL: served.url, ...rpcEnvOf(sandbox) }, secrets: { apiKey: 'key-unlooked' } },
  ]
  try {
    for (const place of places) {
      const show = `wallet show ${wallet}`
      const first = await run(`${show} --json`, place)
      const { positions, unsearched } = first.json
      expect([first.exit, positions, unsearched]).toEqual([0, [], [{ strategy: slug, searchedAt: null }]])
      // The message also appears for an address without transactions.
      expect((await run(`wallet show 0x${'7e'.repeat(20)}`, place)).out).toMatch(/was not searched for/)
      const [, hint] = /To search: sluice (history .*)\n/.exec((await run(show, place)).out) ?? []
      expect(hint).toBe(`history ${slug} --address ${wallet}`)
      expect((await run(hint!, place)).exit).toBe(0)
      const { out } = await run(show, place)
      expect(out).toMatch(new RegExp(`queued 1(\\.0+)? ETH ${slug}`))
      expect(out).not.toMatch(/not searched/)
      await run(`history ${slug} --address 0x${'7e'.repeat(20)}`, place)
      expect((await run(`wallet show 0x${'7e'.repeat(20)}`, place)).out).toMatch(/not searched since 20/)
    }
  } finally {
    await served.close()
  }
})

test('a strategy that accepts no deposit but is not paused stays listed, and the hint leads to its actions', async () => {
  const set = 'function set(uint256,bool,bool,address)'
  const data = calldata(set, [ether, true, false, entry.receipt.address])
  await sandbox.sendAs(chainId, wallet, { to: entry.receipt.address, data })
  const { exit, json } = await run(`deposit ${slug} --amount 1 --yes --json`)
  expect([exit, json.error.code]).toEqual([10, 'STRATEGY_PAUSED'])
  expect(json.error.message).toMatch(/once its rewards are updated/)
  expect(json.error.hint).toBe(`To see what it accepts now: sluice strategies show ${slug}`)
  const listed = (await run('strategies list --paused exclude --limit 100 --json')).json.items
  const mine = listed.find((one: { slug: string }) => one.slug === slug)
  expect(mine.actions).toEqual(['withdraw', 'claim'])
  expect((await run(`strategies show ${slug}`)).out).toMatch(/actions +withdraw, claim/)
})
