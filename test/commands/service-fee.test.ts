import { describe, expect, test } from 'vitest'

import type { Address } from '../../src/domain/address.ts'
import { useCommands } from '../support/run.ts'
import { useSandbox } from '../support/sandbox.ts'

const sandbox = useSandbox()
const { run } = useCommands(sandbox)
const collector: Address = '0x7777777777777777777777777777777777777777'
const slug = 'aave-v3-usdc-sandbox-one'
const usdc = () => sandbox.token(31337, 'USDC').address
const held = (token: Address, who: Address = collector, chainId = 31337) =>
  sandbox.balanceOf(chainId, token, who)
const swap = (more = '') =>
  `swap execute --from sandbox-one --token-in USDC --token-out WETH --amount-in 100 --yes --json ${more}`
const collecting = (more = '') => run(`fees set --collector ${collector} ${more} --json`)

describe('fees set', () => {
  test('sets every rate and the collector, and takes the collector away', async () => {
    const { json } = await run(
      `fees set --swap-fee-bps 30 --performance-fee-bps 1000 --markup-bps 5 --collector ${collector} --json`,
    )
    expect(json).toEqual({ swapFeeBps: 30, performanceFeeBps: 1000, markupBps: 5, collector })
    expect((await run('fees set --collector none --json')).json).toEqual({ ...json, collector: null })
    expect((await run('fees show')).out).toMatch(
      /swap fee +30 bps\n.*\n.*\ncollector +none: nothing is charged/,
    )
  })
})

describe('without a collector', () => {
  test('nothing is charged and every field says so', async () => {
    const { json: quote } = await run(
      'swap quote --from sandbox-one --token-in USDC --token-out WETH --amount-in 100 --json',
    )
    expect(quote.fees).toEqual([])
    const { json: plan } = await run(swap('--dry-run'))
    expect(plan.serviceFees).toEqual([])
    expect(plan.steps).toHaveLength(2)
    const { json: strategy } = await run(`strategies show ${slug} --json`)
    expect(strategy).toMatchObject({ fee: '0', performanceFeeBps: '0' })
  })
})

describe('with a collector, a swap', () => {
  test('pays the fee as its last step, to the unit', async () => {
    await collecting('--markup-bps 10')
    const before = await held(usdc())
    const mine = await held(usdc(), sandbox.user.address)
    const { exit, json, err } = await run(swap())
    expect({ exit, err }).toMatchObject({ exit: 0 })
    expect(json.transactions.map(({ kind }: { kind: string }) => kind)).toEqual(['approve', 'swap', 'fee'])
    expect((await held(usdc())) - before).toBe(350_000n)
    expect(mine - (await held(usdc(), sandbox.user.address))).toBe(100_000_000n)
  })
})
