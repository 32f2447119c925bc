import { getAddress } from 'viem/utils'
import { describe, expect, test } from 'vitest'
import { approve, transfer } from '../../src/chain/erc20.ts'
import type { Address } from '../../src/domain/address.ts'
import { maxUint256 } from '../../src/domain/amount.ts'
import type { Transaction } from '../../src/domain/transaction-types.ts'
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

describe('a stated service fee', () => {
  test.each([
    ['a swap', swapIntent(), swapping()],
    ['a swap for an exact output', swapIntent({ exact: 'out' }), swapping('out')],
    ['a withdrawal', withdrawal(), [leaving()]],
    ['a withdrawal of everything', withdrawal({ amount: maxUint256, shares: amount }), [leaving(true)]],
  ])('is the last step of %s and is described', (_, intent, transactions) => {
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
  ])('of %s is described as kept when the wallet itself is the collector', (_, intent, transactions) => {
    expect(check(intent, [...transactions, pay(cost, wallet)]).at(-1)).toMatchObject({
      role: 'fee',
      text: 'Pay a fee of 0.25 USDC to the wallet itself, which collects the fees: it keeps it',
      call: { name: 'transfer', args: { to: getAddress(wallet), amount: '250000' } },
    })
    expect(refusal(() => check(intent, [...transactions, pay(cost, thief)]))?.code).toBe('POLICY_RECIPIENT')
  })

  test('is accepted after a reset of the allowance', () => {
    const reset = approve({ chainId, token: usdc.address, spender: router, amount: 0n })
    const roles = check(swapIntent(), [reset, ...swapping(), pay()]).map(({ role }) => role)
    expect(roles).toEqual(['approve-reset', 'approve', 'action', 'fee'])
  })

  test('survives encoding and decoding, and malformed fees are refused', () => {
    for (const intent of [swapIntent(), withdrawal()])
      expect(decodeIntent(JSON.parse(JSON.stringify(encodeIntent(intent))), catalog)).toEqual(intent)
    const two = swapIntent({ fees: [fee, { ...fee, to: thief }] })
    expect(decodeIntent(JSON.parse(JSON.stringify(encodeIntent(two))), catalog)).toEqual(two)
    for (const fees of [[{ to: collector, amount: 1 }], [], 'none', [fee, fee, fee].map(String)]) {
      const broken = { ...encodeIntent(swapIntent()), fees }
      expect(refusal(() => decodeIntent(broken, catalog))?.code).toBe('POLICY_TAMPER')
    }
  })

  test('is read in the older format with a single fee', () => {
    const { fees: _, ...older } = encodeIntent(swapIntent())
    const fee = { to: collector, amount: String(cost), of: String(amount) }
    expect(decodeIntent({ ...older, fee } as never, catalog)).toEqual(swapIntent())
    const broken = { ...older, fee: { to: collector, amount: 1 } }
    expect(refusal(() => decodeIntent(broken as never, catalog))?.code).toBe('POLICY_TAMPER')
  })
})

const [approval, action] = swapping() as [Transaction, Transaction]
const whole = honest['a swap'].transactions
describe('the guard on service fees', () => {
  test.each<[string, Intent, readonly Transaction[], string]>([
    [
      'a payment to another collector',
      swapIntent(),
      [approval, action, pay(cost, thief)],
      'POLICY_RECIPIENT',
    ],
    [
      'a payment in another token',
      swapIntent(),
      [approval, action, pay(cost, collector, usdt)],
      'POLICY_SERVICE_FEE',
    ],
    [
      'a payment in the native coin',
      swapIntent(),
      [approval, action, pay(cost, collector, coin)],
      'POLICY_SERVICE_FEE',
    ],
    ['a payment above the stated amount', swapIntent(), [approval, action, pay(cost + 1n)], 'POLICY_AMOUNT'],
    ['a payment below the stated amount', swapIntent(), [approval, action, pay(cost - 1n)], 'POLICY_AMOUNT'],
    ['a repeated payment', swapIntent(), [approval, action, pay(), pay()], 'POLICY_SHAPE'],
    ['a payment as the first step', swapIntent(), [pay(), approval, action], 'POLICY_SHAPE'],
    [
      'a payment between approval and action',
      swapIntent(),
      [approval, pay(), action],
      'POLICY_CONTRACT_NOT_ALLOWED',
    ],
    ['a stated fee without a payment', swapIntent(), [approval, action], 'POLICY_SHAPE'],
    ['a payment without the action', swapIntent(), [pay()], 'POLICY_SHAPE'],
    ['a payment without a stated fee', honest['a swap'].intent, [...whole, pay()], 'POLICY_SHAPE'],
    ['a swap of the whole amount with the fee on top', swapIntent(), [...whole, pay()], 'POLICY_AMOUNT'],
    ['an approval of the whole amount', swapIntent(), [whole[0]!, action, pay()], 'POLICY_ALLOWANCE'],
    [
      'an exact-output swap whose maximum input includes the fee',
      swapIntent({ exact: 'out' }),
      [...swapping('out', amount), pay()],
      'POLICY_AMOUNT',
    ],
    [
      'a payment with native value',
      swapIntent(),
      [approval, action, { ...pay(), value: 1n }],
      'POLICY_VALUE',
    ],
    [
      'a payment with trailing calldata',
      swapIntent(),
      [approval, action, { ...pay(), data: `${pay().data}00` }],
      'POLICY_DECODE',
    ],
    [
      'an approval for the collector',
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
      'a payment after a deposit',
      honest['a deposit into Aave'].intent,
      [...honest['a deposit into Aave'].transactions, pay()],
      'POLICY_SHAPE',
    ],
    [
      'a fee stated for a deposit',
      { ...honest['a deposit into Aave'].intent, fee } as Intent,
      [...honest['a deposit into Aave'].transactions, pay()],
      'POLICY_SHAPE',
    ],
    [
      'a fee to the zero address',
      swapIntent({ fees: [{ ...fee, to: coin.address }] }),
      [approval, action, pay(cost, coin.address)],
      'POLICY_SERVICE_FEE',
    ],
    [
      'a fee of zero',
      withdrawal({ fees: [{ ...fee, amount: 0n }] }),
      [leaving(), pay(0n)],
      'POLICY_SERVICE_FEE',
    ],
    [
      'a fee of the whole amount',
      withdrawal({ fees: [{ ...fee, amount }] }),
      [leaving(), pay(amount)],
      'POLICY_SERVICE_FEE',
    ],
    [
      'a fee charged on more than is withdrawn',
      withdrawal({ fees: [{ ...fee, of: amount + 1n }] }),
      [leaving(), pay()],
      'POLICY_SERVICE_FEE',
    ],
    [
      'a fee charged on more than is swapped',
      swapIntent({ fees: [{ ...fee, of: amount + 1n }] }),
      [approval, action, pay()],
      'POLICY_SERVICE_FEE',
    ],
  ])('refuses %s', (_, intent, transactions, code) => {
    const error = refusal(() => check(intent, transactions))
    expect(error?.code).toBe(code)
    // None of these fees is too high, so no hint offers --max-service-fee.
    expect(error?.hint).not.toContain('--max-service-fee')
  })
})

describe('two fees, for the operator and the customer', () => {
  const [mine, theirs] = [100_000n, 150_000n]
  const fees = [
    { ...fee, amount: mine },
    { to: getAddress(other), amount: theirs, of: amount },
  ]
  const both = [pay(mine), pay(theirs, other)]

  test.each([
    ['a swap', swapIntent({ fees }), swapping()],
    ['a withdrawal', withdrawal({ fees }), [leaving()]],
  ])('of %s are separate steps in the stated order', (_, intent, acting) => {
    const steps = check(intent, [...acting, ...both])
    expect(steps.slice(-3).map(({ role, text }) => [role, /0x.*/.exec(text)?.[0]])).toEqual([
      ['action', undefined],
      ['fee', collector],
      ['fee', getAddress(other)],
    ])
    expect(steps.slice(-2).map(({ call }) => call.args.amount)).toEqual([String(mine), String(theirs)])
  })

  test('are accepted after a reset of the allowance, and a third payment is refused', () => {
    const reset = approve({ chainId, token: usdc.address, spender: router, amount: 0n })
    const most = [reset, ...swapping(), ...both]
    expect(check(swapIntent({ fees }), most)).toHaveLength(5)
    const more = [...most, pay(1n, other)]
    expect(refusal(() => check(swapIntent({ fees }), more))?.code).toBe('POLICY_SHAPE')
  })

  test.each<[string, Transaction[], string]>([
    ['paid in reverse order', [both[1]!, both[0]!], 'POLICY_RECIPIENT'],
    ['paid twice to the first', [both[0]!, both[0]!], 'POLICY_RECIPIENT'],
    ['paid only to the first', [both[0]!], 'POLICY_SHAPE'],
    ['paid only to the second', [both[1]!], 'POLICY_SHAPE'],
    ['paying more to the first', [pay(mine + 1n), both[1]!], 'POLICY_AMOUNT'],
    ['paying more to the second', [both[0]!, pay(theirs + 1n, other)], 'POLICY_AMOUNT'],
    ['paying the second to another address', [both[0]!, pay(theirs, thief)], 'POLICY_RECIPIENT'],
    ['paying the sum to the first', [pay(mine + theirs), both[1]!], 'POLICY_AMOUNT'],
  ])('%s are refused', (_, paid, code) => {
    expect(refusal(() => check(swapIntent({ fees }), [...swapping(), ...paid], 10_000))?.code).toBe(code)
  })

  test.each<[string, ServiceFee[]]>([
    ['stated for the same collector', [fees[0]!, { ...fees[1]!, to: collector }]],
    ['charged on different amounts', [fees[0]!, { ...fees[1]!, of: amount - 1n }]],
    ['stated as zero for one', [fees[0]!, { ...fees[1]!, amount: 0n }]],
    ['adding up to the whole amount', [fees[0]!, { ...fees[1]!, amount: amount - mine }]],
    ['stated with the zero address as the second', [fees[0]!, { ...fees[1]!, to: coin.address }]],
    ['stated with a market contract as the second', [fees[0]!, { ...fees[1]!, to: pool }]],
  ])('%s are refused as invalid', (_, said) => {
    const paid = said.map(({ to, amount: much }) => pay(much, to))
    const spent = amount - said.reduce((sum, one) => sum + one.amount, 0n)
    const intent = swapIntent({ fees: said })
    const error = refusal(() => check(intent, [...swapping('in', spent), ...paid], 10_000))
    expect([error?.code, error?.hint ?? '']).toEqual([
      'POLICY_SERVICE_FEE',
      expect.not.stringContaining('--max'),
    ])
  })

  test('must not exceed the maximum service fee together', () => {
    const acting = [...swapping(), ...both]
    expect(refusal(() => check(swapIntent({ fees }), acting, 25))).toBeUndefined()
    expect(refusal(() => check(swapIntent({ fees }), acting, 24))).toMatchObject({
      code: 'POLICY_SERVICE_FEE',
      hint: 'If you accept it: --max-service-fee 0.25%',
    })
  })

  test('left unpaid are one payment intent that may spend no more than their sum', () => {
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

test('a fee of the whole amount is refused at any maximum service fee', () => {
  const all = withdrawal({ fees: [{ ...fee, amount }] })
  expect(refusal(() => check(all, [leaving(), pay(amount)], 10_000))?.code).toBe('POLICY_SERVICE_FEE')
})

test('a fee on a queued withdrawal request is refused', () => {
  const queued = { ...lending, constants: { family: 'lido' } } as unknown as typeof lending
  expect(statedFeesFault(withdrawal({ strategy: queued }), [fee])).toMatchObject({
    violation: { code: 'POLICY_SERVICE_FEE' },
  })
})

describe('a fee in the native coin', () => {
  const inCoin = { strategy: { ...lending, asset: coin } }
  const paying = pay(cost, collector, coin)
  test('is paid as a native transfer', () => {
    expect(checkFeePayment(withdrawal(inCoin), fee, paying)).toMatchObject({ call: { name: 'transfer' } })
  })
  test.each([
    ['a larger amount', { ...paying, value: cost + 1n }, 'POLICY_VALUE'],
    ['another recipient', { ...paying, to: thief }, 'POLICY_RECIPIENT'],
    ['calldata', { ...paying, data: '0x00' as const }, 'POLICY_DECODE'],
  ])('%s is refused', (_, transaction, code) => {
    expect(checkFeePayment(withdrawal(inCoin), fee, transaction)).toMatchObject({ violation: { code } })
  })
})

describe('the simulated effect of a withdrawal with a fee', () => {
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
  ])('of %s must be the amount less the fee, except for rounding', (_, intent) => {
    expect(seems(intent, left)).toBeUndefined()
    expect(seems(intent, left - 1n)).toBe('POLICY_SIMULATION')
  })
  test('must be the whole amount when the wallet itself is the collector', () => {
    const intent = withdrawal({ fees: [{ ...fee, to: wallet }] })
    expect(seems(intent, amount - 2n)).toBeUndefined()
    expect(seems(intent, amount - 3n)).toBe('POLICY_SIMULATION')
  })
  test('in the native coin must be the amount less the fee', () => {
    const intent = withdrawal({ strategy: { ...lending, asset: coin } })
    expect(seems(intent, 0n, left)).toBeUndefined()
    expect(seems(intent, 0n, left - 1n)).toBe('POLICY_SIMULATION')
  })
})

describe('the maximum service fee', () => {
  const dear = (much: bigint) =>
    [withdrawal({ fees: [{ ...fee, amount: much }] }), [leaving(), pay(much)]] as const

  test('is 1 % by default, exact to the unit', () => {
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
  ])('is set by the user: at %i basis points, a fee of %s', (most, much, code) => {
    expect(refusal(() => check(...dear(much), most))?.code).toBe(code)
  })
})

describe('the receiver of a service fee', () => {
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
  ])('is refused if it is %s', (_, to) => {
    expect(paidTo(to)?.code).toBe('POLICY_SERVICE_FEE')
  })

  test('is refused if it is an allowed contract that the operation itself uses', () => {
    const fault = (to: Address, action: Address, more: object = {}) =>
      feeReceiverFault(swapIntent({ fees: [{ ...fee, to }], ...more }), { catalog, chainId, action })
    expect(fault(thief, thief)).toMatchObject({ violation: { code: 'POLICY_SERVICE_FEE' } })
    const tokenOut = { ...usdt, address: thief }
    expect(fault(thief, router, { tokenOut })).toMatchObject({ violation: { code: 'POLICY_SERVICE_FEE' } })
    expect(fault(thief, router)).toBe(undefined)
  })

  test('is accepted if it is an ordinary address', () => {
    expect(paidTo(collector)).toBe(undefined)
  })
})
