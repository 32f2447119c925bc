import { getAddress } from 'viem/utils'
import { describe, expect, test } from 'vitest'
import { feeLies } from '../../bench/mutations.ts'
import { decodeApprove } from '../../src/chain/erc20.ts'
import { type Address, nativeAddress } from '../../src/domain/address.ts'
import type { Token } from '../../src/domain/token.ts'
import type { Transaction } from '../../src/domain/transaction-types.ts'
import { decodeIntent, encodeIntent } from '../../src/guard/intent-json.ts'
import { checkEffect } from '../../src/guard/simulation/check-effects.ts'
import { requiredAllowance } from '../../src/guard/spending.ts'
import type { Intent, ServiceFee } from '../../src/protocols/intent.ts'
import { encodeV3Swap as swapV3 } from '../../src/swaps/uniswap-v3/encode.ts'
import { swapV4 } from '../../src/swaps/uniswap-v4/encode.ts'
import { built, type Choice } from '../support/plans/honest-plans.ts'
import {
  aggregator,
  catalog,
  coin,
  friend,
  pancakeRouter,
  router,
  thief,
  universalRouter,
  usdc,
  usdt,
  wallet,
  weth,
} from '../support/plans/plan-fixtures.ts'
import { encoded } from '../support/plans/published-calls.ts'
import { check, refusal } from './check-leg.ts'

type Swap = Extract<Intent, { kind: 'swap' }>

const chainId = 31337
const deadline = 1_900_000_000
const [whole, cost] = [100_000_000n, 350_000n]
const [first, second] = [getAddress(friend), '0x7777777777777777777777777777777777777777' as Address]
const fees: readonly ServiceFee[] = [
  { to: first, amount: 250_000n, of: whole, isInside: true },
  { to: second, amount: 100_000n, of: whole, isInside: true },
]
const swapping = (provider: string, exact: 'in' | 'out', tokenIn: Token, tokenOut: Token = usdt): Swap => ({
  kind: 'swap',
  wallet,
  provider,
  tokenIn,
  tokenOut,
  exact,
  amountIn: whole,
  amountOut: 99_000_000n,
  recipient: wallet,
  deadline,
  fees,
})
const choiceFor = ({ provider, tokenIn, tokenOut, amountOut }: Swap): Choice => ({
  approvals: tokenIn === coin ? 'none' : 'exact',
  permit: provider === 'uniswap-v4' && tokenIn !== coin ? deadline : undefined,
  tokens: [tokenIn.address, tokenOut.address],
  fees: provider === 'uniswap-v2' ? [] : [500],
  amountIn: whole - cost,
  amountOut,
  deadline,
  fee: 0n,
  finality: 1000,
  isForwarded: false,
  route: {
    callTarget: aggregator,
    approveTarget: nativeAddress,
    targetData: '0x01',
    srcReceivers: [aggregator],
    srcAmounts: [whole - cost],
    flags: 0x200n,
    clientData: '0x',
  },
})

const cases: [name: string, intent: Swap][] = [
  ['Uniswap v3', swapping('uniswap-v3', 'in', usdc)],
  ['Uniswap v3, for an exact output', swapping('uniswap-v3', 'out', usdc)],
  ['PancakeSwap v3', swapping('pancakeswap-v3', 'in', weth)],
  ['Uniswap v4', swapping('uniswap-v4', 'in', usdc)],
  ['Uniswap v4, for an exact output', swapping('uniswap-v4', 'out', weth)],
  ['Uniswap v4, from the native coin', swapping('uniswap-v4', 'in', coin)],
  ['Uniswap v4, from the native coin for an exact output', swapping('uniswap-v4', 'out', coin)],
  ['KyberSwap', swapping('kyberswap', 'in', usdc)],
  ['KyberSwap, from the native coin', swapping('kyberswap', 'in', coin)],
]

describe('service fees that are paid inside a swap', () => {
  test.each(cases)(
    'on %s are part of the swap step, named in its text and covered by its allowance',
    (_, intent) => {
      const steps = check(intent, built(intent, choiceFor(intent)))
      const { role, text, transaction, call } = steps.at(-1)!
      expect(role).toBe('action')
      for (const { to, amount } of fees) expect(call.args.fees).toContain(`${amount} to ${to}`)
      expect(text).toMatch(
        new RegExp(
          `; the swap itself pays the service a fee of \\S+ ${intent.tokenIn.symbol} to ${first}; .* to ${second}$`,
          'i',
        ),
      )
      const isCoin = intent.tokenIn === coin
      expect(transaction.value).toBe(isCoin ? whole : 0n)
      expect(requiredAllowance(intent)?.amount).toBe(isCoin ? undefined : whole)
      if (!isCoin) expect(decodeApprove(steps[0]!.transaction.data)?.amount).toBe(whole)
    },
  )

  test.each(cases)('on %s are refused when they differ from the stated fees', (_, intent) => {
    for (const [at, lie] of feeLies.entries()) {
      const transactions = built({ ...intent, fees: lie(fees) }, choiceFor(intent))
      const error = refusal(() => check(intent, transactions, 10_000))
      expect([at, error?.code]).toEqual([at, expect.stringMatching(/^POLICY_/)])
    }
  })

  test.each(cases)('on %s are refused when they are not stated, or stated as separate steps', (_, intent) => {
    const transactions = built(intent, choiceFor(intent))
    const { fees: __, ...silent } = intent
    for (const other of [
      silent,
      { ...silent, amountIn: whole - cost },
      { ...intent, fees: fees.map(({ isInside: ___, ...fee }) => fee) },
    ])
      expect(refusal(() => check(other, transactions, 10_000))?.code).toMatch(/^POLICY_/)
  })

  test.each([
    ['Uniswap v2', swapping('uniswap-v2', 'in', usdc)],
    ['Uniswap v3, from the native coin', swapping('uniswap-v3', 'in', coin)],
  ])('are refused when stated for a swap on %s, which cannot pay them', (_, intent) => {
    const { fees: __, ...acting } = { ...intent, amountIn: whole - cost }
    const action =
      intent.provider === 'uniswap-v2'
        ? built(acting, choiceFor(intent))
        : [swapV3({ ...encodedFor(intent), path: path(weth, usdt), fees: [] })]
    expect(refusal(() => check(acting, action))?.code).toBeUndefined()
    expect(refusal(() => check(intent, action))?.message).toContain(
      'It does not pay the stated fee of 250000',
    )
  })

  test.each([0, 1])('may be combined with a fee paid in its own step: inside fee %s', (at) => {
    const { isInside: _, ...step } = fees[1 - at]!
    const mixed = {
      ...swapping('uniswap-v3', 'in', usdc),
      fees: at === 0 ? [fees[0]!, step] : [step, fees[1]!],
    }
    const transactions = built(mixed, choiceFor(mixed))
    expect(check(mixed, transactions).map(({ role }) => role)).toEqual(['approve', 'action', 'fee'])
    expect(refusal(() => check(mixed, transactions.slice(0, -1)))?.code).toMatch(/^POLICY_/)
    expect(refusal(() => check(mixed, [...transactions, transactions.at(-1)!]))?.code).toMatch(/^POLICY_/)
  })

  test('must not exceed the maximum fee, nor go to a contract or a reserved address', () => {
    const intent = swapping('uniswap-v3', 'in', usdc)
    const transactions = built(intent, choiceFor(intent))
    expect(refusal(() => check(intent, transactions, 35))).toBeUndefined()
    expect(refusal(() => check(intent, transactions, 34))?.hint).toContain('--max-service-fee 0.35%')
    for (const to of [
      router,
      universalRouter,
      usdc.address,
      nativeAddress,
      `0x${'00'.repeat(19)}02`,
    ] as const) {
      const said = { ...intent, fees: [{ ...fees[0]!, to }, fees[1]!] }
      const error = refusal(() => check(said, built(said, choiceFor(intent))))
      expect([to, error?.code]).toEqual([to, 'POLICY_SERVICE_FEE'])
    }
  })

  test('name the wallet as collector in the step text, and survive encoding and decoding', () => {
    const own = { ...swapping('uniswap-v3', 'in', usdc), fees: [{ ...fees[0]!, to: getAddress(wallet) }] }
    const transactions = built(own, { ...choiceFor(own), amountIn: whole - fees[0]!.amount })
    expect(check(own, transactions).at(-1)?.text).toMatch(
      /a fee of 0\.25 USDC to the wallet, which is the fee collector/,
    )
    const written = encodeIntent(own)
    expect(decodeIntent(JSON.parse(JSON.stringify(written)), catalog)).toEqual(own)
    const broken = { ...written, fees: [{ ...(written.fees as object[])[0], isInside: false }] }
    expect(refusal(() => decodeIntent(broken, catalog))?.code).toBe('POLICY_TAMPER')
  })

  test('are included in the maximum that the wallet may spend in the simulation', () => {
    const losing = (units: bigint) => {
      const taken = { token: usdc, before: whole * 2n, delta: -units }
      const came = { token: usdt, before: 0n, delta: 99_000_000n }
      const effects = { changes: [taken, came], allowances: [] }
      return refusal(() => checkEffect(swapping('uniswap-v3', 'in', usdc), effects))?.code
    }
    expect([losing(whole), losing(whole + 1n)]).toEqual([undefined, 'POLICY_SIMULATION'])
  })
})

const path = (...tokens: Token[]) => ({ tokens: tokens.map(({ address }) => address), fees: [500] })
const encodedFor = ({ exact, tokenIn, tokenOut, amountOut }: Swap) => ({
  chainId,
  router,
  exact,
  path: path(tokenIn, tokenOut),
  amountIn: whole - cost,
  amountOut,
  recipient: wallet,
  sender: wallet,
  deadline,
  isNativeIn: tokenIn === coin,
  fees,
})

describe('the swap encoders', () => {
  test.each(cases.filter(([, { provider }]) => provider !== 'kyberswap'))(
    'on %s produce the calls of the published ABIs',
    (_, intent) => {
      const isV4 = intent.provider === 'uniswap-v4'
      const at = { 'uniswap-v3': router, 'pancakeswap-v3': pancakeRouter }[intent.provider]
      const order = { ...encodedFor(intent), router: at ?? universalRouter }
      expect(isV4 ? swapV4(order) : swapV3(order)).toEqual(built(intent, choiceFor(intent)).at(-1))
    },
  )
})

describe('an inside fee payment that does not match the stated fee', () => {
  const intent = swapping('uniswap-v3', 'in', usdc)
  const plain = swapV3({ ...encodedFor(intent), fees: [] })
  const pull = encoded('router', 'pull', usdc.address, 250_000n)
  const sweep = encoded('router', 'sweepToken', usdc.address, 250_000n, first)
  const one = { ...intent, amountIn: whole - 100_000n, fees: [{ ...fees[0]!, of: whole - 100_000n }] }
  const calling = (...after: `0x${string}`[]): Transaction => {
    const data = encoded('router', 'exactInputSingle', {
      tokenIn: usdc.address,
      tokenOut: usdt.address,
      fee: 500,
      recipient: wallet,
      amountIn: whole - cost,
      amountOutMinimum: intent.amountOut,
      sqrtPriceLimitX96: 0n,
    })
    return { ...plain, data: encoded('router', 'multicall', BigInt(deadline), [data, ...after]) }
  }
  test.each<[string, `0x${string}`[]]>([
    ['pulled and not paid out', [pull]],
    ['paid out and not pulled', [sweep]],
    ['paid out before it is pulled', [sweep, pull]],
    ['pulled twice', [pull, pull, sweep]],
    ['pulled in another token', [encoded('router', 'pull', weth.address, 250_000n), sweep]],
    ['paid out in another token', [pull, encoded('router', 'sweepToken', weth.address, 250_000n, first)]],
    ['paid out only in part', [pull, encoded('router', 'sweepToken', usdc.address, 249_999n, first)]],
    ['paid out to the sender', [pull, encoded('router', 'sweepToken', usdc.address, 250_000n)]],
    [
      'split by the interface fee of the router',
      [pull, encoded('router', 'sweepTokenWithFee', usdc.address, 0n, first, 25n, thief)],
    ],
  ])('on Uniswap v3 is refused: %s', (_, after) => {
    expect(refusal(() => check(one, [calling(pull, sweep)]))).toBeUndefined()
    expect(refusal(() => check(one, [calling(...after)]))?.code).toBe('POLICY_DECODE')
  })

  test('on Uniswap v3 is refused when it also pays in the native coin', () => {
    const inCoin = { ...intent, tokenIn: coin }
    const paid = swapV3({
      ...encodedFor(inCoin),
      path: path(weth, usdt),
      fees: [{ to: first, amount: cost }],
    })
    expect(refusal(() => check(inCoin, [paid]))?.code).toBe('POLICY_DECODE')
  })

  test.each([
    ['a share of the router balance', '06'],
    ['a payment that may fail', '82'],
    ["a payment from the router's own balance", '05'],
  ])('on Uniswap v4 is refused: %s', (_, command) => {
    const there = swapping('uniswap-v4', 'in', usdc)
    const [approval, permit, action] = built(there, choiceFor(there)) as [
      Transaction,
      Transaction,
      Transaction,
    ]
    const data = action.data.replace('100202', `10${command}02`) as `0x${string}`
    expect(data).not.toBe(action.data)
    expect(refusal(() => check(there, [approval, permit, { ...action, data }]))?.code).toBe('POLICY_DECODE')
  })

  test.each([0x40n, 0x80n, 0xc0n])('on KyberSwap is refused: flags %s', (flag) => {
    const there = swapping('kyberswap', 'in', usdc)
    const choice = choiceFor(there)
    const route = { ...choice.route, flags: choice.route.flags | flag }
    const error = refusal(() => check(there, built(there, { ...choice, route })))
    expect(error?.code).toBe('POLICY_SERVICE_FEE')
  })
})
