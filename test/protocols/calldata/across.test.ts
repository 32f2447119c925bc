import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Address } from '../../../src/domain/address.ts'
import type { Token } from '../../../src/domain/token.ts'
import { checkAcrossPoolCalldata } from '../../../src/protocols/across-pool/calldata-check.ts'
import type { AcrossPoolConstants } from '../../../src/protocols/across-pool/constants-schema.ts'
import { addLiquidity } from '../../../src/protocols/across-pool/encode.ts'
import { lpUnits, lpWorth } from '../../../src/protocols/across-pool/lp-token.ts'
import { coin, marketAt, wallet } from '../../support/plans/plan-fixtures.ts'

const upTo = (most: bigint) => fc.bigInt(1n, most)
const price = fc.bigInt(10n ** 15n, 10n ** 21n)

test('lpUnits returns the smallest amount of LP tokens that is worth at least the given amount', () => {
  fc.assert(
    fc.property(price, upTo(10n ** 30n), (rate, amount) => {
      const units = lpUnits(rate, amount)
      expect(lpWorth(rate, units)).toBeGreaterThanOrEqual(amount)
      expect(lpWorth(rate, units - 1n)).toBeLessThan(amount)
    }),
  )
})

test('withdrawing the worth of all held LP tokens needs no more LP tokens than are held', () => {
  fc.assert(
    fc.property(price, upTo(10n ** 30n), (rate, held) => {
      expect(lpUnits(rate, lpWorth(rate, held))).toBeLessThanOrEqual(held)
    }),
  )
})

test('a pool with a wrapped coin is accepted for the native coin only, and a token pool for its token only', () => {
  const [hubPool, wrapped]: [Address, Address] = [`0x${'c8'.repeat(20)}`, `0x${'c9'.repeat(20)}`]
  const token = { ...coin, address: wrapped }
  const said = (asset: Token, constants: AcrossPoolConstants) => {
    const intent = {
      kind: 'deposit',
      wallet,
      strategy: marketAt(hubPool)(constants, { asset }),
      amount: 5n,
    } as const
    const pool = { constants, asset }
    return checkAcrossPoolCalldata(addLiquidity({ chainId: 31337, amount: 5n, ...pool }), intent, pool)
  }
  const plain: AcrossPoolConstants = { family: 'across', hubPool }
  const wraps: AcrossPoolConstants = { ...plain, wrapped }
  expect([said(token, plain), said(coin, wraps)]).toMatchObject([{ bound: {} }, { bound: {} }])
  for (const wrong of [said(coin, plain), said(token, wraps)])
    expect(wrong).toMatchObject({ violation: { code: 'POLICY_AMOUNT' } })
})
