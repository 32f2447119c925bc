import { concatHex, decodeFunctionData, encodeFunctionData, parseAbi } from 'viem/utils'
import { describe, expect, test } from 'vitest'
import { approve } from '../../src/chain/erc20.ts'
import type { Address, Hex } from '../../src/domain/address.ts'
import { maxUint256 } from '../../src/domain/amount.ts'
import { readCommandLine } from '../../src/domain/command-line/read-command-line.ts'
import { AppError } from '../../src/domain/errors.ts'
import type { Token } from '../../src/domain/token.ts'
import type { Transaction } from '../../src/domain/transaction-types.ts'
import { checkLeg } from '../../src/guard/calldata-against-intent.ts'
import { decodeIntent, encodeIntent } from '../../src/guard/intent-json.ts'
import { checkEffect } from '../../src/guard/simulation/check-effects.ts'
import { noExemptions } from '../../src/guard/user-limits-and-exemptions.ts'
import { refuseWorseTerms } from '../../src/planning/replan.ts'
import type { StrategyEntry } from '../../src/protocols/catalog-types.ts'
import type { Intent } from '../../src/protocols/intent.ts'
import { pendleRouterAbi } from '../../src/protocols/pendle-pt/abi.ts'
import type { PendlePtConstants } from '../../src/protocols/pendle-pt/constants-schema.ts'
import { buyPt, leavePt } from '../../src/protocols/pendle-pt/encode.ts'
import { swapExactIn } from '../../src/protocols/spark-psm3/encode.ts'
import { refuseIntentMismatch } from '../../src/signing/intent-matches-command-line.ts'
import { catalog, lending, thief, usdc, usdt, wallet } from '../support/plans/plan-fixtures.ts'

const chainId = 31337
const at = (byte: string): Address => `0x${byte.repeat(20)}`
const [amount, units, least] = [100_000_000n, 104_000_000n, 103_000_000n]
const constants: PendlePtConstants = {
  family: 'pendle-pt',
  market: at('c1'),
  yt: at('c2'),
  sy: at('c3'),
  router: at('c4'),
  routerStatic: at('c5'),
  oracle: at('c6'),
  expiry: 1_900_000_000,
}
const strategyOf = (its: StrategyEntry['constants']): StrategyEntry => ({
  ...lending,
  id: its.family,
  slug: its.family,
  receipt: { ...lending.receipt, address: at('c7') },
  constants: its,
})
const pt = strategyOf(constants)
const saving = strategyOf({ family: 'spark-psm3', psm: at('c4'), oracle: at('c6') })
const known = { ...catalog, strategies: [...catalog.strategies, pt, saving] }

const check = (intent: Intent, transactions: readonly Transaction[]): string => {
  try {
    checkLeg({ intent, chainId, transactions, catalog: known })
    return 'passed'
  } catch (error) {
    if (error instanceof AppError) return error.code
    throw error
  }
}
const allowing = (token: Address, much: bigint, spender = constants.router) =>
  approve({ chainId, token, spender, amount: much })

const ask = { chainId, owner: wallet, token: usdc.address, constants }
const bought = buyPt({ ...ask, amount, least })
const sold = leavePt({ ...ask, units, least: 99_000_000n, isMature: false })
const redeemed = leavePt({ ...ask, units, least: 99_000_000n, isMature: true })
const coming: Intent = { kind: 'deposit', wallet, strategy: pt, amount, least }
const part: Intent = { kind: 'withdraw', wallet, strategy: pt, amount, units, least: 99_000_000n }
const all: Intent = { kind: 'withdraw', wallet, strategy: pt, amount, shares: units, least: 99_000_000n }

/** Yields every variant of the arguments with one changed value, or with an order added to an empty list. */
function* changed(value: unknown, path = ''): Generator<[path: string, value: unknown]> {
  if (typeof value === 'bigint') {
    if (value < maxUint256) yield [`${path} more`, value + 1n]
    if (value > 0n) yield [`${path} less`, value - 1n]
  } else if (typeof value === 'number') yield [path, value + 1]
  else if (typeof value === 'boolean') yield [path, !value]
  else if (typeof value === 'string') yield [path, value.length === 42 ? thief : '0xab']
  else if (Array.isArray(value) && value.length === 0) yield [path, [someOrder]]
  else
    for (const [name, inner] of Object.entries(value as object))
      for (const [where, other] of changed(inner, `${path}.${name}`))
        yield [
          where,
          Array.isArray(value) ? value.with(Number(name), other) : { ...(value as object), [name]: other },
        ]
}
const someOrder = {
  order: {
    salt: 1n,
    expiry: 1n,
    nonce: 1n,
    orderType: 0,
    token: thief,
    YT: thief,
    maker: thief,
    receiver: thief,
    makingAmount: 1n,
    lnImpliedRate: 1n,
    failSafeRate: 1n,
    permit: '0x',
  },
  signature: '0x',
  makingAmount: 1n,
}

const argsOf = (data: Hex) => {
  const { functionName, args } = decodeFunctionData({ abi: pendleRouterAbi, data })
  return { functionName, args: args as readonly unknown[] }
}

describe('the guard on a Pendle PT', () => {
  const honest: [string, Intent, Transaction, Address, bigint, string[]][] = [
    ['a purchase', coming, bought, usdc.address, amount, ['.2 more']],
    [
      'the sale of a part',
      part,
      sold,
      pt.receipt.address,
      units,
      ['.3.minTokenOut more', '.2 more', '.2 less'],
    ],
    ['the sale of all', all, sold, pt.receipt.address, units, ['.3.minTokenOut more']],
    ['a redemption', all, redeemed, pt.receipt.address, units, ['.3.minTokenOut more']],
  ]
  test.each(honest)(
    'accepts %s, and only those changed arguments that are at least as strict',
    (_, intent, made, token, much, harmless) => {
      expect(check(intent, [allowing(token, much), made])).toBe('passed')
      const { functionName, args } = argsOf(made.data)
      const passed: string[] = []
      let count = 0
      for (const [path, other] of changed(args)) {
        const data = encodeFunctionData({ abi: pendleRouterAbi, functionName, args: other as never })
        expect(data).not.toBe(made.data)
        count++
        // The units of a partial sale may differ slightly; the approval must then match them.
        const given = path.startsWith('.2') && intent.kind === 'withdraw' ? (other as bigint[])[2]! : much
        if (check(intent, [allowing(token, given), { ...made, data }]) === 'passed') passed.push(path)
      }
      expect(count).toBeGreaterThan(functionName === 'redeemPyToToken' ? 10 : 17)
      expect(passed.toSorted()).toEqual(harmless.toSorted())
    },
  )

  const code = (intent: Intent, made: Transaction) => check(intent, [made])
  test('refuses each deviation with its own error code', () => {
    expect(code(coming, buyPt({ ...ask, owner: thief, amount, least }))).toBe('POLICY_RECIPIENT')
    expect(code(coming, buyPt({ ...ask, amount: amount + 1n, least }))).toBe('POLICY_AMOUNT')
    expect(code(coming, buyPt({ ...ask, amount, least: least - 1n }))).toBe('POLICY_MIN_OUT')
    expect(code(coming, buyPt({ ...ask, token: usdt.address, amount, least }))).toBe('POLICY_QUOTE_DRIFT')
    const elsewhere = { ...constants, market: thief }
    expect(code(coming, buyPt({ ...ask, constants: elsewhere, amount, least }))).toBe(
      'POLICY_CONTRACT_NOT_ALLOWED',
    )
    expect(code(coming, { ...bought, to: thief })).toBe('POLICY_CONTRACT_NOT_ALLOWED')
    expect(code(coming, { ...bought, value: 1n })).toBe('POLICY_VALUE')
    expect(code(coming, { ...bought, data: concatHex([bought.data, '0x00']) })).toBe('POLICY_DECODE')
    expect(code(coming, sold)).toBe('POLICY_DECODE')
    expect(code(part, bought)).toBe('POLICY_DECODE')
    expect(code(part, leavePt({ ...ask, units: units * 2n, least, isMature: false }))).toBe('POLICY_AMOUNT')
    expect(check(coming, [allowing(usdc.address, amount + 1n), bought])).toBe('POLICY_ALLOWANCE')
    expect(check(coming, [allowing(usdc.address, amount, thief), bought])).toBe('POLICY_SPENDER')
  })

  test('refuses an intent without a minimum', () => {
    const { least: _, ...unread } = coming
    expect(code(unread as Intent, bought)).toBe('POLICY_MIN_OUT')
  })

  test('refuses to sign a minimum below what the typed flags allow', () => {
    const typed = (much: bigint, more: string) => () =>
      refuseIntentMismatch(
        {
          line: readCommandLine(['deposit', pt.slug, '--amount', '100', ...more.split(' ').filter(Boolean)]),
          walletNamed: () => undefined,
        },
        { ...coming, least: much } as Intent,
        noExemptions,
        null,
        known,
      )
    expect(typed(96_515_000n, '')).not.toThrow()
    expect(typed(96_514_999n, '')).toThrow(/does not match the command line/)
    expect(typed(95_000_000n, '--slippage 5%')).not.toThrow()
    expect(typed(92_149_999n, '--slippage 5%')).toThrow(/does not match the command line/)
    expect(typed(89_550_000n, '--max-price-impact 10%')).not.toThrow()
  })

  test('refuses a replanned minimum below the accepted one, unless the user lowers it', () => {
    const now = (much: bigint): Intent => ({ ...coming, least: much })
    const again = (much: bigint, said: bigint | null) => () =>
      refuseWorseTerms(coming, now(much), said, 'one')
    expect(again(least, null)).not.toThrow()
    expect(again(least - 1n, null)).toThrow(/less than the accepted .*: nothing more is signed/)
    expect(again(least - 1n, least - 1n)).not.toThrow()
  })

  test('refuses a simulation that receives less than the minimum', () => {
    const seen = (token: Token, delta: bigint, before = 0n) => ({ token, before, delta })
    const effect = (intent: Intent, changes: ReturnType<typeof seen>[]) => () =>
      checkEffect(intent, { changes, allowances: [] }, units)
    const paid = seen(usdc, -amount, amount)
    expect(effect(coming, [paid, seen(pt.receipt, least)])).not.toThrow()
    expect(effect(coming, [paid, seen(pt.receipt, least - 1n)])).toThrow(/returns too little/)
    const given = seen(pt.receipt, -units, units)
    expect(effect(part, [given, seen(usdc, 99_000_000n)])).not.toThrow()
    expect(effect(part, [given, seen(usdc, 98_999_999n)])).toThrow(/the output is too low/)
    expect(effect(all, [given, seen(usdc, 98_999_999n)])).toThrow(/the output is too low/)
  })

  test('accepts calls with the selectors of the published contract', () => {
    const selectors = [bought, sold, redeemed].map(({ data }) => data.slice(0, 10))
    expect(selectors).toEqual(['0xc81f847a', '0x594a88cc', '0x47f1de22'])
  })

  test('reads an intent from the journal unchanged, with its minimum', () => {
    const json = JSON.parse(JSON.stringify(encodeIntent(coming)))
    expect(decodeIntent(json, known)).toEqual(coming)
  })
})

describe('the guard on sUSDS through a Spark PSM', () => {
  const psm = saving.constants.family === 'spark-psm3' ? saving.constants.psm : thief
  const [asset, receipt] = [usdc.address, saving.receipt.address]
  const into = { chainId, psm, from: asset, to: receipt, amount, least, owner: wallet }
  const out = { ...into, from: receipt, to: asset, amount: units }
  const deposit: Intent = { ...coming, strategy: saving }
  const leave: Intent = { ...all, strategy: saving, least }
  const code = (intent: Intent, more: object) =>
    check(intent, [swapExactIn({ ...(intent.kind === 'deposit' ? into : out), ...more })])

  test.each<[string, Intent]>([
    ['a purchase', deposit],
    ['a sale', leave],
  ])('accepts %s, and refuses each deviation', (_, intent) => {
    const [token, much] = intent.kind === 'deposit' ? [asset, amount] : [receipt, units]
    const honest = swapExactIn(intent.kind === 'deposit' ? into : out)
    expect(check(intent, [allowing(token, much, psm), honest])).toBe('passed')
    expect(honest.data.slice(0, 10)).toBe('0x1a019e37')
    expect(code(intent, { owner: thief })).toBe('POLICY_RECIPIENT')
    expect(code(intent, { least: least - 1n })).toBe('POLICY_MIN_OUT')
    expect(code(intent, { amount: much + 1n })).toBe('POLICY_AMOUNT')
    expect(code(intent, { amount: much - 1n })).toBe('POLICY_AMOUNT')
    expect(code(intent, { from: usdt.address })).toBe('POLICY_QUOTE_DRIFT')
    expect(code(intent, { to: usdt.address })).toBe('POLICY_QUOTE_DRIFT')
    expect(code(intent, { psm: thief })).toBe('POLICY_CONTRACT_NOT_ALLOWED')
    expect(check({ ...intent, least: undefined } as unknown as Intent, [honest])).toBe('POLICY_MIN_OUT')
    const abi = parseAbi(['function swapExactIn(address,address,uint256,uint256,address,uint256)'])
    const args = [token, token === asset ? receipt : asset, much, least, wallet, 7n]
    const data = encodeFunctionData({ abi, args: args as never })
    expect(check(intent, [{ ...honest, data }])).toBe('POLICY_RECIPIENT')
    expect(check(intent, [{ ...honest, value: 1n }])).toBe('POLICY_VALUE')
  })
})
