import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { approve, transfer } from '../../../src/chain/erc20.ts'
import type { Address } from '../../../src/domain/address.ts'
import { engineOn, inTurn, operating, perform } from '../../support/engine.ts'
import {
  type HostileService,
  type Lies,
  startHostileService,
  type Wire,
} from '../../support/services/hostile-service.ts'
import { rpcEnvOf, useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run, signsNothing } = useCommands(sandbox)
const apiKey = 'key-12345'
const collector: Address = '0x7777777777777777777777777777777777777777'
const thief: Address = '0x6666666666666666666666666666666666666666'
const slug = 'aave-v3-usdc-sandbox-one'
const key = (name: string) => `--yes --json --idempotency-key fee-lie-${name}`
const swap = `swap execute --from sandbox-one --token-in USDC --token-out WETH --amount-in 100 --provider uniswap-v2 ${key('swap')}`
const exactOut = `swap execute --from sandbox-one --token-in USDC --token-out WETH --amount-out 0.01 --provider uniswap-v2 ${key('out')}`
const bridge = `swap execute --from sandbox-one --to sandbox-two --token-in USDC --token-out USDC --amount-in 100 ${key('far')}`
const withdraw = `withdraw ${slug} --amount 105 ${key('out')} --max-service-fee 2%`
const everything = `withdraw ${slug} --amount max ${key('all')} --max-service-fee 2%`
const deposit = `deposit ${slug} --amount 100 ${key('in')}`
const across = `deposit aave-v3-usdc-sandbox-two --from sandbox-one --amount 100 ${key('in-far')}`

let service: HostileService
beforeEach(async () => {
  const { service: engine, context } = engineOn(sandbox)
  await operating(context, { operatorCollector: collector, performanceFeeBps: 1_000 })
  service = await startHostileService(engine, apiKey)
})
afterEach(() => service.stop())

const held = (who: Address, chainId = 31337) =>
  sandbox.balanceOf(chainId, sandbox.token(chainId, 'USDC').address, who)
const lied = (line: string, lies: Lies) => {
  service.lies = lies
  return run(line, {
    env: { ...rpcEnvOf(sandbox), SLUICE_BASE_URL: service.url },
    secrets: { privateKey: sandbox.user.key, apiKey },
  })
}
/** Makes a position of 100 with more than 10 of profit, through a service that charges nothing. */
const invested = async () => {
  const { service: free } = engineOn(sandbox)
  const made = await free.strategyBytecode({
    id: slug,
    action: 'lend',
    amount: 100_000_000n,
    wallet: sandbox.user.address,
  })
  await perform(sandbox, sandbox.user.address, made.bytecode)
  await sandbox.world.warp(4 * 365 * 86_400)
}

type Item = { to: string; data: string; value: string; chainId: number }
const word = (data: string, at: number, value: bigint | string): string =>
  `${data.slice(0, 10 + at * 64)}${BigInt(value).toString(16).padStart(64, '0')}${data.slice(74 + at * 64)}`
const wire = ({ value, ...rest }: ReturnType<typeof transfer>): Item => ({ ...rest, value: String(value) })
const usdc = () => sandbox.token(31337, 'USDC').address
const paid = (to: Address, amount: bigint, token = usdc()) =>
  wire(transfer({ chainId: 31337, token, to, amount }))

/** Changes the fee payments of a swap. */
const payment = (change: (fee: Item) => Item[]): Lies => ({
  swapBytecode: (body) => {
    return { ...body, feeData: change(body.feeData as Item) }
  },
})
/** Changes the fee that a quote states. */
const statement = (change: (fee: Wire) => Wire[]): Lies => ({
  quote: ({ quote }) => {
    const stated = (quote.fees as Wire[]).filter(({ to }) => to)
    const others = (quote.fees as Wire[]).filter(({ to }) => !to)
    return { quote: { ...quote, fees: [...others, ...stated.flatMap(change)] } }
  },
})
/** Changes the transactions of a withdrawal or a deposit, and the fees that it states. */
const bytecode = (change: (items: Item[]) => Item[], say = (fees: Wire[]): Wire[] => fees): Lies => ({
  strategyBytecode: (body) => ({ ...body, bytecode: change(body.bytecode), fees: say(body.fees) }),
})
const last = (change: (fee: Item) => Item[]) =>
  bytecode((all) => [...all.slice(0, -1), ...change(all.at(-1)!)])

describe('an honest service with fees', () => {
  test.each([
    ['a swap', swap, 250_000n],
    ['a bridge', bridge, 250_000n],
  ])('receives the stated fee for %s', async (_, line, fee) => {
    const ran = await lied(line, {})
    expect(ran.exit).toBe(0)
    expect(await held(collector)).toBe(fee)
  })

  test('prints the collectors in fees show and fees set as the sandbox does', async () => {
    await run(`fees set --performance-fee-bps 1000 --operator-collector ${collector} --json`)
    for (const line of ['fees set --markup-bps 7 --collector none --json', 'fees show --json']) {
      const { json } = await lied(line, {})
      expect(json).toMatchObject({ swapFeeBps: 25, operatorCollector: collector, collector: null })
      expect((await run(line)).json).toEqual(json)
    }
    const line = `fees set --collector ${thief} --json`
    expect((await lied(line, {})).out).toBe((await run(line)).out)
  })

  test('refuses operator settings in fees set', async () => {
    for (const flag of [
      '--swap-fee-bps 0',
      '--performance-fee-bps 0',
      '--max-markup-bps 100',
      `--operator-collector ${thief}`,
      '--database x.db',
    ]) {
      const { exit, json } = await lied(`fees set ${flag} --markup-bps 1 --json`, {})
      expect([flag, exit, json.error?.code]).toEqual([flag, 2, 'USAGE'])
    }
    expect((await lied('fees show --json', {})).json).toMatchObject({
      operatorCollector: collector,
      performanceFeeBps: 1_000,
      markupBps: 0,
    })
  })

  test('receives its fee for a withdrawal, and the local rebuild is equal', async () => {
    await invested()
    const plan = await lied(`${everything} --dry-run`, {})
    expect(plan.json).toMatchObject({ reference: 'equal', serviceFees: [{ to: collector }] })
    expect((await lied(withdraw, {})).exit).toBe(0)
    // 5 of the 105 are profit, and a tenth of that is charged.
    expect(await held(collector)).toBe(500_000n)
  })
})

describe('a false service fee', () => {
  type Lie = [name: string, line: string, lies: () => Lies, code: string]
  const swaps: Lie[] = [
    [
      'another recipient',
      swap,
      () => payment((fee) => [{ ...fee, data: word(fee.data, 0, thief) }]),
      'POLICY_RECIPIENT',
    ],
    [
      'a higher payment than stated',
      swap,
      () => payment((fee) => [{ ...fee, data: word(fee.data, 1, 250_001n) }]),
      'POLICY_AMOUNT',
    ],
    [
      'another token',
      swap,
      () => payment((fee) => [{ ...fee, to: sandbox.token(31337, 'USDT').address }]),
      'POLICY_SERVICE_FEE',
    ],
    [
      'the native coin',
      swap,
      () => payment(() => [{ to: collector, data: '0x', value: '250000', chainId: 31337 }]),
      'POLICY_SERVICE_FEE',
    ],
    ['native value with the payment', swap, () => payment((fee) => [{ ...fee, value: '1' }]), 'POLICY_VALUE'],
    ['two payments', swap, () => payment((fee) => [fee, fee]), 'POLICY_SHAPE'],
    [
      'a second payment to another recipient',
      swap,
      () => payment((fee) => [fee, paid(thief, 1n)]),
      'POLICY_SHAPE',
    ],
    [
      'an approval instead of a payment',
      swap,
      () =>
        payment(() => [
          wire(approve({ chainId: 31337, token: usdc(), spender: collector, amount: 250_000n })),
        ]),
      'POLICY_DECODE',
    ],
    [
      'trailing bytes in the calldata',
      swap,
      () => payment((fee) => [{ ...fee, data: `${fee.data}00` }]),
      'POLICY_DECODE',
    ],
    ['a stated fee without a payment', swap, () => payment(() => []), 'POLICY_SHAPE'],
    ['a payment without a stated fee', swap, () => statement(() => []), 'POLICY_SHAPE'],
    ['two stated fees for one payment', swap, () => statement((fee) => [fee, fee]), 'POLICY_SHAPE'],
    [
      'an unreadable stated amount',
      swap,
      () => statement((fee) => [{ ...fee, amount: 'a little' }]),
      'POLICY_SERVICE_FEE',
    ],
    [
      'a fee stated in another token',
      swap,
      () => statement((fee) => [{ ...fee, token: sandbox.token(31337, 'WETH').address }]),
      'POLICY_SERVICE_FEE',
    ],
    [
      'a fee stated on another chain',
      swap,
      () => statement((fee) => [{ ...fee, chainId: 31338 }]),
      'POLICY_SERVICE_FEE',
    ],
    [
      'a lower stated fee than paid',
      swap,
      () => statement((fee) => [{ ...fee, amount: '1' }]),
      'POLICY_AMOUNT',
    ],
    [
      'a fee on more than is swapped',
      swap,
      () => statement((fee) => [{ ...fee, of: '100000001' }]),
      'POLICY_SERVICE_FEE',
    ],
    [
      'a stated fee above the limit',
      swap,
      () => ({
        ...statement((fee) => [{ ...fee, amount: '1000001' }]),
        ...payment(() => [paid(collector, 1_000_001n)]),
      }),
      'POLICY_AMOUNT',
    ],
    [
      'a higher payment than stated for an exact output',
      exactOut,
      () => payment((fee) => [{ ...fee, data: word(fee.data, 1, BigInt(`0x${fee.data.slice(74)}`) + 1n) }]),
      'POLICY_AMOUNT',
    ],
    [
      'another recipient for a bridge',
      bridge,
      () => payment((fee) => [{ ...fee, data: word(fee.data, 0, thief) }]),
      'POLICY_RECIPIENT',
    ],
  ]
  const withdrawals: Lie[] = [
    [
      'another recipient',
      withdraw,
      () => last((fee) => [{ ...fee, data: word(fee.data, 0, thief) }]),
      'POLICY_RECIPIENT',
    ],
    [
      'a higher payment than stated',
      withdraw,
      () => last((fee) => [{ ...fee, data: word(fee.data, 1, 500_001n) }]),
      'POLICY_AMOUNT',
    ],
    ['two payments', withdraw, () => last((fee) => [fee, fee]), 'POLICY_SHAPE'],
    [
      'a payment without a stated fee',
      withdraw,
      () =>
        bytecode(
          (all) => all,
          () => [],
        ),
      'POLICY_SHAPE',
    ],
    ['a stated fee without a payment', withdraw, () => last(() => []), 'POLICY_SHAPE'],
    [
      'a stated fee above the limit',
      withdraw,
      () =>
        bytecode(
          (all) => [...all.slice(0, -1), paid(collector, 2_100_001n)],
          ([fee]) => [{ ...fee, amount: '2100001' }],
        ),
      'POLICY_SERVICE_FEE',
    ],
    [
      'a fee on more than is withdrawn',
      withdraw,
      () =>
        bytecode(
          (all) => all,
          ([fee]) => [{ ...fee, of: '105000001' }],
        ),
      'POLICY_SERVICE_FEE',
    ],
    [
      'a fee on more than the whole position pays out',
      everything,
      () =>
        bytecode(
          (all) => [...all.slice(0, -1), paid(collector, 20_000_000n)],
          ([fee]) => [{ ...fee, amount: '20000000', of: '1000000000' }],
        ),
      'POLICY_SIMULATION',
    ],
  ]
  const deposits: Lie[] = [
    [
      'a payment for a deposit',
      deposit,
      () => bytecode((all) => [...all, paid(collector, 1n)]),
      'POLICY_SHAPE',
    ],
    [
      'a stated payment for a deposit',
      deposit,
      () =>
        bytecode(
          (all) => [...all, paid(collector, 1n)],
          () => [
            { kind: 'service', token: usdc(), chainId: 31337, amount: '1', of: '100000000', to: collector },
          ],
        ),
      'POLICY_SHAPE',
    ],
    [
      'a stated payment for the bridge of a deposit',
      across,
      () => ({
        strategyBytecode: (body: Wire) => {
          const [one, two, ...home] = body.bytecode
          const fees = [
            ...body.quote.fees,
            { kind: 'service', token: usdc(), chainId: 31337, amount: '1', of: '100000000', to: collector },
          ]
          return {
            ...body,
            quote: { ...body.quote, fees },
            bytecode: [one, two, paid(collector, 1n), ...home],
          }
        },
      }),
      'POLICY_SHAPE',
    ],
  ]

  const refusedFor = async (line: string, lies: Lies, code: string) => {
    const ran = await signsNothing(() => lied(line, lies))
    expect({ exit: ran.exit, code: ran.json.error?.code, why: ran.json.error?.message }).toMatchObject({
      exit: 8,
      code,
    })
    expect([await held(collector), await held(thief)]).toEqual([0n, 0n])
  }

  test.each(inTurn([...swaps, ...deposits], 2, 0))(
    'is refused, and nothing is signed: %s',
    async (_, line, lies, code) => {
      await refusedFor(line, lies(), code)
    },
  )

  test.each(inTurn(withdrawals, 2, 1))(
    'is refused for a withdrawal, and nothing is signed: %s',
    async (_, line, lies, code) => {
      await invested()
      await refusedFor(line, lies(), code)
    },
  )
})

/** A swap whose provider can pay the fee inside it. */
const inside = swap.replace('--provider uniswap-v2', '--provider uniswap-v3')
const paidBy = (who: unknown): Lies => statement((fee) => [{ ...fee, paidBy: who }])

describe('a swap that pays the fee itself', () => {
  test.each<[string, () => Lies, string]>([
    ['an additional fee step', () => payment(() => [paid(collector, 250_000n)]), 'POLICY_SHAPE'],
    ['a fee stated as paid by a step', () => paidBy('step'), 'POLICY_SHAPE'],
    ['a fee without paidBy', () => statement(({ paidBy: _, ...fee }) => [fee]), 'POLICY_SHAPE'],
    [
      'a fee stated and paid by a step',
      () => ({ ...paidBy('step'), ...payment(() => [paid(collector, 250_000n)]) }),
      'POLICY_SERVICE_FEE',
    ],
    ['an unknown paidBy', () => paidBy('somebody'), 'POLICY_SERVICE_FEE'],
    ['no stated fee', () => statement(() => []), 'POLICY_AMOUNT'],
    ['a lower stated fee', () => statement((fee) => [{ ...fee, amount: '1' }]), 'POLICY_AMOUNT'],
    ['another stated collector', () => statement((fee) => [{ ...fee, to: thief }]), 'POLICY_SERVICE_FEE'],
  ])('is refused, and nothing is signed: %s', async (_, lies, code) => {
    const ran = await signsNothing(() => lied(inside, lies()))
    expect({ exit: ran.exit, code: ran.json.error?.code }).toEqual({ exit: 8, code })
    expect(await held(collector)).toBe(0n)
  })

  test('is one transaction, and a fee step stated as paid by the swap is refused', async () => {
    expect((await signsNothing(() => lied(swap, paidBy('action')))).json.error?.code).toBe('POLICY_SHAPE')
    const { exit, json } = await lied(inside, {})
    const kinds = json.transactions.map(({ kind }: { kind: string }) => kind)
    expect({ exit, kinds }).toEqual({ exit: 0, kinds: ['approve', 'swap'] })
    expect(await held(collector)).toBe(250_000n)
  })
})

describe('--slippage with a service fee', () => {
  const slipping = (size: string) =>
    lied(`${swap.replace('--provider uniswap-v2 --yes', '--dry-run')} --slippage ${size}`, {})

  test('is split between fee and price when it is wide enough for both', async () => {
    const { exit, json } = await slipping('0.5%')
    expect(exit).toBe(0)
    expect(json.serviceFees).toHaveLength(1)
    expect(json.slippages[0]).toMatchObject({ by: 'own engine' })
    expect(json.slippages[0].share).toBeGreaterThan(0.0025)
    expect(json.slippages[0].share).toBeLessThanOrEqual(0.005)
  })

  test('narrower than the fee is refused, and the hint names a sufficient one', async () => {
    const { exit, json } = await slipping('0.2%')
    expect({ exit, code: json.error?.code }).toEqual({ exit: 8, code: 'POLICY_MIN_OUT' })
    expect(json.error.message).toContain('including the service fee')
    const [, accepted] = /--slippage (\S+)$/.exec(json.error.hint) ?? []
    expect((await slipping(accepted!)).exit).toBe(0)
  })
})
