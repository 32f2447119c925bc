import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { openChain } from '../../src/chain/network-client.ts'
import { networkNamed } from '../../src/domain/networks.ts'
import { marketFaults } from '../../src/engine/catalog-checks/contract-check.ts'
import type { Catalog } from '../../src/protocols/catalog-types.ts'
import { pendlePt } from '../../src/protocols/pendle-pt/market-adapter.ts'
import { sandboxAddress } from '../../src/sandbox/accounts.ts'
import { useCommands } from '../support/use-commands.ts'
import { calldata, useSandbox } from '../support/use-sandbox.ts'
import { deployPendle, type Pendle } from './fixtures/pendle.ts'

// A PT with the bytecode of Pendle over the vault of the sandbox. Only that vault is ours, and a gauge that pays no rewards.
const sandbox = useSandbox()
const chainId = 31337
const wallet = sandbox.user.address
const slug = 'pendle-usdc-sandbox-one'
const one = 10n ** 18n
const day = 86_400
const year = 365 * day

let pendle: Pendle
beforeEach(async () => {
  pendle = await deployPendle(sandbox, chainId)
})
const catalog = (): Catalog => {
  const known = sandbox.world.catalog()
  return { ...known, strategies: [...known.strategies, pendle.entry] }
}
const { run, home, signsNothing } = useCommands(sandbox, { catalog })

const assets = () => sandbox.balanceOf(chainId, pendle.entry.asset.address, wallet)
const held = () => sandbox.balanceOf(chainId, pendle.entry.receipt.address, wallet)
const done = async (line: string) => {
  const ran = await run(`${line} --yes --json`)
  expect(ran.err + ran.out).toMatch(ran.exit === 0 ? /./ : /^$/)
  return ran.json
}
const refused = async (line: string) =>
  (await signsNothing(() => run(`${line} --yes --json`))).json.error as { code: string; message: string }
const strategy = async () => (await run(`strategies show ${slug} --json`)).json
const position = async () =>
  (await run('wallet show --json')).json.positions.find(
    (one: { strategy: { slug: string } }) => one.strategy.slug === slug,
  )
const time = async () => {
  const { rpc } = sandbox.chain(chainId)
  const block = await rpc.request<{ timestamp: string }>('eth_getBlockByNumber', ['latest', false])
  return Number(block.timestamp)
}
const price = async (seconds: number) =>
  BigInt(
    await sandbox.call(
      chainId,
      pendle.constants.oracle,
      'function getPtToAssetRate(address,uint32) view returns (uint256)',
      [pendle.constants.market, seconds],
    ),
  )
/** Another wallet buys PT for this amount of USDC. */
const somebodyBuys = async (amount: bigint) => {
  const { market, sy } = pendle.constants
  const from = sandboxAddress(4)
  const send = async (to: `0x${string}`, signature: string, args: readonly unknown[]) => {
    const { status } = await sandbox.sendAs(chainId, from, { to, data: calldata(signature, args) })
    expect(status).toBe('0x1')
  }
  const usdc = pendle.entry.asset.address
  await send(usdc, 'function approve(address,uint256)', [sy, amount])
  await send(sy, 'function deposit(address,address,uint256,uint256)', [market, usdc, amount, 0n])
  await send(market, 'function swapSyForExactPt(address,uint256,bytes)', [from, (amount * 99n) / 100n, '0x'])
}
const leftToTake = async () => {
  const signature = 'function allowance(address,address) view returns (uint256)'
  const tokens = [pendle.entry.asset.address, pendle.entry.receipt.address]
  const left = tokens.map((token) =>
    sandbox.call(chainId, token, signature, [wallet, pendle.constants.router]),
  )
  return (await Promise.all(left)).map(BigInt)
}

describe('a PT with the bytecode of Pendle', () => {
  test('is bought at a discount, warns of its maturity, and redeems 1:1 at maturity with the stated APY', async () => {
    const before = await assets()
    const { apy, category, metadata, grade, paused } = await strategy()
    expect([category, grade.grade, paused]).toEqual(['fixed-yield', 'A', false])
    const maturity = new Date(pendle.constants.expiry * 1000).toISOString().slice(0, 10)
    expect(metadata.en.maturity).toBe(maturity)
    const ran = await run(`deposit ${slug} --amount 100 --yes --json`)
    expect([ran.exit, ran.err]).toEqual([0, expect.stringContaining(`matures on ${maturity}`)])
    const at = await time()
    expect(before - (await assets())).toBe(100_000_000n)
    const bought = await held()
    expect(Math.abs(Number(ran.json.amounts.out.raw) / Number(bought) - 1)).toBeLessThan(1e-4)
    expect(bought).toBeGreaterThan(100_000_000n)

    await sandbox.world.warp(pendle.constants.expiry - (await time()) + 1)
    const earned = (Number(bought) / 100e6) ** (year / (pendle.constants.expiry - at)) - 1
    expect(Math.abs(earned - apy)).toBeLessThan(1e-4)
    const shown = await position()
    expect([shown.balance.raw, shown.principal.raw]).toEqual([bought.toString(), '100000000'])
    expect(await strategy()).toMatchObject({ actions: ['withdraw'], apy: 0 })
    const closed = await refused(`deposit ${slug} --amount 1`)
    expect([closed.code, closed.message]).toEqual(['STRATEGY_PAUSED', expect.stringContaining(maturity)])

    const part = await assets()
    await done(`withdraw ${slug} --amount 30`)
    expect(Number((await assets()) - part)).toBeCloseTo(30_000_000, -1)
    await done(`withdraw ${slug} --amount max`)
    expect([await held(), await leftToTake()]).toEqual([0n, [0n, 0n]])
    // The SY and the vault below it round down once each.
    const profit = (await assets()) - before
    expect(bought - 100_000_000n - profit).toBeLessThanOrEqual(6n)
    const types = (await run(`history ${slug} --json`)).json.items.map(({ type }: { type: string }) => type)
    expect(types).toEqual(['withdraw', 'withdraw', 'deposit'])
  })

  test('is valued by its oracle before maturity, and sold at that price in part and in full', async () => {
    await done(`deposit ${slug} --amount 1000`)
    await sandbox.world.warp(60 * day)
    const bought = await held()
    const worth = BigInt((await position()).balance.raw)
    expect(worth).toBe((bought * (await price(900))) / one)
    const before = await assets()
    const { amounts } = await done(`withdraw ${slug} --amount 400`)
    const came = (await assets()) - before
    // A quote is exact in its block only; the price changes with each second.
    expect(Math.abs(Number(amounts.out.raw) - Number(came))).toBeLessThan(100)
    expect(Math.abs(Number(came) / 400e6 - 1)).toBeLessThan(1e-3)
    await done(`withdraw ${slug} --amount max`)
    expect([await held(), await leftToTake()]).toEqual([0n, [0n, 0n]])
    expect(Math.abs(Number((await assets()) - before) / Number(worth) - 1)).toBeLessThan(1e-3)
    expect(await position()).toBeUndefined()
    const items = (await run(`history ${slug} --json`)).json.items
    expect(items.map(({ type }: { type: string }) => type)).toEqual(['withdraw', 'withdraw', 'deposit'])
    expect([items[1].amount.raw, items[2].amount.raw]).toEqual([came.toString(), '1000000000'])
  })

  test('trades within the requested slippage, and is refused before signing at a price far from the oracle', async () => {
    const least = async (line: string) => {
      const { steps } = (await run(`${line} --dry-run --json`)).json
      return BigInt(steps.at(-1).call.args.minPtOut)
    }
    const [usual, wide] = [
      await least(`deposit ${slug} --amount 1000`),
      await least(`deposit ${slug} --amount 1000 --slippage 2%`),
    ]
    expect(Number(wide) / Number(usual)).toBeCloseTo(0.98 / 0.995, 4)
    // The plan expires like a quote, and cannot wait for a bridge.
    const { expiresAt } = (await run(`deposit ${slug} --amount 1000 --dry-run --json`)).json
    expect(Math.abs(Date.parse(expiresAt) - Date.now() - 300_000)).toBeLessThan(60_000)
    const across = await refused(`deposit ${slug} --amount 1000 --from sandbox-two`)
    expect([across.code, across.message]).toEqual([
      'NO_ROUTE_FOUND',
      expect.stringContaining('may change during a bridge transfer'),
    ])
    // maxSlippage of a policy applies as for a swap.
    const policy = join(home(), 'policy-of-a-test.json')
    writeFileSync(policy, JSON.stringify({ maxSlippage: '1%' }), { mode: 0o600 })
    const bounded = `deposit ${slug} --amount 1000 --policy ${policy}`
    expect((await refused(`${bounded} --slippage 2%`)).code).toBe('POLICY_LIMIT')
    expect((await run(`${bounded} --dry-run --json`)).exit).toBe(0)
    // In a shallow market, another wallet buys so much that the spot price leaves the 15-minute average of the oracle.
    pendle = await deployPendle(sandbox, chainId, 5n)
    await done(`deposit ${slug} --amount 10`)
    await somebodyBuys(1_250_000_000n)
    expect(Number(await price(900)) / Number(await price(0))).toBeLessThan(0.968)
    const { code, message } = await refused(`deposit ${slug} --amount 10`)
    expect([code, message]).toEqual(['POLICY_PRICE_IMPACT', expect.stringContaining('3.00%')])
    const { json: plan } = await run(`deposit ${slug} --amount 10 --max-price-impact 10% --dry-run --json`)
    expect(plan.priceImpacts).toMatchObject([{ leg: 0, by: 'oracle' }])
    expect(plan.priceImpacts[0].share).toBeGreaterThan(0.03)
    // After the averaging period, the oracle has the new price.
    await sandbox.world.warp(1_000)
    await done(`deposit ${slug} --amount 10`)
  })

  test('passes the contract check, which reports a wrong maturity, YT or market', async () => {
    const { network, rpc } = sandbox.chain(chainId)
    const chain = openChain(networkNamed([network], network.name), rpc)
    const faults = async (change: Partial<Pendle['constants']>) => {
      const constants = { ...pendle.constants, ...change }
      const found = await marketFaults(chain, [pendlePt({ ...pendle.entry, constants }, constants)])
      return found.flatMap((one) => one.faults)
    }
    expect(await faults({})).toEqual([])
    expect(await faults({ expiry: pendle.constants.expiry + day })).toEqual([
      expect.stringContaining('the maturity of the market is'),
    ])
    expect(await faults({ yt: pendle.constants.sy })).toEqual([
      expect.stringContaining('the YT of the market is'),
      expect.stringContaining('what a mature PT brings is not returned'),
    ])
    expect(await faults({ market: pendle.constants.router })).not.toEqual([])
  })
})
