import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  formatAmount,
  maxUint256,
  parseAmount,
  parseRawAmount,
  shareOfBalance,
  tokenAmount,
  Units,
  writtenAmount,
} from '../../src/domain/amount.ts'
import { AppError } from '../../src/domain/errors.ts'
import { type Flags, isNext } from '../../src/domain/text/next-step.ts'

const usdc = { symbol: 'USDC', decimals: 6 }
const refusal = (work: () => unknown): AppError => {
  try {
    work()
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
  throw new Error('it was accepted')
}

/** The flags of each next step of a refused amount. */
const proposed = (work: () => unknown): Flags[] =>
  refusal(work).next!.flatMap((part) => (isNext(part) ? [part.flags] : []))
const onlyHelp: Flags[] = [{ '--help': true }]

const shares: [text: string | undefined, share: bigint | undefined][] = [
  ['max', 10_000n],
  ['MAX', 10_000n],
  ['50%', 5_000n],
  ['0.01%', 1n],
  ['100%', 10_000n],
]
for (const text of ['0%', '101%', '-5%', '50', '1.234%', '50 %', 'all', '', undefined])
  shares.push([text, undefined])

test.each(shares)('shareOfBalance(%j) is %s hundredths of a percent', (text, share) => {
  expect(shareOfBalance(text)).toBe(share)
})

test('an amount that only an unlimited allowance has is written as unlimited, and any other as it is', () => {
  for (const raw of [maxUint256, 2n ** 255n]) {
    expect(formatAmount(raw, usdc)).toBe('unlimited USDC')
    expect(writtenAmount(tokenAmount(raw, usdc))).toBe('unlimited')
  }
  expect(formatAmount(2n ** 255n - 1n, { symbol: 'X', decimals: 0 })).toMatch(/^57,89[\d,]+ X$/)
  expect(writtenAmount(tokenAmount(1_500_000n, usdc))).toBe('1.5')
})

describe('parseAmount and parseRawAmount', () => {
  test.each([
    ['100.5', 100500000n],
    ['100', 100000000n],
    ['0.000001', 1n],
    ['100.5USDC', 100500000n],
    ['100.5 usdc', 100500000n],
    [' 1 ', 1000000n],
    ['007', 7000000n],
    ['1.50000000000', 1500000n],
  ])('read %s as %s of the smallest unit', (text, raw) => {
    expect(parseAmount(text, usdc)).toBe(raw)
  })

  test.each([
    ['', 'empty'],
    ['-1', 'a sign'],
    ['+1', 'a sign'],
    ['1e3', 'an exponent'],
    ['1E3', 'an exponent'],
    ['1e-3', 'an exponent'],
    ['0x10', 'hex'],
    ['1,000', 'a separator'],
    ['1_000', 'a separator'],
    ['1 000', 'a separator'],
    ["1'000", 'a separator'],
    ['1.', 'no decimals after the point'],
    ['.5', 'nothing before the point'],
    ['1.2.3', 'two points'],
    ['1.0000001', 'more decimals than the token has'],
    ['٣', 'digits of another script'],
    ['１', 'digits of full width'],
    ['NaN', 'a word'],
    ['Infinity', 'a word'],
    ['max', 'a word'],
    ['1 USDC USDC', 'two symbols'],
    ['USDC 1', 'the symbol first'],
    ['$1', 'a currency sign'],
  ])('refuse "%s" (%s) with a command for each amount that it may mean, else with the help', (text) => {
    expect(refusal(() => parseAmount(text, usdc)).code).toBe('INVALID_AMOUNT')
    const next = proposed(() => parseAmount(text, usdc))
    for (const flags of next)
      expect(Object.keys(flags)).toEqual([/[1-9]/.test(flags['--amount'] as string) ? '--amount' : '--help'])
    expect(next.length).toBeGreaterThan(0)
  })

  test.each([
    ['1,000', ['1000', '1']],
    ['1.000,50', ['1000.5']],
    ["1'000,5", ['1000.5']],
    ['1.000.000', ['1000000']],
    ['1,5', ['1.5']],
    ['12,345,678.9', ['12345678.9']],
    ['1_000', ['1000']],
    ['1e3', ['1000']],
    ['1.25e1', ['12.5']],
    ['25e-3', ['0.025']],
    ['0x10', ['16']],
    ['.5', ['0.5']],
    ['1.12345678', ['1.123456']],
    ['1,000USDC', ['1000', '1']],
    ['1e3 usdc', ['1000']],
    ['1e3USDC', ['1000']],
  ])('refuse %s and propose the amounts it may mean, each by a command', (text, amounts) => {
    expect(proposed(() => parseAmount(text, usdc))).toEqual(amounts.map((one) => ({ '--amount': one })))
  })

  test('name each amount that a text may mean in the words before its command', () => {
    expect(refusal(() => parseAmount('1,000', usdc)).hint).toBe(
      'If you mean 1,000 USDC: --amount 1000. If you mean 1 USDC: --amount 1',
    )
  })

  test('suggest the amount after the flag that was typed', () => {
    expect(proposed(() => parseAmount('1e3', usdc, '--amount-in'))).toEqual([{ '--amount-in': '1000' }])
    expect(proposed(() => parseAmount('1e-9', usdc, '--amount-in'))).toEqual(onlyHelp)
  })

  test.each(['0', '0.0', '0USDC', '000.000000'])('refuse the zero amount %s', (text) => {
    expect(refusal(() => parseAmount(text, usdc))).toMatchObject({
      code: 'INVALID_AMOUNT',
      message: expect.stringContaining('zero'),
    })
  })

  test('refuse another symbol than that of the token, and name the symbol of the token', () => {
    for (const text of ['1USDT', '1 WETH', '1 USDC.e']) {
      const { code, message } = refusal(() => parseAmount(text, usdc))
      expect(code).toBe('INVALID_AMOUNT')
      expect(message).toContain('USDC')
    }
    expect(parseAmount('1USDC.e', { symbol: 'USDC.e', decimals: 6 })).toBe(1000000n)
    expect(parseAmount('2E', { symbol: 'E', decimals: 0 })).toBe(2n)
  })

  test('refuse an amount above 2^256 - 1', () => {
    const whole = { symbol: 'X', decimals: 0 }
    expect(parseAmount(String(maxUint256), whole)).toBe(maxUint256)
    expect(refusal(() => parseAmount(String(maxUint256 + 1n), whole)).code).toBe('INVALID_AMOUNT')
    expect(refusal(() => parseAmount('9'.repeat(10_000), whole)).code).toBe('INVALID_AMOUNT')
  })

  test('suggest no amount that exceeds what a token can hold', () => {
    for (const text of ['1e99', '1e72', `0x${'f'.repeat(64)}`])
      expect(proposed(() => parseAmount(text, usdc))).toEqual(onlyHelp)
    expect(proposed(() => parseRawAmount('1e99'))).toEqual(onlyHelp)
  })

  test.each<[string, Flags[]]>([
    ['1e6', [{ '--amount-raw': '1000000' }]],
    ['1,000', [{ '--amount-raw': '1000' }, { '--amount-raw': '1' }]],
    ['1.5', [{ '--amount': '1.5' }]],
    ['1,005', [{ '--amount-raw': '1005' }, { '--amount': '1.005' }]],
    ['', onlyHelp],
  ])('refuse the raw amount "%s" and propose the amounts it may mean', (text, next) => {
    expect(proposed(() => parseRawAmount(text))).toEqual(next)
  })

  test('accept only a whole number above zero as a raw amount', () => {
    expect(parseRawAmount('100500000')).toBe(100500000n)
    for (const text of ['', '0', '-1', '1.5', '1e3', '0x1', '1 ', '1USDC', String(maxUint256 + 1n)])
      expect(refusal(() => parseRawAmount(text)).code).toBe('INVALID_AMOUNT')
  })
})

const decimals = fc.integer({ min: 0, max: 36 })
const raw = fc.bigInt({ min: 1n, max: maxUint256 })

describe('amounts with random values and decimals', () => {
  test('are parsed back from every displayed form', () => {
    fc.assert(
      fc.property(
        raw.filter((one) => one < 2n ** 255n),
        decimals,
        fc.constantFrom('USDC', 'WETH', 'USDC.e', 'x'),
        (amount, places, symbol) => {
          const unit = { symbol, decimals: places }
          expect(parseAmount(formatAmount(amount, unit).replaceAll(',', ''), unit)).toBe(amount)
          expect(parseAmount(tokenAmount(amount, unit).formatted, unit)).toBe(amount)
          expect(parseRawAmount(tokenAmount(amount, unit).raw)).toBe(amount)
        },
      ),
    )
  })

  test('are read exactly: whole part and fraction are combined as decimals', () => {
    const digits = (max: number) => fc.stringMatching(new RegExp(`^[0-9]{1,${max}}$`))
    fc.assert(
      fc.property(digits(20), digits(18), fc.integer({ min: 18, max: 30 }), (whole, fraction, places) => {
        const expected =
          BigInt(whole) * 10n ** BigInt(places) + BigInt(fraction) * 10n ** BigInt(places - fraction.length)
        fc.pre(expected > 0n)
        expect(parseAmount(`${whole}.${fraction}`, { symbol: 'X', decimals: places })).toBe(expected)
      }),
    )
  })

  test('are refused with a decimal too many unless it is zero', () => {
    fc.assert(
      fc.property(raw, decimals, fc.integer({ min: 1, max: 9 }), (amount, places, digit) => {
        const unit = { symbol: 'X', decimals: places }
        const text = `${tokenAmount(amount, unit).formatted}`
        const full = text.includes('.') ? text : `${text}.`
        const padded = full + '0'.repeat(places - (full.length - full.indexOf('.') - 1))
        expect(refusal(() => parseAmount(`${padded}${digit}`, unit)).code).toBe('INVALID_AMOUNT')
        expect(parseAmount(`${padded}0`, unit)).toBe(amount)
      }),
    )
  })

  test('are either a bigint above zero or INVALID_AMOUNT for any text', () => {
    const text = fc.oneof(fc.string(), fc.stringMatching(/^[-+0-9.eExX, _A-F]{0,12}$/))
    fc.assert(
      fc.property(text, decimals, (typed, places) => {
        let amount: bigint
        try {
          amount = parseAmount(typed, { symbol: 'USDC', decimals: places })
        } catch (error) {
          expect((error as AppError).code).toBe('INVALID_AMOUNT')
          return
        }
        expect(amount).toBeGreaterThan(0n)
        expect(amount).toBeLessThanOrEqual(maxUint256)
        expect(typed.trim()).toMatch(/^[0-9]+(\.[0-9]+)?\s*(usdc)?$/i)
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('the Units codec', () => {
  test('decodes only a decimal string without sign, exponent, hex, point or leading zero', () => {
    for (const bad of ['', '-1', '+1', '01', '1.0', '1e3', '0x1', ' 1', String(maxUint256 + 1n)])
      expect(z.safeDecode(Units, bad).success).toBe(false)
    for (const bad of [1, null, undefined, 1n]) expect(z.safeDecode(Units, bad as never).success).toBe(false)
    expect(z.decode(Units, '0')).toBe(0n)
    expect(z.decode(Units, String(maxUint256))).toBe(maxUint256)
  })

  test('decodes every amount that it encodes', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: maxUint256 }), (amount) => {
        expect(z.decode(Units, z.encode(Units, amount))).toBe(amount)
      }),
    )
  })
})

test('an amount for people has thousands separators, and none in its decimals', () => {
  expect(formatAmount(49_912_600_455n, usdc)).toBe('49,912.600455 USDC')
  expect(formatAmount(999_000_000n, usdc)).toBe('999 USDC')
  expect(formatAmount(-1_234_567_000_000n, usdc)).toBe('-1,234,567 USDC')
})

test.each(['-5', '- 5', '-5USDC', '-1,000'])(
  'no next step turns the negative amount %s into a payment',
  (text) => {
    expect(proposed(() => parseAmount(text, usdc))).toEqual(onlyHelp)
    expect(proposed(() => parseRawAmount(text))).toEqual(onlyHelp)
  },
)
