import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Address } from '../../../src/domain/address.ts'
import { useCommands } from '../../support/use-commands.ts'
import { calldata, useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run, home, attempts, signsNothing } = useCommands(sandbox)
const collector: Address = '0x7777777777777777777777777777777777777777'
const slug = 'aave-v3-usdc-sandbox-one'
const usdc = () => sandbox.token(31337, 'USDC').address
const held = (token: Address, who: Address = collector, chainId = 31337) =>
  sandbox.balanceOf(chainId, token, who)
/** A swap whose provider cannot pay the fee inside it. */
const swap = (more = '') =>
  `swap execute --from sandbox-one --token-in USDC --token-out WETH --amount-in 100 --provider uniswap-v2 --yes --json ${more}`
const collecting = (more = '') => run(`fees set --operator-collector ${collector} ${more} --json`)

const writePolicy = (policy: object) => {
  const dir = join(home(), 'config')
  mkdirSync(dir, { recursive: true })
  writeFileSync(join(dir, 'policy.json'), JSON.stringify(policy), { mode: 0o600 })
}

/** Resumes without waiting until `count` transactions are sent and mined; a node answers before it has mined. */
async function sentUntil(id: string, count: number): Promise<void> {
  const { rpc } = sandbox.chain(31337)
  const counted = (tag: string) => rpc.request<string>('eth_getTransactionCount', [sandbox.user.address, tag])
  const settled = () =>
    expect.poll(async () => (await counted('latest')) === (await counted('pending'))).toBe(true)
  for (await settled(); attempts() < count; await settled())
    expect((await run(`action resume ${id} --no-wait --yes --json`)).exit).toBe(20)
}

describe('fees set', () => {
  test.each(['--swap-fee-bps', '--performance-fee-bps', '--max-markup-bps', '--markup-bps'])(
    '%s out of range exits 2, and the message names that flag',
    async (flag) => {
      const { exit, json } = await run(`fees set ${flag} 20000 --json`)
      expect([exit, json.error.code]).toEqual([2, 'USAGE'])
      expect(json.error.message).toContain(`${flag} must be`)
    },
  )

  test('sets every rate and both collectors, and removes the collectors with none', async () => {
    const { json } = await run(
      `fees set --swap-fee-bps 30 --performance-fee-bps 1000 --max-markup-bps 50 --operator-collector ${collector} --markup-bps 5 --collector ${sandbox.user.address} --json`,
    )
    expect(json).toEqual({
      swapFeeBps: 30,
      performanceFeeBps: 1000,
      operatorCollector: collector,
      markupBps: 5,
      maxMarkupBps: 50,
      collector: sandbox.user.address,
    })
    const none = { ...json, operatorCollector: null }
    expect((await run('fees set --operator-collector none --json')).json).toEqual(none)
    expect((await run('fees set --collector none --json')).json).toEqual({ ...none, collector: null })
    expect((await run('fees show')).out).toMatch(
      /swap fee +30 bps\n.*\noperator collector +none: neither is charged\nmarkup +5 bps, at most 50\ncollector +none: no markup is charged/,
    )
  })

  test('refuses a markup above the limit of the operator, and a lower limit lowers a markup set before', async () => {
    const { exit, json } = await run('fees set --markup-bps 76 --json')
    expect({ exit, code: json.error.code, says: json.error.message }).toEqual({
      exit: 2,
      code: 'VALIDATION_ERROR',
      says: 'markupBps: must be at most 75, the limit of the operator',
    })
    expect((await run('fees set --markup-bps 75 --json')).json).toMatchObject({ markupBps: 75 })
    expect((await run('fees set --max-markup-bps 20 --json')).json).toMatchObject({
      markupBps: 20,
      maxMarkupBps: 20,
    })
  })

  test('applies to the local service, and fees show --operator lists each change with its author', async () => {
    await collecting('--swap-fee-bps 30')
    await run('fees set --markup-bps 5 --json')
    await run('fees set --swap-fee-bps 30 --json')
    const { json } = await run('fees show --operator --json')
    expect(json).toMatchObject({ swapFeeBps: 30, operatorCollector: collector, maxMarkupBps: 75 })
    const by = { at: expect.stringMatching(/^20/), by: 'operator', customer: null, was: null }
    expect(json.changes).toEqual([
      { ...by, name: 'collector', value: collector },
      { ...by, name: 'swapFeeBps', value: '30' },
    ])
    expect((await run('fees show --operator')).out).toMatch(
      new RegExp(`markup +at most 75 bps\n20\\S+ operator set collector to ${collector}\n`),
    )
  })

  test('with --database changes only that database, and refuses a markup', async () => {
    const file = join(home(), 'other.db')
    const set = await run(`fees set --swap-fee-bps 40 --database ${file} --json`)
    expect(set.json).toMatchObject({ swapFeeBps: 40, changes: [{ name: 'swapFeeBps', value: '40' }] })
    expect((await run(`fees show --database ${file} --json`)).json).toEqual(set.json)
    for (const line of ['fees show --json', 'fees show --operator --json'])
      expect((await run(line)).json).toMatchObject({ swapFeeBps: 25 })
    const { exit, json } = await run(`fees set --markup-bps 5 --database ${file} --json`)
    expect([exit, json.error.code, json.error.hint]).toEqual([2, 'USAGE', 'sluice fees set --markup-bps 10'])
  })
})

describe('without a collector', () => {
  test('nothing is charged, and quote, plan and strategy say so', async () => {
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

const kinds = (json: { transactions: { kind: string }[] }) => json.transactions.map(({ kind }) => kind)
const bridge = (more = '') =>
  `swap execute --from sandbox-one --to sandbox-two --token-in USDC --token-out USDC --amount-in 100 --yes --json ${more}`
const refused = async (line: string, code: string) => {
  const { exit, json } = await signsNothing(() => run(line))
  expect({ exit, code: json.error?.code }).toEqual({ exit: 8, code })
  return json.error
}

describe('a swap with a collector', () => {
  test('pays fee and markup exactly, in its last step, within the amount of the swap', async () => {
    await collecting(`--markup-bps 10 --collector ${collector}`)
    const mine = await held(usdc(), sandbox.user.address)
    const { exit, json } = await run(swap())
    expect(exit).toBe(0)
    expect(kinds(json)).toEqual(['approve', 'swap', 'fee'])
    expect(json.transactions[2]).toMatchObject({
      text: `Pay the service a fee of 0.35 USDC to ${collector}`,
      status: 'confirmed',
    })
    expect(json.amounts.in.formatted).toBe('100')
    expect(await held(usdc())).toBe(350_000n)
    expect(mine - (await held(usdc(), sandbox.user.address))).toBe(100_000_000n)
    const { json: shown } = await run(`action show ${json.id} --json`)
    expect(kinds(shown)).toEqual(['approve', 'swap', 'fee'])
    expect((await run(`swap status ${json.id} --json`)).json).toMatchObject({
      status: 'fulfilled',
      originTxHash: json.transactions[1].hash,
    })
    expect((await run(`action explain ${json.id} --json`)).json.situation).toBe('DONE')
  })

  test('from the wallet of the collector pays the fee to itself', async () => {
    const me = sandbox.user.address
    await run(`fees set --operator-collector ${me} --json`)
    const mine = await held(usdc(), me)
    const { exit, json } = await run(swap())
    expect({ exit, kinds: kinds(json) }).toEqual({ exit: 0, kinds: ['approve', 'swap', 'fee'] })
    expect(json.transactions[2].text).toContain('to the wallet itself')
    expect(mine - (await held(usdc(), me))).toBe(99_750_000n)
  })

  test('states the fee in quote and plan, and the quote is for the amount after the fee', async () => {
    const ask = 'swap quote --from sandbox-one --token-in USDC --token-out WETH --provider uniswap-v2'
    const { json: free } = await run(`${ask} --amount-in 99.75 --json`)
    await collecting()
    const { json: quote } = await run(`${ask} --amount-in 100 --json`)
    expect(quote.tokenIn.amount.formatted).toBe('100')
    expect([quote.tokenOut.amount, quote.minAmountOut]).toEqual([free.tokenOut.amount, free.minAmountOut])
    expect(quote.fees).toMatchObject([
      { kind: 'service', bps: 25, amount: { formatted: '0.25' }, of: { formatted: '100' }, to: collector },
    ])
    expect((await run(`${ask} --amount-in 100`)).out).toMatch(new RegExp(`fee +0\\.25 USDC to ${collector}`))
    const { json: plan } = await run(swap('--dry-run'))
    expect(plan.serviceFees).toMatchObject([
      {
        leg: 0,
        network: 'sandbox-one',
        token: usdc(),
        amount: { raw: '250000', usd: '0.25' },
        to: collector,
      },
    ])
    expect(plan.steps.map(({ role }: { role: string }) => role)).toEqual(['approve', 'action', 'fee'])
    expect(plan.steps[1].needs.amount.raw).toBe('99750000')
    const change = plan.simulation.changes.find(({ token }: { token: string }) => token === usdc())
    expect(change.formatted).toBe('-100')
    const text = await run(swap('--dry-run').replace('--json', ''))
    expect(text.out).toMatch(new RegExp(`service fee +0\\.25 USDC \\(\\$0\\.25\\) of 100 to ${collector}`))
  })

  test('with only the fee unpaid says where its funds are, also after it was abandoned', async () => {
    await collecting()
    const key = '--idempotency-key only-the-fee'
    const begun = await run(swap(`--no-wait ${key}`))
    const { id } = begun.json.error.details
    expect(await run(`action resume ${id} --no-wait --yes --json`)).toMatchObject({ exit: 20 })
    const explain = async () => (await signsNothing(() => run(`action explain ${id} --json`))).json
    const out = expect.stringMatching(/^0\.\d+ WETH: with 0x\w{40}\./)
    await expect.poll(async () => (await explain()).situation, { timeout: 10_000 }).toBe('PARTLY_DONE')
    expect(await explain()).toMatchObject({
      verdict: expect.stringMatching(
        /^The action is partly done and final; step 3 of 3 \(fee\) is not signed\./,
      ),
      funds: out,
      safeToRetry: false,
    })
    expect(await run(`action abandon ${id} --yes --json`)).toMatchObject({ exit: 0 })
    expect(await explain()).toMatchObject({ situation: 'GIVEN_UP', funds: out, safeToRetry: false })
    for (const line of [swap(key), `action resume ${id} --yes --json`])
      expect(await run(line)).toMatchObject({
        exit: 21,
        json: { error: { hint: `sluice action explain ${id}` } },
      })
  })

  test('with an earlier quote pays the fee of that quote', async () => {
    await collecting()
    const { json: quote } = await run(
      'swap quote --from sandbox-one --token-in USDC --token-out WETH --amount-out 0.01 --provider uniswap-v2 --json',
    )
    await run('fees set --swap-fee-bps 90 --json')
    const mine = await held(usdc(), sandbox.user.address)
    const { exit, json } = await run(`swap execute ${quote.id} --yes --json`)
    expect({ exit, kinds: kinds(json) }).toEqual({ exit: 0, kinds: ['approve', 'swap', 'fee'] })
    const fee = BigInt(quote.fees.at(-1).amount.raw)
    expect(await held(usdc())).toBe(fee)
    const paid = mine - (await held(usdc(), sandbox.user.address))
    expect(paid).toBe(BigInt(quote.tokenIn.amount.raw))
    expect((paid * 25n) / 10_000n).toBe(fee)
  })

  test('to another chain pays the fee on the source chain', async () => {
    await collecting()
    const { exit, json } = await run(bridge())
    expect({ exit, kinds: kinds(json) }).toEqual({ exit: 0, kinds: ['approve', 'swap', 'fee'] })
    expect(await held(usdc())).toBe(250_000n)
    expect((await run(`swap status ${json.id} --json`)).json.status).toBe('fulfilled')
  })

  test('pays no fee when the fee rounds to zero', async () => {
    await collecting()
    const { exit, json } = await run(swap().replace('--amount-in 100', '--amount-in 0.000399'))
    expect({ exit, kinds: kinds(json) }).toEqual({ exit: 0, kinds: ['approve', 'swap'] })
  })

  test('is resumed with its fee step after the quote has expired', async () => {
    await collecting()
    const key = '--idempotency-key fee-resumed'
    expect((await run(swap(`${key} --no-wait`))).exit).toBe(20)
    await sentUntil('fee-resumed', 2)
    expect(await held(usdc())).toBe(0n)
    await sandbox.world.warp(3_600)
    const { exit, json, err } = await run('action resume fee-resumed --json')
    expect(err).not.toContain('quote expired')
    expect({ exit, kinds: kinds(json) }).toEqual({ exit: 0, kinds: ['approve', 'swap', 'fee'] })
    expect(await held(usdc())).toBe(250_000n)
  })

  test('without funds for the fee is PARTIAL, and replan pays the fee once', async () => {
    await collecting()
    await run(swap('--idempotency-key fee-later --no-wait'))
    await sentUntil('fee-later', 2)
    const rest = await held(usdc(), sandbox.user.address)
    const move = (from: Address, to: Address) =>
      sandbox.sendAs(31337, from, {
        to: usdc(),
        data: calldata('function transfer(address,uint256)', [to, rest]),
      })
    const friend = (await sandbox.chain(31337).rpc.request<Address[]>('eth_accounts', []))[3]!
    await move(sandbox.user.address, friend)
    const short = await run('action resume fee-later --json')
    expect({ exit: short.exit, code: short.json.error.code }).toEqual({ exit: 21, code: 'PARTIAL' })
    await move(friend, sandbox.user.address)
    const { exit, json } = await run('action replan fee-later --yes --json')
    expect({ exit, status: json.status, kinds: kinds(json) }).toEqual({
      exit: 0,
      status: 'SUCCESS',
      kinds: ['approve', 'swap', 'fee'],
    })
    // The received amount is that of the swap, without the fee.
    const { formatted, symbol } = json.amounts.out
    expect(symbol).toBe('WETH')
    const { funds } = (await run('action explain fee-later --json')).json
    expect(funds).toMatch(`${formatted} WETH: with ${sandbox.user.address}.`)
    expect((await run('action replan fee-later --yes --json')).json.replayed).toBe(true)
    expect(await held(usdc())).toBe(250_000n)
  })

  test('with --pipeline sends the fee only after the swap is mined', async () => {
    await collecting()
    const { rpc } = sandbox.chain(31337)
    await rpc.request('evm_setAutomine', [false])
    try {
      const waiting = await run(swap('--pipeline --idempotency-key fee-at-once --timeout 4s'))
      expect(waiting.exit).toBe(20)
      expect(attempts()).toBe(2)
    } finally {
      await rpc.request('evm_setAutomine', [true])
      await rpc.request('evm_mine', [])
    }
    const { exit, json } = await run('action resume fee-at-once --json')
    expect({ exit, kinds: kinds(json) }).toEqual({ exit: 0, kinds: ['approve', 'swap', 'fee'] })
    expect(await held(usdc())).toBe(250_000n)
  })

  test('is signed from a plan file', async () => {
    await collecting()
    const { out } = await run(swap('--dry-run'))
    const plan = join(home(), 'plan.json')
    writeFileSync(plan, out)
    expect((await run(`action submit ${plan} --yes --json`)).exit).toBe(0)
    expect(await held(usdc())).toBe(250_000n)
  })
})

describe('a swap with a collector, whose provider can pay the fee', () => {
  const by = (provider: string, way: string, more = '') =>
    `swap execute --from sandbox-one --provider ${provider} ${way} --yes --json ${more}`
  const other: Address = '0x5555555555555555555555555555555555555555'
  const tokens = '--token-in USDC --token-out WETH'
  const exactIn = `${tokens} --amount-in 100`
  const exactOut = `${tokens} --amount-out 0.01`
  const bothCollecting = () => collecting(`--markup-bps 10 --collector ${other}`)

  test.each([
    ['uniswap-v3', exactIn, ['approve', 'swap']],
    ['uniswap-v3', exactOut, ['approve', 'swap']],
    ['pancakeswap-v3', '--token-in USDT --token-out WBTC --amount-in 100', ['approve', 'swap']],
    ['uniswap-v4', exactIn, ['approve', 'approve', 'swap']],
    ['uniswap-v4', exactOut, ['approve', 'approve', 'swap']],
    ['kyberswap', exactIn, ['approve', 'swap']],
  ])(
    '%s %s: the swap pays both collectors exactly and leaves nothing in its contract',
    async (provider, way, sent) => {
      await bothCollecting()
      const symbol = way.split(' ')[1]!
      const [me, token] = [sandbox.user.address, sandbox.token(31337, symbol).address]
      const [mine, before] = [await held(token, me), attempts()]
      const { exit, json } = await run(by(provider, way))
      expect({ exit, kinds: kinds(json) }).toEqual({ exit: 0, kinds: sent })
      expect(attempts() - before).toBe(sent.length)
      const [theirs, markup] = [await held(token), await held(token, other)]
      const spent = mine - (await held(token, me))
      const swapped = spent - theirs - markup
      if (way.includes('--amount-in 100'))
        expect([spent, theirs, markup]).toEqual([100_000_000n, 250_000n, 100_000n])
      else expect([theirs, markup]).toEqual([(swapped * 25n) / 9_965n, (swapped * 10n) / 9_965n])
      expect(json.transactions.at(-1).text).toMatch(
        new RegExp(
          `; the swap itself pays the service a fee of [0-9.]+ ${symbol} to ${collector}; .* to ${other}$`,
        ),
      )
      const { to } = json.transactions.at(-1)
      expect(await held(token, to)).toBe(0n)
      expect((await run(`action explain ${json.id} --json`)).json.situation).toBe('DONE')
    },
  )

  test.each([
    ['uniswap-v4', '--token-in ETH --token-out USDC --amount-in 1'],
    ['uniswap-v4', '--token-in ETH --token-out USDC --amount-out 100'],
    ['kyberswap', '--token-in ETH --token-out USDC --amount-in 1'],
  ])('%s %s: the swap pays both collectors in the native coin', async (provider, way) => {
    await bothCollecting()
    const coinOf = (who: Address) =>
      sandbox.chain(31337).rpc.request<string>('eth_getBalance', [who, 'latest']).then(BigInt)
    const [one, two] = [await coinOf(collector), await coinOf(other)]
    const { exit, json } = await run(by(provider, way))
    expect({ exit, kinds: kinds(json) }).toEqual({ exit: 0, kinds: ['swap'] })
    const [theirs, markup] = [(await coinOf(collector)) - one, (await coinOf(other)) - two]
    if (way.includes('amount-in')) expect([theirs, markup]).toEqual([25n * 10n ** 14n, 10n ** 15n])
    else expect(theirs).toBeGreaterThan(markup)
    expect(markup).toBeGreaterThan(0n)
  })

  test('states in quote and plan that the swap pays the fee, and is signed from a plan file', async () => {
    await collecting()
    const { json: quote } = await run(`swap quote --from sandbox-one --provider uniswap-v3 ${exactIn} --json`)
    expect(quote.fees).toMatchObject([{ amount: { raw: '250000' }, to: collector, paidBy: 'action' }])
    const { json: plan, out } = await run(by('uniswap-v3', exactIn, '--dry-run'))
    expect(plan.serviceFees).toMatchObject([{ amount: { raw: '250000' }, to: collector, paidBy: 'action' }])
    expect(plan.steps.map(({ role }: { role: string }) => role)).toEqual(['approve', 'action'])
    expect(plan.steps[1].needs.amount.raw).toBe('100000000')
    const change = plan.simulation.changes.find(({ token }: { token: string }) => token === usdc())
    expect(change.formatted).toBe('-100')
    const text = await run(by('uniswap-v3', exactIn, '--dry-run').replace('--json', ''))
    expect(text.out).toMatch(
      new RegExp(`service fee +0\\.25 USDC \\(\\$0\\.25\\) of 100 to ${collector}, paid by the swap itself`),
    )
    const file = join(home(), 'plan.json')
    writeFileSync(file, out)
    expect((await run(`action submit ${file} --yes --json`)).exit).toBe(0)
    expect(await held(usdc())).toBe(250_000n)
  })

  test('pays no fee until it is sent, and then once', async () => {
    await collecting()
    const begun = await run(by('uniswap-v3', exactIn, '--no-wait --idempotency-key fee-inside'))
    expect(begun.exit).toBe(20)
    expect(await held(usdc())).toBe(0n)
    const { exit, json } = await run('action resume fee-inside --yes --json')
    expect({ exit, kinds: kinds(json) }).toEqual({ exit: 0, kinds: ['approve', 'swap'] })
    const again = await run(by('uniswap-v3', exactIn, '--idempotency-key fee-inside'))
    expect(again.json.replayed).toBe(true)
    expect(await held(usdc())).toBe(250_000n)
    const evidence = join(home(), 'evidence.json')
    expect((await run(`action export fee-inside --out ${evidence} --json`)).exit).toBe(0)
    expect(await run(`action verify ${evidence} --json`)).toMatchObject({ exit: 0 })
  })
})

describe('the limit for service fees', () => {
  test('is 1 % by default, and otherwise that of the policy and of --max-service-fee', async () => {
    await collecting('--swap-fee-bps 150')
    const error = await refused(swap(), 'POLICY_SERVICE_FEE')
    expect(error.hint).toBe('If you accept it: --max-service-fee 1.5%')
    await refused(swap('--max-service-fee 149bps'), 'POLICY_SERVICE_FEE')
    const { out } = await run(swap('--max-service-fee 1.5% --dry-run'))
    const plan = join(home(), 'plan.json')
    writeFileSync(plan, out)
    writePolicy({ maxServiceFeeBps: 150 })
    await refused(`policy check ${plan} --json`, 'POLICY_SERVICE_FEE')
    const { json: report } = await run(`policy check ${plan} --max-service-fee 2% --json`)
    expect(report.rules).toMatchObject([{ rule: 'maxServiceFeeBps', found: '150 bps', met: true }])
    await refused(`action submit ${plan} --yes --json`, 'POLICY_SERVICE_FEE')
    expect((await run(`action submit ${plan} --yes --json --max-service-fee 150bps`)).exit).toBe(0)
    expect((await run(swap('--max-service-fee 1.5%'))).exit).toBe(0)
    expect(await held(usdc())).toBe(3_000_000n)
  })

  test.each(['1', '-1%', '101%', '0.5bps', ''])(
    'needs a share with a unit: "%s" is refused',
    async (text) => {
      const ran = await signsNothing(() => run([...swap().trim().split(' '), '--max-service-fee', text]))
      expect({ exit: ran.exit, code: ran.json.error.code }).toEqual({ exit: 2, code: 'USAGE' })
    },
  )

  test.each([
    [{ maxServiceFeeBps: 24 }, 'POLICY_SERVICE_FEE'],
    [{ maxServiceFeeBps: 0 }, 'POLICY_SERVICE_FEE'],
    [{ receivers: [] }, 'POLICY_RECIPIENT'],
  ])('does not override the policy %o', async (policy, code) => {
    await collecting()
    writePolicy(policy)
    await refused(swap('--max-service-fee 5%'), code)
  })

  test('accepts a fee that the policy allows', async () => {
    await collecting()
    writePolicy({
      maxServiceFeeBps: 25,
      receivers: [collector],
      perTransaction: { 'sandbox-one:USDC': '100' },
    })
    expect((await run(swap())).exit).toBe(0)
  })
})
