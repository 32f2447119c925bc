import { getAddress } from 'viem/utils'
import { describe, expect, test } from 'vitest'
import { approve, transfer } from '../../src/chain/erc20.ts'
import type { Address } from '../../src/domain/address.ts'
import { maxUint256 } from '../../src/domain/amount.ts'
import type { Transaction } from '../../src/domain/transaction.ts'
import { decodeIntent, encodeIntent } from '../../src/guard/intent-json.ts'
import { checkEffect } from '../../src/guard/simulation/check-effects.ts'
import { intentSpending } from '../../src/guard/spending.ts'
import { checkFeePayment, feeReceiverFault, statedFeesFault } from '../../src/guard/stated-fee-checks.ts'
import { withdraw } from '../../src/protocols/aave-v3/encode.ts'
import type { Intent, ServiceFee } from '../../src/protocols/intent.ts'
import { paymentOf } from '../../src/protocols/service-fees-of-intent.ts'
import { encodeV3Swap } from '../../src/swaps/uniswap-v3/encode.ts'
import {
  catalog,
  coin,
  friend,
  honest,
  lending,
  pool,
  router,
  thief,
  usdc,
  usdt,
  wallet,
} from '../support/plans/plan-fixtures.ts'
import { check, refusal } from './check-leg.ts'

const collector = getAddress(friend)
const other: Address = '0x7777777777777777777777777777777777777777'
const chainId = 31337
const amount = 100_000_000n
const cost = 250_000n
const deadline = 1_900_000_000
const fee: ServiceFee = { to: collector, amount: cost, of: amount }
const pay = (much = cost, to: Address = collector, token = usdc) =>
  transfer({ chainId, token: token.address, to, amount: much })

const swapping = (exact: 'in' | 'out' = 'in', spent = amount - cost): Transaction[] => [
  approve({ chainId, token: usdc.address, spender: router, amount: spent }),
  encodeV3Swap({
    chainId,
    router,
    exact,
    path: { tokens: [usdc.address, usdt.address], fees: [500] },
    amountIn: spent,
    amountOut: 99_000_000n,
    recipient: wallet,
    deadline,
  }),
]
const swapIntent = (more: object = {}): Intent =>
  ({ ...honest['a swap'].intent, fees: [fee], ...more }) as Intent
const leaving = (all = false): Transaction =>
  withdraw({ chainId, pool, asset: usdc.address, amount: all ? maxUint256 : amount, to: wallet })
const withdrawal = (more: object = {}): Intent => ({
  kind: 'withdraw',
  wallet,
  strategy: lending,
  amount,
  fees: [fee],
  ...more,
})

describe('a fee that is stated', () => {
  test.each([
    ['a swap', swapIntent(), swapping()],
    ['a swap for an exact output', swapIntent({ exact: 'out' }), swapping('out')],
    ['a withdrawal', withdrawal(), [leaving()]],
    ['a withdrawal of everything', withdrawal({ amount: maxUint256, shares: amount }), [leaving(true)]],
  ])('is the last step of %s, by itself, and is told', (_, intent, transactions) => {
    const steps = check(intent, [...transactions, pay()])
    expect(steps.slice(-2).map(({ role }) => role)).toEqual(['action', 'fee'])
    expect(steps.at(-1)).toMatchObject({
      text: `Pay the service a fee of 0.25 USDC to ${collector}`,
      call: { name: 'transfer', args: { to: collector, amount: '250000' } },
    })
  })

  test.each([
    ['a swap', swapIntent({ fees: [{ ...fee, to: wallet }] }), swapping()],
    ['a withdrawal', withdrawal({ fees: [{ ...fee, to: wallet }] }), [leaving()]],
  ])('comes back where the wallet of %s collects the fees itself, and says so', (_, intent, transactions) => {
    expect(check(intent, [...transactions, pay(cost, wallet)]).at(-1)).toMatchObject({
      role: 'fee',
      text: 'Pay a fee of 0.25 USDC to the wallet itself, which collects the fees: it keeps it',
      call: { name: 'transfer', args: { to: getAddress(wallet), amount: '250000' } },
    })
    expect(refusal(() => check(intent, [...transactions, pay(cost, thief)]))?.code).toBe('POLICY_RECIPIENT')
  })

  test('stands after a reset of the allowance, too', () => {
    const reset = approve({ chainId, token: usdc.address, spender: router, amount: 0n })
    const roles = check(swapIntent(), [reset, ...swapping(), pay()]).map(({ role }) => role)
    expect(roles).toEqual(['approve-reset', 'approve', 'action', 'fee'])
  })

  test('is written down and read back', () => {
    for (const intent of [swapIntent(), withdrawal()])
      expect(decodeIntent(JSON.parse(JSON.stringify(encodeIntent(intent))), catalog)).toEqual(intent)
    const two = swapIntent({ fees: [fee, { ...fee, to: thief }] })
    expect(decodeIntent(JSON.parse(JSON.stringify(encodeIntent(two))), catalog)).toEqual(two)
    for (const fees of [[{ to: collector, amount: 1 }], [], 'none', [fee, fee, fee].map(String)]) {
      const broken = { ...encodeIntent(swapIntent()), fees }
      expect(refusal(() => decodeIntent(broken, catalog))?.code).toBe('POLICY_TAMPER')
    }
  })

  test('is read as an older version wrote it, which knew one', () => {
    const { fees: _, ...older } = encodeIntent(swapIntent())
    const fee = { to: collector, amount: String(cost), of: String(amount) }
    expect(decodeIntent({ ...older, fee } as never, catalog)).toEqual(swapIntent())
    const broken = { ...older, fee: { to: collector, amount: 1 } }
    expect(refusal(() => decodeIntent(broken as never, catalog))?.code).toBe('POLICY_TAMPER')
  })
})

const [approval, action] = swapping() as [Transaction, Transaction]
const whole = honest['a swap'].transactions
describe('the guard refuses', () => {
  test.each<[string, Intent, readonly Transaction[], string]>([
    ['another collector', swapIntent(), [approval, action, pay(cost, thief)], 'POLICY_RECIPIENT'],
    ['another token', swapIntent(), [approval, action, pay(cost, collector, usdt)], 'POLICY_SERVICE_FEE'],
    [
      'the native coin instead',
      swapIntent(),
      [approval, action, pay(cost, collector, coin)],
      'POLICY_SERVICE_FEE',
    ],
    ['more than is stated', swapIntent(), [approval, action, pay(cost + 1n)], 'POLICY_AMOUNT'],
    ['less than is stated', swapIntent(), [approval, action, pay(cost - 1n)], 'POLICY_AMOUNT'],
    ['the payment twice', swapIntent(), [approval, action, pay(), pay()], 'POLICY_SHAPE'],
    ['the payment first', swapIntent(), [pay(), approval, action], 'POLICY_SHAPE'],
    ['the payment before the action', swapIntent(), [approval, pay(), action], 'POLICY_CONTRACT_NOT_ALLOWED'],
    ['a statement without a payment', swapIntent(), [approval, action], 'POLICY_SHAPE'],
    ['nothing but a payment', swapIntent(), [pay()], 'POLICY_SHAPE'],
    ['a payment without a statement', honest['a swap'].intent, [...whole, pay()], 'POLICY_SHAPE'],
    ['a swap of all of it, and the fee on top', swapIntent(), [...whole, pay()], 'POLICY_AMOUNT'],
    ['an approval of all of it', swapIntent(), [whole[0]!, action, pay()], 'POLICY_ALLOWANCE'],
    [
      'a swap for an exact output that may take the fee, too',
      swapIntent({ exact: 'out' }),
      [...swapping('out', amount), pay()],
      'POLICY_AMOUNT',
    ],
    ['a coin with the payment', swapIntent(), [approval, action, { ...pay(), value: 1n }], 'POLICY_VALUE'],
    [
      'a tail on the payment',
      swapIntent(),
      [approval, action, { ...pay(), data: `${pay().data}00` }],
      'POLICY_DECODE',
    ],
    [
      'an approval of the collector',
      swapIntent(),
      [approval, action, approve({ chainId, token: usdc.address, spender: collector, amount: cost })],
      'POLICY_DECODE',
    ],
    [
      'a payment on another chain',
      swapIntent(),
      [approval, action, { ...pay(), chainId: 31338 }],
      'POLICY_CHAIN',
    ],
    [
      'a fee on a deposit',
      honest['a deposit into Aave'].intent,
      [...honest['a deposit into Aave'].transactions, pay()],
      'POLICY_SHAPE',
    ],
    [
      'a fee that a deposit states',
      { ...honest['a deposit into Aave'].intent, fee } as Intent,
      [...honest['a deposit into Aave'].transactions, pay()],
      'POLICY_SHAPE',
    ],
    [
      'a fee to nobody',
      swapIntent({ fees: [{ ...fee, to: coin.address }] }),
      [approval, action, pay(cost, coin.address)],
      'POLICY_SERVICE_FEE',
    ],
    [
      'a fee of nothing',
      withdrawal({ fees: [{ ...fee, amount: 0n }] }),
      [leaving(), pay(0n)],
      'POLICY_SERVICE_FEE',
    ],
    [
      'a fee of all of it',
      withdrawal({ fees: [{ ...fee, amount }] }),
      [leaving(), pay(amount)],
      'POLICY_SERVICE_FEE',
    ],
    [
      'a fee of more than is withdrawn',
      withdrawal({ fees: [{ ...fee, of: amount + 1n }] }),
      [leaving(), pay()],
      'POLICY_SERVICE_FEE',
    ],
    [
      'a fee of more than is swapped',
      swapIntent({ fees: [{ ...fee, of: amount + 1n }] }),
      [approval, action, pay()],
      'POLICY_SERVICE_FEE',
    ],
  ])('%s', (_, intent, transactions, code) => {
    const error = refusal(() => check(intent, transactions))
    expect(error?.code).toBe(code)
    // None of these is too much of a fee: no flag makes them right.
    expect(error?.hint).not.toContain('--max-service-fee')
  })
})

describe('two fees, of the operator and of the customer', () => {
  const [mine, theirs] = [100_000n, 150_000n]
  const fees = [
    { ...fee, amount: mine },
    { to: getAddress(other), amount: theirs, of: amount },
  ]
  const both = [pay(mine), pay(theirs, other)]

  test.each([
    ['a swap', swapIntent({ fees }), swapping()],
    ['a withdrawal', withdrawal({ fees }), [leaving()]],
  ])('of %s are each a step of their own, in the order in which they are stated', (_, intent, acting) => {
    const steps = check(intent, [...acting, ...both])
    expect(steps.slice(-3).map(({ role, text }) => [role, /0x.*/.exec(text)?.[0]])).toEqual([
      ['action', undefined],
      ['fee', collector],
      ['fee', getAddress(other)],
    ])
    expect(steps.slice(-2).map(({ call }) => call.args.amount)).toEqual([String(mine), String(theirs)])
  })

  test('stand after a reset of the allowance, too, and nothing more does', () => {
    const reset = approve({ chainId, token: usdc.address, spender: router, amount: 0n })
    const most = [reset, ...swapping(), ...both]
    expect(check(swapIntent({ fees }), most)).toHaveLength(5)
    const more = [...most, pay(1n, other)]
    expect(refusal(() => check(swapIntent({ fees }), more))?.code).toBe('POLICY_SHAPE')
  })

  test.each<[string, Transaction[], string]>([
    ['the other way round', [both[1]!, both[0]!], 'POLICY_RECIPIENT'],
    ['one of them twice', [both[0]!, both[0]!], 'POLICY_RECIPIENT'],
    ['the first alone', [both[0]!], 'POLICY_SHAPE'],
    ['the second alone', [both[1]!], 'POLICY_SHAPE'],
    ['more for the first', [pay(mine + 1n), both[1]!], 'POLICY_AMOUNT'],
    ['more for the second', [both[0]!, pay(theirs + 1n, other)], 'POLICY_AMOUNT'],
    ['the second to somebody else', [both[0]!, pay(theirs, thief)], 'POLICY_RECIPIENT'],
    ['the sum to one', [pay(mine + theirs), both[1]!], 'POLICY_AMOUNT'],
  ])('%s are refused', (_, paid, code) => {
    expect(refusal(() => check(swapIntent({ fees }), [...swapping(), ...paid], 10_000))?.code).toBe(code)
  })

  test.each<[string, ServiceFee[]]>([
    ['to the same collector', [fees[0]!, { ...fees[1]!, to: collector }]],
    ['of different amounts', [fees[0]!, { ...fees[1]!, of: amount - 1n }]],
    ['one of which is nothing', [fees[0]!, { ...fees[1]!, amount: 0n }]],
    ['that are all of it together', [fees[0]!, { ...fees[1]!, amount: amount - mine }]],
    ['the second to nobody', [fees[0]!, { ...fees[1]!, to: coin.address }]],
    ['the second to a contract', [fees[0]!, { ...fees[1]!, to: pool }]],
  ])('%s are none', (_, said) => {
    const paid = said.map(({ to, amount: much }) => pay(much, to))
    const spent = amount - said.reduce((sum, one) => sum + one.amount, 0n)
    const intent = swapIntent({ fees: said })
    const error = refusal(() => check(intent, [...swapping('in', spent), ...paid], 10_000))
    expect([error?.code, error?.hint ?? '']).toEqual([
      'POLICY_SERVICE_FEE',
      expect.not.stringContaining('--max'),
    ])
  })

  test('are held to the most that is allowed together', () => {
    const acting = [...swapping(), ...both]
    expect(refusal(() => check(swapIntent({ fees }), acting, 25))).toBeUndefined()
    expect(refusal(() => check(swapIntent({ fees }), acting, 24))).toMatchObject({
      code: 'POLICY_SERVICE_FEE',
      hint: 'If you accept it: --max-service-fee 0.25%',
    })
  })

  test('that are left over are one payment with the other behind it, and may take no more than both', () => {
    const left = paymentOf(swapIntent({ fees }), fees)!
    expect(decodeIntent(JSON.parse(JSON.stringify(encodeIntent(left))), catalog)).toEqual(left)
    expect(check(left, both).map(({ role }) => role)).toEqual(['action', 'fee'])
    expect(refusal(() => check(left, [both[0]!, pay(theirs, thief)]))?.code).toBe('POLICY_RECIPIENT')
    const taking = (units: bigint) =>
      refusal(() =>
        checkEffect(left, { changes: [{ token: usdc, before: amount, delta: -units }], allowances: [] }),
      )?.code
    expect([taking(mine + theirs), taking(mine + theirs + 1n)]).toEqual([undefined, 'POLICY_SIMULATION'])
    expect(intentSpending(left)?.amount).toBe(mine + theirs)
  })
})

test('a fee is less than what it is charged of, whatever is allowed', () => {
  const all = withdrawal({ fees: [{ ...fee, amount }] })
  expect(refusal(() => check(all, [leaving(), pay(amount)], 10_000))?.code).toBe('POLICY_SERVICE_FEE')
})

test('a request that is queued is not charged: nothing comes of it yet', () => {
  const queued = { ...lending, constants: { family: 'lido' } } as unknown as typeof lending
  expect(statedFeesFault(withdrawal({ strategy: queued }), [fee])).toMatchObject({
    violation: { code: 'POLICY_SERVICE_FEE' },
  })
})

describe('a fee in the native coin', () => {
  const inCoin = { strategy: { ...lending, asset: coin } }
  const paying = pay(cost, collector, coin)
  test('is sent as such', () => {
    expect(checkFeePayment(withdrawal(inCoin), fee, paying)).toMatchObject({ call: { name: 'transfer' } })
  })
  test.each([
    ['more of it', { ...paying, value: cost + 1n }, 'POLICY_VALUE'],
    ['to somebody else', { ...paying, to: thief }, 'POLICY_RECIPIENT'],
    ['with calldata', { ...paying, data: '0x00' as const }, 'POLICY_DECODE'],
  ])('%s is refused', (_, transaction, code) => {
    expect(checkFeePayment(withdrawal(inCoin), fee, transaction)).toMatchObject({ violation: { code } })
  })
})

describe('what must come of a withdrawal that is charged', () => {
  const seen = (delta: bigint, coinDelta = 0n) => ({
    changes: [{ token: usdc, before: 0n, delta }],
    allowances: [],
    coin: coinDelta,
    gasUsed: [],
  })
  const seems = (intent: Intent, delta: bigint, coinDelta = 0n) =>
    refusal(() => checkEffect(intent, seen(delta, coinDelta)))?.code
  const left = amount - cost - 2n
  test.each([
    ['a part', withdrawal()],
    ['everything', withdrawal({ amount: maxUint256, shares: amount })],
  ])('of %s is all that is left of it, but for rounding', (_, intent) => {
    expect(seems(intent, left)).toBeUndefined()
    expect(seems(intent, left - 1n)).toBe('POLICY_SIMULATION')
  })
  test('is all of it where the wallet collects the fees itself', () => {
    const intent = withdrawal({ fees: [{ ...fee, to: wallet }] })
    expect(seems(intent, amount - 2n)).toBeUndefined()
    expect(seems(intent, amount - 3n)).toBe('POLICY_SIMULATION')
  })
  test('of the native coin is that, too', () => {
    const intent = withdrawal({ strategy: { ...lending, asset: coin } })
    expect(seems(intent, 0n, left)).toBeUndefined()
    expect(seems(intent, 0n, left - 1n)).toBe('POLICY_SIMULATION')
  })
})

describe('how much a fee may be', () => {
  const dear = (much: bigint) =>
    [withdrawal({ fees: [{ ...fee, amount: much }] }), [leaving(), pay(much)]] as const

  test('is a hundredth where nobody says otherwise, to the unit', () => {
    expect(refusal(() => check(...dear(1_000_000n)))).toBeUndefined()
    expect(refusal(() => check(...dear(1_000_001n)))).toMatchObject({
      code: 'POLICY_SERVICE_FEE',
      hint: 'If you accept it: --max-service-fee 1.01%',
    })
  })

  test.each([
    [0, 1n, 'POLICY_SERVICE_FEE'],
    [24, cost, 'POLICY_SERVICE_FEE'],
    [25, cost, undefined],
    [200, 2_000_000n, undefined],
    [200, 2_000_001n, 'POLICY_SERVICE_FEE'],
  ])('is what the person says: at %i basis points, a fee of %s', (most, much, code) => {
    expect(refusal(() => check(...dear(much), most))?.code).toBe(code)
  })
})

describe('a fee is paid to nobody from whom it would never come back', () => {
  const paidTo = (to: Address) => {
    const at = getAddress(to)
    return refusal(() => check(swapIntent({ fees: [{ ...fee, to: at }] }), [...swapping(), pay(cost, at)]))
  }

  test.each<[string, Address]>([
    ['the zero address', '0x0000000000000000000000000000000000000000'],
    ['a precompiled contract', '0x0000000000000000000000000000000000000004'],
    ['the token that it is paid in', usdc.address],
    ['the token that comes out', usdt.address],
    ['the contract that swaps', router],
    ['a market of the catalogue', pool],
  ])('%s', (_, to) => {
    expect(paidTo(to)?.code).toBe('POLICY_SERVICE_FEE')
  })

  test('nor to what the person vouches for, where the operation goes through it', () => {
    const fault = (to: Address, action: Address, more: object = {}) =>
      feeReceiverFault(swapIntent({ fees: [{ ...fee, to }], ...more }), { catalog, chainId, action })
    expect(fault(thief, thief)).toMatchObject({ violation: { code: 'POLICY_SERVICE_FEE' } })
    const tokenOut = { ...usdt, address: thief }
    expect(fault(thief, router, { tokenOut })).toMatchObject({ violation: { code: 'POLICY_SERVICE_FEE' } })
    expect(fault(thief, router)).toBe(undefined)
  })

  test('and to somebody', () => {
    expect(paidTo(collector)).toBe(undefined)
  })
})
