import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Address, nativeAddress } from '../../src/domain/address.ts'
import { lpUnits, lpWorth } from '../../src/protocols/across-pool/lp-token.ts'
import { acrossPool } from '../../src/protocols/across-pool/market-adapter.ts'
import { marketAt } from '../support/plans/plan-fixtures.ts'

const hubPool: Address = `0x${'c8'.repeat(20)}`
const constants = { family: 'across', hubPool } as const
const market = acrossPool(marketAt(hubPool)(constants), constants)

test('the reported liquidity can be withdrawn to the last unit at any LP token price', () => {
  const price = fc.bigInt(10n ** 17n, 10n ** 20n)
  fc.assert(
    fc.property(price, fc.bigInt(1n, 10n ** 24n), fc.bigInt(0n, 10n ** 24n), (rate, own, less) => {
      const liquid = own > less ? own - less : 0n
      const pooled = [nativeAddress, true, 5, 0n, liquid, 0n]
      const proposal = ['0x', '0x', '0x', 0n, nativeAddress, 0, 0]
      const { liquidity } = market.state.parse([
        ...[pooled, rate, 0n, 10n, false, nativeAddress, 0n],
        ...[proposal, 10n ** 30n, own],
      ])
      expect(lpWorth(rate, lpUnits(rate, liquidity!))).toBe(liquidity)
      expect(own - liquidity!).toBeGreaterThanOrEqual(0n)
      // At most one LP token below the pool's own balance.
      expect(own - liquidity!).toBeLessThanOrEqual(rate / 10n ** 18n + 1n)
    }),
  )
})
