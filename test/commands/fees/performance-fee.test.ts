import { describe, expect, test } from 'vitest'
import type { Address } from '../../../src/domain/address.ts'
import { useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run, signsNothing } = useCommands(sandbox)
const collector: Address = '0x7777777777777777777777777777777777777777'
const slug = 'aave-v3-usdc-sandbox-one'
const vault = 'sandbox-vault-usdc-sandbox-one'
const usdc = () => sandbox.token(31337, 'USDC').address
const held = (token: Address, who: Address = collector, chainId = 31337) =>
  sandbox.balanceOf(chainId, token, who)
const collecting = (more = '') => run(`fees set --operator-collector ${collector} ${more} --json`)
const kinds = (json: { transactions: { kind: string }[] }) => json.transactions.map(({ kind }) => kind)
const refused = async (line: string, code: string) => {
  const { exit, json } = await signsNothing(() => run(line))
  expect({ exit, code: json.error?.code }).toEqual({ exit: 8, code })
  return json.error
}

describe('a strategy with a collector', () => {
  const deposit = `deposit ${slug} --amount 100 --yes --json`
  const withdraw = (amount: string, more = '') => `withdraw ${slug} --amount ${amount} --yes --json ${more}`

  test('states its performance fee wherever it is shown', async () => {
    await collecting(`--performance-fee-bps 1000 --markup-bps 50 --collector ${collector}`)
    await run(deposit)
    const charged = { slug, fee: '0.105', performanceFeeBps: '1050' }
    const { json: list } = await run('strategies list --all --json')
    const { json: wallet } = await run('wallet show --json')
    const { json: best } = await run('yield recommend usdc --json')
    expect((await run(`strategies show ${slug} --json`)).json).toMatchObject(charged)
    expect(list.items.find((one: { slug: string }) => one.slug === slug)).toMatchObject(charged)
    expect(wallet.positions[0].strategy).toMatchObject(charged)
    expect(best.strategy.performanceFeeBps).toBe('1050')
    expect((await run(`strategies show ${slug}`)).out).toMatch(/fee +10\.50% of the profit/)
  })

  test('charges no fee for a deposit, on one chain or across two', async () => {
    await collecting()
    expect(kinds((await run(deposit)).json)).toEqual(['approve', 'deposit'])
    const across = await run('deposit aave-v3-usdc-sandbox-two --from sandbox-one --amount 100 --yes --json')
    expect({ exit: across.exit, kinds: kinds(across.json) }).toEqual({
      exit: 0,
      kinds: ['approve', 'bridge', 'approve', 'deposit'],
    })
    expect(await held(usdc())).toBe(0n)
  })

  test('charges nothing for a withdrawal of principal, and a share of all beyond it', async () => {
    await collecting('--performance-fee-bps 2000')
    await run(deposit)
    await sandbox.world.warp(365 * 86_400)
    expect(kinds((await run(withdraw('60'))).json)).toEqual(['withdraw'])
    const { json: plan } = await run(withdraw('max', '--max-service-fee 20% --dry-run'))
    const [said] = plan.serviceFees
    // 40 of the principal are left; all beyond that is profit.
    expect(BigInt(said.amount.raw)).toBe(((BigInt(said.of.raw) - 40_000_000n) * 2_000n) / 10_000n)
    expect(BigInt(said.amount.raw)).toBeGreaterThan(0n)
    const mine = await held(usdc(), sandbox.user.address)
    const { exit, json } = await run(withdraw('max', '--max-service-fee 20%'))
    expect({ exit, kinds: kinds(json) }).toEqual({ exit: 0, kinds: ['withdraw', 'fee'] })
    const [out, fee] = [BigInt(json.amounts.out.raw), await held(usdc())]
    expect(fee).toBeGreaterThanOrEqual(BigInt(said.amount.raw))
    expect((await held(usdc(), sandbox.user.address)) - mine).toBe(out - fee)
  })

  test('charges nothing when the wallet is the collector', async () => {
    await run(`fees set --operator-collector ${sandbox.user.address} --performance-fee-bps 2000 --json`)
    await run(deposit)
    await sandbox.world.warp(365 * 86_400)
    const { exit, json } = await run(withdraw('max'))
    expect({ exit, kinds: kinds(json) }).toEqual({ exit: 0, kinds: ['withdraw'] })
  })

  test('refuses a withdrawal whose fee is above the limit, and hints at --max-service-fee', async () => {
    await collecting('--performance-fee-bps 10000')
    await run(deposit)
    await sandbox.world.warp(2 * 365 * 86_400)
    const error = await refused(withdraw('max'), 'POLICY_SERVICE_FEE')
    expect(error.hint).toMatch(/--max-service-fee [0-9.]+%/)
  })
})

describe('the performance fee of one wallet over time', () => {
  /** Runs a deposit or a withdrawal and returns what the collector received. */
  const paidBy = async (line: string) => {
    const before = await held(usdc())
    const { exit, json } = await run(`${line} --yes --json --max-service-fee 5%`)
    expect({ exit, error: json.error }).toEqual({ exit: 0 })
    return (await held(usdc())) - before
  }
  const shown = async () => {
    const { json } = await run('wallet show --json')
    const [position] = json.positions.map(
      (one: Record<'balance' | 'principal' | 'profit' | 'performanceFee', { raw: string }>) => ({
        principal: one.principal.raw,
        isSum:
          BigInt(one.principal.raw) + BigInt(one.profit.raw) + BigInt(one.performanceFee.raw) ===
          BigInt(one.balance.raw),
      }),
    )
    return {
      ...position,
      realised: json.realised.map((one: Record<'realised' | 'feesPaid', { raw: string }>) => [
        one.realised.raw,
        one.feesPaid.raw,
      ]),
    }
  }

  test('is charged once on 12 of profit, and not on later deposits and withdrawals without a profit', async () => {
    await collecting()
    const paid = [await paidBy(`deposit ${vault} --amount 1000`)]
    await sandbox.world.warp(200 * 86_400)
    paid.push(await paidBy(`withdraw ${vault} --amount 1012`))
    for (let turn = 0; turn < 3; turn++) {
      paid.push(await paidBy(`deposit ${vault} --amount 500`))
      expect(await shown()).toEqual({
        principal: '500000000',
        isSum: true,
        realised: [['11400000', '600000']],
      })
      paid.push(await paidBy(`withdraw ${vault} --amount 500`))
      expect(await shown()).toEqual({ principal: '0', isSum: true, realised: [['11400000', '600000']] })
    }
    expect(paid).toEqual([0n, 600_000n, 0n, 0n, 0n, 0n, 0n, 0n])
  })

  test('is in the profit: of an open position as a withdrawal would pay it, and of a closed one as it was paid', async () => {
    await collecting()
    await paidBy(`deposit ${vault} --amount 1000`)
    await sandbox.world.warp(200 * 86_400)
    const { json: open } = await run('wallet show --json')
    const [{ balance, principal, profit, performanceFee, profitUsd }] = open.positions
    const gain = BigInt(balance.raw) - BigInt(principal.raw)
    expect(gain).toBeGreaterThan(10_000_000n)
    expect(BigInt(performanceFee.raw)).toBe(gain / 20n)
    expect(BigInt(profit.raw)).toBe(gain - gain / 20n)
    expect(open.totalProfitUsd).toBe(profitUsd)
    const mine = await held(usdc(), sandbox.user.address)
    const fee = await paidBy(`withdraw ${vault} --amount max`)
    const earned = (await held(usdc(), sandbox.user.address)) - mine - 1_000_000_000n
    const { json: closed } = await run('wallet show --json')
    expect(closed.realised).toMatchObject([
      { realised: { raw: String(earned) }, feesPaid: { raw: String(fee) } },
    ])
    expect(Number(closed.totalProfitUsd)).toBeCloseTo(Number(earned) / 1e6, 2)
  })

  test('is 5 % of the whole profit to the unit when the profit leaves in parts of a few units', async () => {
    await collecting()
    await paidBy(`deposit ${slug} --amount 1000`)
    await sandbox.world.warp(200 * 86_400)
    const parts = ['1000.000019', '0.000019', '0.000019', '0.000019']
    const paid = []
    for (const part of parts) paid.push(await paidBy(`withdraw ${slug} --amount ${part}`))
    // Of 76 units in all, 3.8.
    expect(paid).toEqual([0n, 1n, 1n, 1n])
  })
})
