import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { acceptedAmounts, type QuotedAmounts } from '../../src/domain/accepted-amounts.ts'
import { addSlippage, parseSlippage, subtractSlippage } from '../../src/domain/slippage.ts'
import { slippageOf } from '../../src/guard/intent-slippage.ts'
import { burnBridgePrice, isWithinTolerance, maxPriceShortfall } from '../../src/guard/price-tolerance.ts'

const shown: QuotedAmounts = {
  amountIn: 100_000_000n,
  amountOut: 40_000_000n,
  minAmountOut: null,
  maxAmountIn: null,
}
const asked = { exact: 'in', slippage: null, least: null } as const
const out = { ...asked, exact: 'out' } as const

describe('acceptedAmounts for a quote without bounds', () => {
  test('allows half a percent of slippage on the side that is not exact', () => {
    expect(acceptedAmounts(shown, asked)).toEqual({ amountIn: 100_000_000n, amountOut: 39_800_000n })
    expect(acceptedAmounts(shown, out)).toEqual({ amountIn: 100_500_000n, amountOut: 40_000_000n })
  })

  test('allows the requested slippage, rounded by less than one unit', () => {
    expect(acceptedAmounts({ ...shown, amountOut: 999n }, { ...asked, slippage: 0.01 }).amountOut).toBe(989n)
    expect(acceptedAmounts({ ...shown, amountIn: 999n }, { ...out, slippage: 0.01 }).amountIn).toBe(1_009n)
  })

  test('refuses a minimum of zero', () => {
    for (const amountOut of [0n, 1n])
      expect(() => acceptedAmounts({ ...shown, amountOut }, asked)).toThrow(/names no minimum/)
    expect(acceptedAmounts({ ...shown, amountOut: 2n }, asked).amountOut).toBe(1n)
  })

  test('uses the minimum that the user names, whatever the quote shows', () => {
    for (const least of [1n, 45_000_000n])
      expect(acceptedAmounts(shown, { ...asked, least, slippage: 0.1 })).toEqual({
        amountIn: 100_000_000n,
        amountOut: least,
      })
  })
})

describe('acceptedAmounts for a quote with bounds', () => {
  const bounded = { ...shown, minAmountOut: 39_000_000n, maxAmountIn: 101_000_000n }
  test('uses the bounds that are no wider than the requested slippage, to one unit', () => {
    expect(acceptedAmounts(bounded, { ...asked, slippage: 0.5 })).toEqual({
      amountIn: 100_000_000n,
      amountOut: 39_000_000n,
    })
    const exact = { ...bounded, minAmountOut: 40_000_000n }
    expect(acceptedAmounts(exact, { ...out, slippage: 0.5 })).toEqual({
      amountIn: 101_000_000n,
      amountOut: 40_000_000n,
    })
    expect(acceptedAmounts({ ...shown, minAmountOut: 39_799_999n }, asked).amountOut).toBe(39_799_999n)
    expect(acceptedAmounts({ ...shown, maxAmountIn: 100_500_001n }, out).amountIn).toBe(100_500_001n)
  })

  test('uses the requested slippage, or half a percent, instead of wider bounds', () => {
    for (const minAmountOut of [0n, 1n, 39_000_000n, 39_799_998n])
      expect(acceptedAmounts({ ...shown, minAmountOut }, asked).amountOut).toBe(39_800_000n)
    expect(acceptedAmounts({ ...shown, minAmountOut: 1n }, { ...asked, slippage: 0.1 }).amountOut).toBe(
      36_000_000n,
    )
    for (const maxAmountIn of [100_500_002n, 10n ** 12n])
      expect(acceptedAmounts({ ...shown, maxAmountIn }, out).amountIn).toBe(100_500_000n)
    expect(acceptedAmounts({ ...shown, minAmountOut: 1n }, out).amountOut).toBe(39_800_000n)
  })

  test('uses the minimum that the user names instead of the bound', () => {
    expect(acceptedAmounts(bounded, { ...asked, least: 38_000_000n }).amountOut).toBe(38_000_000n)
  })
})

test('acceptedAmounts rounds by less than one unit for every amount and slippage', () => {
  const amount = fc.bigInt(2n, 10n ** 30n)
  const parts = fc.integer({ min: 100, max: 500_000 })
  fc.assert(
    fc.property(amount, amount, parts, (amountIn, amountOut, millionths) => {
      const slippage = millionths / 1e6
      const some = { ...shown, amountIn, amountOut }
      const { amountOut: least } = acceptedAmounts(some, { ...asked, slippage })
      const exact = amountOut * BigInt(1_000_000 - millionths)
      expect(least * 1_000_000n <= exact && exact < (least + 1n) * 1_000_000n).toBe(true)
      const { amountIn: most } = acceptedAmounts(some, { ...out, slippage })
      const dear = amountIn * BigInt(1_000_000 + millionths)
      expect((most - 1n) * 1_000_000n < dear && dear <= most * 1_000_000n).toBe(true)
    }),
  )
})

test('isWithinTolerance allows a shortfall of 3 % plus one unit of rounding, and not a unit more', () => {
  const price = { amountIn: 1n, amountOut: 1n, most: maxPriceShortfall }
  expect(isWithinTolerance({ amountIn: 1_000_000n, amountOut: 969_999n }, price)).toBe(true)
  expect(isWithinTolerance({ amountIn: 1_000_000n, amountOut: 969_998n }, price)).toBe(false)
})

test('slippageOf finds at most the slippage that the bound of any amount was rounded with, and more for two units more', () => {
  const token = {
    chainId: 1,
    address: '0x1111111111111111111111111111111111111111',
    decimals: 8,
    symbol: 'A',
    name: 'A',
  } as const
  const swap = {
    kind: 'swap',
    wallet: token.address,
    provider: 'a',
    tokenIn: token,
    tokenOut: { ...token, symbol: 'B' },
    recipient: token.address,
    deadline: 0,
  } as const
  const amount = fc.bigInt({ min: 1n, max: 10n ** 12n })
  fc.assert(
    fc.property(amount, fc.integer({ min: 0, max: 50_000 }), (expected, millionths) => {
      const share = millionths / 1e6
      const amounts = { in: { raw: String(expected) }, out: { raw: String(expected) } }
      const [least, most] = [subtractSlippage(expected, share), addSlippage(expected, share)]
      const atLeast = (amountOut: bigint) =>
        slippageOf({ ...swap, exact: 'in', amountIn: 1n, amountOut }, amounts)!
      const atMost = (amountIn: bigint) =>
        slippageOf({ ...swap, exact: 'out', amountIn, amountOut: 1n }, amounts)!
      for (const found of [atLeast(least), atMost(most)]) expect(found).toBeLessThanOrEqual(share + 1e-8)
      const unit = 1e8 / Number(expected) / 1e8
      if (unit > 1e-8)
        for (const found of [atLeast(least - 2n), atMost(most + 2n)])
          expect(found).toBeGreaterThan(share + unit / 2)
    }),
  )
})

test('burnBridgePrice allows a bridge to take 0.75 % plus one unit of rounding, and not a unit more', () => {
  expect(isWithinTolerance({ amountIn: 1_000_000n, amountOut: 992_499n }, burnBridgePrice)).toBe(true)
  expect(isWithinTolerance({ amountIn: 1_000_000n, amountOut: 992_498n }, burnBridgePrice)).toBe(false)
})

test.each([
  ['0.5%', 0.005],
  ['50bps', 0.005],
  ['0.5', undefined],
  ['', undefined],
  ['-1%', undefined],
])('parseSlippage needs a unit and no sign: %j', (text, fraction) => {
  expect(parseSlippage(text)).toBe(fraction)
})
