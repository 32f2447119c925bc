import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { approve, transfer } from '../../src/chain/erc20.ts'
import type { Address } from '../../src/domain/address.ts'
import { engineOn, operating, perform } from '../support/engine.ts'
import {
  type HostileService,
  type Lies,
  startHostileService,
  type Wire,
} from '../support/services/hostile-service.ts'
import { rpcEnvOf, useCommands } from '../support/use-commands.ts'
import { useSandbox } from '../support/use-sandbox.ts'

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
/** A position of 100 with a profit of more than 10, made by somebody who is charged nothing. */
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

/** Another payment behind the swap, or none, or more. */
const payment = (change: (fee: Item) => Item[]): Lies => ({
  swapBytecode: (body) => {
    return { ...body, feeData: change(body.feeData as Item) }
  },
})
/** Another word about the fee in the quote. */
const statement = (change: (fee: Wire) => Wire[]): Lies => ({
  quote: ({ quote }) => {
    const stated = (quote.fees as Wire[]).filter(({ to }) => to)
    const others = (quote.fees as Wire[]).filter(({ to }) => !to)
    return { quote: { ...quote, fees: [...others, ...stated.flatMap(change)] } }
  },
})
/** Another payment behind a withdrawal or a deposit, and another word about it. */
const bytecode = (change: (items: Item[]) => Item[], say = (fees: Wire[]): Wire[] => fees): Lies => ({
  strategyBytecode: (body) => ({ ...body, bytecode: change(body.bytecode), fees: say(body.fees) }),
})
const last = (change: (fee: Item) => Item[]) =>
  bytecode((all) => [...all.slice(0, -1), ...change(all.at(-1)!)])

describe('an honest service is paid what it said', () => {
  test.each([
    ['a swap', swap, 250_000n],
    ['a bridge', bridge, 250_000n],
  ])('for %s', async (_, line, fee) => {
    const ran = await lied(line, {})
    expect(ran.exit).toBe(0)
    expect(await held(collector)).toBe(fee)
  })

  test('and is told who collects the markup, or that nobody does, as the sandbox is', async () => {
    await run(`fees set --performance-fee-bps 1000 --operator-collector ${collector} --json`)
    for (const line of ['fees set --markup-bps 7 --collector none --json', 'fees show --json']) {
      const { json } = await lied(line, {})
      expect(json).toMatchObject({ swapFeeBps: 25, operatorCollector: collector, collector: null })
      expect((await run(line)).json).toEqual(json)
    }
    const line = `fees set --collector ${thief} --json`
    expect((await lied(line, {})).out).toBe((await run(line)).out)
  })

  test('and not what its operator charges: that is set where the service is', async () => {
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

  test('for a withdrawal, which our own engine would build the same', async () => {
    await invested()
    const plan = await lied(`${everything} --dry-run`, {})
    expect(plan.json).toMatchObject({ reference: 'equal', serviceFees: [{ to: collector }] })
    expect((await lied(withdraw, {})).exit).toBe(0)
    // 5 of the 105 are profit, and a tenth of that is charged.
    expect(await held(collector)).toBe(500_000n)
  })
})

describe('a service that charges', () => {
  type Lie = [name: string, line: string, lies: () => Lies, code: string]
  const swaps: Lie[] = [
    [
      'for somebody else',
      swap,
      () => payment((fee) => [{ ...fee, data: word(fee.data, 0, thief) }]),
      'POLICY_RECIPIENT',
    ],
    [
      'more than it said',
      swap,
      () => payment((fee) => [{ ...fee, data: word(fee.data, 1, 250_001n) }]),
      'POLICY_AMOUNT',
    ],
    [
      'in another token',
      swap,
      () => payment((fee) => [{ ...fee, to: sandbox.token(31337, 'USDT').address }]),
      'POLICY_SERVICE_FEE',
    ],
    [
      'in the native coin',
      swap,
      () => payment(() => [{ to: collector, data: '0x', value: '250000', chainId: 31337 }]),
      'POLICY_SERVICE_FEE',
    ],
    ['a coin beside', swap, () => payment((fee) => [{ ...fee, value: '1' }]), 'POLICY_VALUE'],
    ['twice', swap, () => payment((fee) => [fee, fee]), 'POLICY_SHAPE'],
    ['once more for somebody else', swap, () => payment((fee) => [fee, paid(thief, 1n)]), 'POLICY_SHAPE'],
    [
      'by an approval',
      swap,
      () =>
        payment(() => [
          wire(approve({ chainId: 31337, token: usdc(), spender: collector, amount: 250_000n })),
        ]),
      'POLICY_DECODE',
    ],
    [
      'with a tail in the calldata',
      swap,
      () => payment((fee) => [{ ...fee, data: `${fee.data}00` }]),
      'POLICY_DECODE',
    ],
    ['what it said, inside the swap', swap, () => payment(() => []), 'POLICY_SHAPE'],
    ['without a word', swap, () => statement(() => []), 'POLICY_SHAPE'],
    ['with two words for one step', swap, () => statement((fee) => [fee, fee]), 'POLICY_SHAPE'],
    [
      'with a word that nobody can read',
      swap,
      () => statement((fee) => [{ ...fee, amount: 'a little' }]),
      'POLICY_SERVICE_FEE',
    ],
    [
      'with a word about another token',
      swap,
      () => statement((fee) => [{ ...fee, token: sandbox.token(31337, 'WETH').address }]),
      'POLICY_SERVICE_FEE',
    ],
    [
      'with a word about another chain',
      swap,
      () => statement((fee) => [{ ...fee, chainId: 31338 }]),
      'POLICY_SERVICE_FEE',
    ],
    [
      'with less of a word than it takes',
      swap,
      () => statement((fee) => [{ ...fee, amount: '1' }]),
      'POLICY_AMOUNT',
    ],
    [
      'of more than is swapped',
      swap,
      () => statement((fee) => [{ ...fee, of: '100000001' }]),
      'POLICY_SERVICE_FEE',
    ],
    [
      'more than is allowed, and says so',
      swap,
      () => ({
        ...statement((fee) => [{ ...fee, amount: '1000001' }]),
        ...payment(() => [paid(collector, 1_000_001n)]),
      }),
      'POLICY_AMOUNT',
    ],
    [
      'for an exact output more than it said',
      exactOut,
      () => payment((fee) => [{ ...fee, data: word(fee.data, 1, BigInt(`0x${fee.data.slice(74)}`) + 1n) }]),
      'POLICY_AMOUNT',
    ],
    [
      'for a bridge to somebody else',
      bridge,
      () => payment((fee) => [{ ...fee, data: word(fee.data, 0, thief) }]),
      'POLICY_RECIPIENT',
    ],
  ]
  const withdrawals: Lie[] = [
    [
      'somebody else',
      withdraw,
      () => last((fee) => [{ ...fee, data: word(fee.data, 0, thief) }]),
      'POLICY_RECIPIENT',
    ],
    [
      'more than it said',
      withdraw,
      () => last((fee) => [{ ...fee, data: word(fee.data, 1, 500_001n) }]),
      'POLICY_AMOUNT',
    ],
    ['twice', withdraw, () => last((fee) => [fee, fee]), 'POLICY_SHAPE'],
    [
      'without a word',
      withdraw,
      () =>
        bytecode(
          (all) => all,
          () => [],
        ),
      'POLICY_SHAPE',
    ],
    ['by words alone', withdraw, () => last(() => []), 'POLICY_SHAPE'],
    [
      'more than is allowed',
      withdraw,
      () =>
        bytecode(
          (all) => [...all.slice(0, -1), paid(collector, 2_100_001n)],
          ([fee]) => [{ ...fee, amount: '2100001' }],
        ),
      'POLICY_SERVICE_FEE',
    ],
    [
      'of more than is withdrawn',
      withdraw,
      () =>
        bytecode(
          (all) => all,
          ([fee]) => [{ ...fee, of: '105000001' }],
        ),
      'POLICY_SERVICE_FEE',
    ],
    [
      'everything, of more than comes out',
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
    ['for a deposit', deposit, () => bytecode((all) => [...all, paid(collector, 1n)]), 'POLICY_SHAPE'],
    [
      'for a deposit, and says so',
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
      'for the bridge of a deposit, and says so',
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

  test.each([...swaps, ...deposits])('%s is refused, and nothing is signed', async (_, line, lies, code) => {
    await refusedFor(line, lies(), code)
  })

  test.each(withdrawals)(
    'a withdrawal for %s is refused, and nothing is signed',
    async (_, line, lies, code) => {
      await invested()
      await refusedFor(line, lies(), code)
    },
  )
})

/** A provider that can pay the fee inside its swap. */
const inside = swap.replace('--provider uniswap-v2', '--provider uniswap-v3')
const paidBy = (who: unknown): Lies => statement((fee) => [{ ...fee, paidBy: who }])

describe('a service whose swap pays the fee itself', () => {
  test.each<[string, () => Lies, string]>([
    ['and a step does, too', () => payment(() => [paid(collector, 250_000n)]), 'POLICY_SHAPE'],
    ['and says that a step does', () => paidBy('step'), 'POLICY_SHAPE'],
    ['and does not say it', () => statement(({ paidBy: _, ...fee }) => [fee]), 'POLICY_SHAPE'],
    [
      'and has a step beside that pays what it says',
      () => ({ ...paidBy('step'), ...payment(() => [paid(collector, 250_000n)]) }),
      'POLICY_SERVICE_FEE',
    ],
    ['and says that somebody does', () => paidBy('somebody'), 'POLICY_SERVICE_FEE'],
    ['and says nothing of the fee', () => statement(() => []), 'POLICY_AMOUNT'],
    ['and says less', () => statement((fee) => [{ ...fee, amount: '1' }]), 'POLICY_AMOUNT'],
    ['and says another collector', () => statement((fee) => [{ ...fee, to: thief }]), 'POLICY_SERVICE_FEE'],
  ])('%s is refused, and nothing is signed', async (_, lies, code) => {
    const ran = await signsNothing(() => lied(inside, lies()))
    expect({ exit: ran.exit, code: ran.json.error?.code }).toEqual({ exit: 8, code })
    expect(await held(collector)).toBe(0n)
  })

  test('is one transaction, and a service that says the reverse of a step is refused, too', async () => {
    expect((await signsNothing(() => lied(swap, paidBy('action')))).json.error?.code).toBe('POLICY_SHAPE')
    const { exit, json } = await lied(inside, {})
    const kinds = json.transactions.map(({ kind }: { kind: string }) => kind)
    expect({ exit, kinds }).toEqual({ exit: 0, kinds: ['approve', 'swap'] })
    expect(await held(collector)).toBe(250_000n)
  })
})

describe('slippage that was typed counts the fee of the service', () => {
  const slipping = (size: string) =>
    lied(`${swap.replace('--provider uniswap-v2 --yes', '--dry-run')} --slippage ${size}`, {})

  test('what is wide enough for both is asked for so that both fit', async () => {
    const { exit, json } = await slipping('0.5%')
    expect(exit).toBe(0)
    expect(json.serviceFees).toHaveLength(1)
    expect(json.slippages[0]).toMatchObject({ by: 'own engine' })
    expect(json.slippages[0].share).toBeGreaterThan(0.0025)
    expect(json.slippages[0].share).toBeLessThanOrEqual(0.005)
  })

  test('what is narrower than the fee is refused, with what would be wide enough', async () => {
    const { exit, json } = await slipping('0.2%')
    expect({ exit, code: json.error?.code }).toEqual({ exit: 8, code: 'POLICY_MIN_OUT' })
    expect(json.error.message).toContain('the fee of the service among it')
    const [, accepted] = /--slippage (\S+)$/.exec(json.error.hint) ?? []
    expect((await slipping(accepted!)).exit).toBe(0)
  })
})
