import fc from 'fast-check'
import { expect, test } from 'vitest'

import { lpUnits, lpWorth } from '../../src/calls/across.ts'

const upTo = (most: bigint) => fc.bigInt(1n, most)
const price = fc.bigInt(10n ** 15n, 10n ** 21n)

test('the LP tokens that a part costs bring no less than it, and one fewer would', () => {
  fc.assert(
    fc.property(price, upTo(10n ** 30n), (rate, amount) => {
      const units = lpUnits(rate, amount)
      expect(lpWorth(rate, units)).toBeGreaterThanOrEqual(amount)
      expect(lpWorth(rate, units - 1n)).toBeLessThan(amount)
    }),
  )
})

test('whoever takes out what all is worth needs no more than there is', () => {
  fc.assert(
    fc.property(price, upTo(10n ** 30n), (rate, held) => {
      expect(lpUnits(rate, lpWorth(rate, held))).toBeLessThanOrEqual(held)
    }),
  )
})
