import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { transfer } from '../../../src/chain/erc20.ts'
import type { Address, Hex } from '../../../src/domain/address.ts'
import { receiptOf } from '../../../src/sandbox/mined-transactions.ts'
import { cells, engineOn, operating, perform } from '../../support/engine.ts'
import {
  type HostileService,
  type Lies,
  startHostileService,
  type Wire,
} from '../../support/services/hostile-service.ts'
import { rpcEnvOf, useCommands } from '../../support/use-commands.ts'
import { calldata, useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run, home, signsNothing } = useCommands(sandbox)
const apiKey = 'key-12345'
const operator: Address = '0x7777777777777777777777777777777777777777'
const customer: Address = '0x5555555555555555555555555555555555555555'
const thief: Address = '0x6666666666666666666666666666666666666666'
const slug = 'aave-v3-usdc-sandbox-one'
const usdc = () => sandbox.token(31337, 'USDC').address
const held = (who: Address, token = usdc(), chainId = 31337) => sandbox.balanceOf(chainId, token, who)
const swap = (more = '--amount-in 100', name = 'swap') =>
  `swap execute --from sandbox-one --token-in USDC --token-out WETH ${more} --provider uniswap-v2 --yes --json --idempotency-key two-${name}`
const bridge =
  'swap execute --from sandbox-one --to sandbox-two --token-in USDC --token-out USDC --amount-in 100 --yes --json --idempotency-key two-far-away'
const withdraw = `withdraw ${slug} --amount 105 --yes --json --idempotency-key two-leaving --max-service-fee 2%`
const collecting = () =>
  run(`fees set --operator-collector ${operator} --markup-bps 10 --collector ${customer} --json`)
const kinds = (json: { transactions: { kind: string }[] }) => json.transactions.map(({ kind }) => kind)

/** Makes a position of 100 with more than 10 of profit, through a service that charges nothing. */
const invested = async () => {
  const { service: free } = engineOn(sandbox)
  const lend = { id: slug, action: 'lend' as const, amount: 100_000_000n, wallet: sandbox.user.address }
  await perform(sandbox, sandbox.user.address, (await free.strategyBytecode(lend)).bytecode)
  await sandbox.world.warp(4 * 365 * 86_400)
}

describe('with collectors of the operator and of the customer', () => {
  test('a swap pays each its exact fee in a step of its own, as quote and plan state', async () => {
    await collecting()
    const ask =
      'swap quote --from sandbox-one --token-in USDC --token-out WETH --amount-in 100 --provider uniswap-v2'
    const { json: quote } = await run(`${ask} --json`)
    expect(quote.fees).toMatchObject([
      { kind: 'service', bps: 25, amount: { raw: '250000' }, of: { raw: '100000000' }, to: operator },
      { kind: 'markup', bps: 10, amount: { raw: '100000' }, of: { raw: '100000000' }, to: customer },
    ])
    const { json: plan } = await run(`${swap('--amount-in 100', 'plan')} --dry-run`)
    expect(plan.serviceFees).toMatchObject([
      { amount: { raw: '250000' }, to: operator },
      { amount: { raw: '100000' }, to: customer },
    ])
    expect(plan.steps.map(({ role }: { role: string }) => role)).toEqual(['approve', 'action', 'fee', 'fee'])
    expect(plan.steps[1].needs.amount.raw).toBe('99650000')
    const mine = await held(sandbox.user.address)
    const { exit, json } = await run(swap())
    expect({ exit, kinds: kinds(json) }).toEqual({ exit: 0, kinds: ['approve', 'swap', 'fee', 'fee'] })
    expect([await held(operator), await held(customer)]).toEqual([250_000n, 100_000n])
    expect(mine - (await held(sandbox.user.address))).toBe(100_000_000n)
    expect((await run(`action explain ${json.id} --json`)).json.situation).toBe('DONE')
    expect((await run(`swap status ${json.id} --json`)).json.status).toBe('fulfilled')
  })

  test('an exact output pays both fees on top, and a bridge pays both on the source chain', async () => {
    await collecting()
    const mine = await held(sandbox.user.address)
    const { exit, json } = await run(swap('--amount-out 0.01'))
    expect({ exit, kinds: kinds(json) }).toEqual({ exit: 0, kinds: ['approve', 'swap', 'fee', 'fee'] })
    const paid = mine - (await held(sandbox.user.address))
    const [theirs, markup] = [await held(operator), await held(customer)]
    const swapped = paid - theirs - markup
    expect([theirs, markup]).toEqual([(swapped * 25n) / 9_965n, (swapped * 10n) / 9_965n])
    const far = await run(bridge)
    expect({ exit: far.exit, kinds: kinds(far.json) }).toEqual({
      exit: 0,
      kinds: ['approve', 'swap', 'fee', 'fee'],
    })
    expect([(await held(operator)) - theirs, (await held(customer)) - markup]).toEqual([250_000n, 100_000n])
  })

  test('a withdrawal pays each its share of the profit', async () => {
    await collecting()
    await run(`deposit ${slug} --amount 100 --yes --json`)
    await sandbox.world.warp(4 * 365 * 86_400)
    const { exit, json } = await run(withdraw)
    expect({ exit, kinds: kinds(json) }).toEqual({ exit: 0, kinds: ['withdraw', 'fee', 'fee'] })
    // 5 of the 105 are profit: 5 % of it, and 0.1 %.
    expect([await held(operator), await held(customer)]).toEqual([250_000n, 5_000n])
    const { funds } = (await run(`action explain ${json.id} --json`)).json
    expect(funds).toContain('Of that, 0.255 USDC went to the service.')
  })

  test.each([
    ['none', 0],
    ['one', 1],
  ])(
    'after %s of the two fees was paid and the funds were gone, replan pays each fee once',
    async (_, before) => {
      await collecting()
      const { json: begun } = await run(`${swap()} --no-wait`)
      const { id } = begun.error.details
      const sent = async (): Promise<Hex[]> =>
        (await run(`action show ${id} --json`)).json.transactions.flatMap(({ hash }: { hash: Hex | null }) =>
          hash === null ? [] : [hash],
        )
      // Approval, swap and some fees; a run that finds the last transaction unmined sends nothing.
      while ((await sent()).length < 2 + before) await run(`action resume ${id} --no-wait --yes --json`)
      for (const hash of await sent()) await receiptOf(sandbox.chain(31337).rpc, hash)
      const rest = await held(sandbox.user.address)
      const friend = (await sandbox.chain(31337).rpc.request<Address[]>('eth_accounts', []))[3]!
      const move = (from: Address, to: Address) =>
        sandbox.sendAs(31337, from, {
          to: usdc(),
          data: calldata('function transfer(address,uint256)', [to, rest]),
        })
      await move(sandbox.user.address, friend)
      const short = await run(`action resume ${id} --yes --json`)
      expect({ exit: short.exit, code: short.json.error.code }).toEqual({ exit: 21, code: 'PARTIAL' })
      await move(friend, sandbox.user.address)
      const { exit, json } = await run(`action replan ${id} --yes --json`)
      expect({ exit, kinds: kinds(json) }).toEqual({ exit: 0, kinds: ['approve', 'swap', 'fee', 'fee'] })
      expect([await held(operator), await held(customer)]).toEqual([250_000n, 100_000n])
      const file = join(home(), 'evidence.json')
      expect((await run(`action export ${id} --out ${file} --json`)).exit).toBe(0)
      expect(await run(`action verify ${file} --json`)).toMatchObject({ exit: 0 })
    },
  )
})

describe('a service that charges two fees', () => {
  let service: HostileService
  beforeEach(async () => {
    const { service: engine, context } = engineOn(sandbox)
    await operating(context, { operatorCollector: operator, performanceFeeBps: 1_000 })
    await engine.setFees({ collector: customer, markupBps: 50 })
    service = await startHostileService(engine, apiKey)
  })
  afterEach(() => service.stop())

  const lied = (line: string, lies: Lies) => {
    service.lies = lies
    return run(line, {
      env: { ...rpcEnvOf(sandbox), SLUICE_BASE_URL: service.url },
      secrets: { privateKey: sandbox.user.key, apiKey },
    })
  }
  type Item = { to: string; data: string; value: string; chainId: number }
  const word = (data: string, at: number, value: bigint | string): string =>
    `${data.slice(0, 10 + at * 64)}${BigInt(value).toString(16).padStart(64, '0')}${data.slice(74 + at * 64)}`
  const more = (item: Item): Item => ({
    ...item,
    data: word(item.data, 1, BigInt(`0x${item.data.slice(74)}`) + 1n),
  })
  const stolen = (item: Item): Item => ({ ...item, data: word(item.data, 0, thief) })
  const third = (): Item => {
    const { value, ...rest } = transfer({ chainId: 31337, token: usdc(), to: thief, amount: 1n })
    return { ...rest, value: String(value) }
  }
  const fees = (change: (both: Item[]) => Item[]): Lies => ({
    swapBytecode: (body) => ({ ...body, feeData: change(body.feeData) }),
    strategyBytecode: (body) => ({
      ...body,
      bytecode: [...body.bytecode.slice(0, -2), ...change(body.bytecode.slice(-2))],
    }),
  })
  const words = (change: (both: Wire[]) => Wire[]): Lies => ({
    quote: ({ quote }) => {
      const own = (quote.fees as Wire[]).filter(({ to }) => !to)
      return { quote: { ...quote, fees: [...own, ...change((quote.fees as Wire[]).filter(({ to }) => to))] } }
    },
    strategyBytecode: (body) => ({ ...body, fees: change(body.fees) }),
  })

  test.each([
    ['a swap', swap(), [250_000n, 500_000n]],
    ['a bridge', bridge, [250_000n, 500_000n]],
    ['a withdrawal', withdraw, [500_000n, 25_000n]],
  ])('receives both stated fees for %s', async (_, line, paid) => {
    if (line === withdraw) await invested()
    expect((await lied(line, {})).exit).toBe(0)
    expect([await held(operator), await held(customer)]).toEqual(paid)
  })

  const lies: [name: string, lie: () => Lies, code: string][] = [
    [
      'the first fee to another recipient',
      () => fees(([one, two]) => [stolen(one!), two!]),
      'POLICY_RECIPIENT',
    ],
    [
      'the second fee to another recipient',
      () => fees(([one, two]) => [one!, stolen(two!)]),
      'POLICY_RECIPIENT',
    ],
    ['a higher first fee', () => fees(([one, two]) => [more(one!), two!]), 'POLICY_AMOUNT'],
    ['a higher second fee', () => fees(([one, two]) => [one!, more(two!)]), 'POLICY_AMOUNT'],
    ['the first fee twice', () => fees(([one]) => [one!, one!]), 'POLICY_RECIPIENT'],
    ['a third fee', () => fees((both) => [...both, third()]), 'POLICY_SHAPE'],
    ['only one fee', () => fees(([one]) => [one!]), 'POLICY_SHAPE'],
    ['two fees with one stated', () => words(([one]) => [one!]), 'POLICY_SHAPE'],
    [
      'three stated fees',
      () => words(([one, two]) => [one!, two!, { ...two, to: thief }]),
      'POLICY_SERVICE_FEE',
    ],
    [
      'both fees stated for one collector',
      () => words(([one, two]) => [one!, { ...two, to: operator }]),
      'POLICY_SERVICE_FEE',
    ],
    ['a lower stated fee', () => words(([one, two]) => [one!, { ...two, amount: '1' }]), 'POLICY_AMOUNT'],
    [
      'a fee stated in another token',
      () => words(([one, two]) => [one!, { ...two, token: sandbox.token(31337, 'WETH').address }]),
      'POLICY_SERVICE_FEE',
    ],
  ]
  test.each(
    // Swaps and withdrawals in turn; with `SLUICE_CELLS=all` each case runs with both.
    lies.flatMap(([name, lie, code], at) =>
      [swap(), withdraw]
        .filter((_, kind) => cells(1, 2) === 2 || kind === at % 2)
        .map((line) => [name, line.split(' ')[0]!, line, lie, code] as const),
    ),
  )('%s: a %s is refused, and nothing is signed', async (_, _kind, line, lie, code) => {
    if (line === withdraw) await invested()
    const ran = await signsNothing(() => lied(line, lie()))
    expect({ exit: ran.exit, code: ran.json.error?.code }).toEqual({ exit: 8, code })
    expect([await held(operator), await held(customer), await held(thief)]).toEqual([0n, 0n, 0n])
  })

  test('both fees together above --max-service-fee are refused, and the hint names a sufficient limit', async () => {
    const { exit, json } = await signsNothing(() => lied(`${swap()} --max-service-fee 0.7%`, {}))
    expect({ exit, code: json.error.code, hint: json.error.hint }).toEqual({
      exit: 8,
      code: 'POLICY_SERVICE_FEE',
      hint: 'If you accept it: --max-service-fee 0.75%',
    })
    expect((await lied(`${swap()} --max-service-fee 0.75%`, {})).exit).toBe(0)
  })
})
