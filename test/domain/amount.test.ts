import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  formatAmount,
  maxUint256,
  parseAmount,
  parseRawAmount,
  tokenAmount,
  Units,
} from '../../src/domain/amount.ts'
import { AppError } from '../../src/domain/errors.ts'

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

describe('an amount that a person types', () => {
  test.each([
    ['100.5', 100500000n],
    ['100', 100000000n],
    ['0.000001', 1n],
    ['100.5USDC', 100500000n],
    ['100.5 usdc', 100500000n],
    [' 1 ', 1000000n],
    ['007', 7000000n],
    ['1.50000000000', 1500000n],
  ])('%s is %s of the smallest unit', (text, raw) => {
    expect(parseAmount(text, usdc)).toBe(raw)
  })

  test.each([
    ['', 'nothing'],
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
    ['1.0000001', 'more decimals than there are'],
    ['٣', 'digits of another script'],
    ['１', 'digits of full width'],
    ['NaN', 'a word'],
    ['Infinity', 'a word'],
    ['max', 'a word'],
    ['1 USDC USDC', 'two symbols'],
    ['USDC 1', 'the symbol first'],
    ['$1', 'a sign of money'],
  ])('"%s" is refused: %s, and both readings are named', (text) => {
    const { code, hint } = refusal(() => parseAmount(text, usdc))
    expect(code).toBe('INVALID_AMOUNT')
    expect(hint).toContain('--amount ')
    expect(hint).toContain('--amount-raw ')
  })

  test.each([
    ['1,000', '--amount 1000 or --amount 1', '--amount-raw 1000000000 or --amount-raw 1000000'],
    ['1,5', '--amount 1.5', '--amount-raw 1500000'],
    ['12,345,678.9', '--amount 12345678.9', '--amount-raw 12345678900000'],
    ['1_000', '--amount 1000', '--amount-raw 1000000000'],
    ['1e3', '--amount 1000', '--amount-raw 1000000000'],
    ['1.25e1', '--amount 12.5', '--amount-raw 12500000'],
    ['25e-3', '--amount 0.025', '--amount-raw 25000'],
    ['0x10', '--amount 16', '--amount-raw 16000000'],
    ['-5', '--amount 5', '--amount-raw 5000000'],
    ['.5', '--amount 0.5', '--amount-raw 500000'],
    ['1.12345678', '--amount 1.123456', '--amount-raw 1123456'],
    ['1,000USDC', '--amount 1000 or --amount 1', '--amount-raw 1000000000 or --amount-raw 1000000'],
    ['1e3 usdc', '--amount 1000', '--amount-raw 1000000000'],
    ['1e3USDC', '--amount 1000', '--amount-raw 1000000000'],
  ])('%s is told as what it may have meant', (text, units, raw) => {
    expect(refusal(() => parseAmount(text, usdc)).hint).toBe(
      `${units}; the same in the smallest unit: ${raw}`,
    )
  })

  test('is told so after the flag that it was typed after', () => {
    expect(refusal(() => parseAmount('1e3', usdc, '--amount-in')).hint).toBe('--amount-in 1000')
    expect(refusal(() => parseAmount('1e-9', usdc, '--amount-in')).hint).toMatch(/--amount-in 100\.5$/)
  })

  test.each(['0', '0.0', '0USDC', '000.000000'])('%s is zero, and refused', (text) => {
    expect(refusal(() => parseAmount(text, usdc))).toMatchObject({
      code: 'INVALID_AMOUNT',
      message: expect.stringContaining('zero'),
    })
  })

  test('in another symbol is refused, and both symbols are named', () => {
    for (const text of ['1USDT', '1 WETH', '1 USDC.e']) {
      const { code, message } = refusal(() => parseAmount(text, usdc))
      expect(code).toBe('INVALID_AMOUNT')
      expect(message).toContain('USDC')
    }
    expect(parseAmount('1USDC.e', { symbol: 'USDC.e', decimals: 6 })).toBe(1000000n)
    expect(parseAmount('2E', { symbol: 'E', decimals: 0 })).toBe(2n)
  })

  test('above what any token can hold is refused', () => {
    const whole = { symbol: 'X', decimals: 0 }
    expect(parseAmount(String(maxUint256), whole)).toBe(maxUint256)
    expect(refusal(() => parseAmount(String(maxUint256 + 1n), whole)).code).toBe('INVALID_AMOUNT')
    expect(refusal(() => parseAmount('9'.repeat(10_000), whole)).code).toBe('INVALID_AMOUNT')
  })

  test('that no token can hold is not what anybody meant', () => {
    for (const text of ['1e99', '1e72', `0x${'f'.repeat(64)}`])
      expect(refusal(() => parseAmount(text, usdc)).hint).toMatch(
        /^--amount 100\.5, or .* --amount-raw 100500000$/,
      )
    expect(refusal(() => parseRawAmount('1e99')).hint).toBe('Digits alone, such as: --amount-raw 1000000')
  })

  test.each([
    ['1e6', '--amount-raw 1000000'],
    ['1,000', '--amount-raw 1000 or --amount-raw 1'],
    ['1.5', 'in units of the token: --amount 1.5'],
    ['1,005', '--amount-raw 1005 or in units of the token: --amount 1.005'],
    ['', 'Digits alone, such as: --amount-raw 1000000'],
  ])('in the smallest unit, "%s" is told as what it may have meant', (text, hint) => {
    expect(refusal(() => parseRawAmount(text)).hint).toBe(hint)
  })

  test('in the smallest unit is whole and above zero', () => {
    expect(parseRawAmount('100500000')).toBe(100500000n)
    for (const text of ['', '0', '-1', '1.5', '1e3', '0x1', '1 ', '1USDC', String(maxUint256 + 1n)])
      expect(refusal(() => parseRawAmount(text)).code).toBe('INVALID_AMOUNT')
  })
})

const decimals = fc.integer({ min: 0, max: 36 })
const raw = fc.bigInt({ min: 1n, max: maxUint256 })

describe('whatever the amount', () => {
  test('what is shown is read back as the same', () => {
    fc.assert(
      fc.property(raw, decimals, fc.constantFrom('USDC', 'WETH', 'USDC.e', 'x'), (amount, places, symbol) => {
        const unit = { symbol, decimals: places }
        expect(parseAmount(formatAmount(amount, unit), unit)).toBe(amount)
        expect(parseAmount(tokenAmount(amount, unit).formatted, unit)).toBe(amount)
        expect(parseRawAmount(tokenAmount(amount, unit).raw)).toBe(amount)
      }),
    )
  })

  test('it is decimal arithmetic: whole and fraction are put together digit by digit', () => {
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

  test('one decimal too many is refused unless it is zero', () => {
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

  test('no text makes anything but an amount above zero or INVALID_AMOUNT', () => {
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

describe('an amount on the wire', () => {
  test('is a decimal string without sign, exponent, hex, point or leading zero', () => {
    for (const bad of ['', '-1', '+1', '01', '1.0', '1e3', '0x1', ' 1', String(maxUint256 + 1n)])
      expect(z.safeDecode(Units, bad).success).toBe(false)
    for (const bad of [1, null, undefined, 1n]) expect(z.safeDecode(Units, bad as never).success).toBe(false)
    expect(z.decode(Units, '0')).toBe(0n)
    expect(z.decode(Units, String(maxUint256))).toBe(maxUint256)
  })

  test('comes back as it was', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: maxUint256 }), (amount) => {
        expect(z.decode(Units, z.encode(Units, amount))).toBe(amount)
      }),
    )
  })
})
