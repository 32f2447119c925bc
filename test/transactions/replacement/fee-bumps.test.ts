import { expect, test } from 'vitest'
import { bumpedFee, maxBumps } from '../../../src/chain/fee-bumps.ts'
import { computeFeeBound } from '../../../src/planning/fee-bound.ts'
import type { Attempt } from '../../../src/store/journal/operation-types.ts'
import {
  defaultBumpDelay,
  replacementDecision,
  replacementFees,
} from '../../../src/transactions/attempts/fee-bump.ts'

/** The bound of a plan at a fee, without a limit of the person. */
const boundAt = (maxFeePerGas: bigint) =>
  computeFeeBound(
    { fees: { maxFeePerGas, maxPriorityFeePerGas: 0n }, gas: [] } as never,
    { policy: null, maxFeePerGas: null } as never,
    { name: 'Ether', symbol: 'ETH', decimals: 18 } as never,
  ).feeCap

/** The attempts of a step that stays pending for ever, with its bumps within a cap. */
function attemptsAt(fee: bigint, cap: bigint): { attempts: Attempt[]; isShort: boolean } {
  const market = { maxFeePerGas: fee, maxPriorityFeePerGas: fee / 10n }
  const attempts = [{ ...market, kind: 'run' } as Attempt]
  const waited = { ms: defaultBumpDelay.ms, blocks: defaultBumpDelay.blocks }
  while (replacementDecision(attempts, waited, defaultBumpDelay, false) === 'bump') {
    const fees = replacementFees(attempts, market, cap)
    if (!fees) return { attempts, isShort: true }
    attempts.push({ ...fees, kind: 'bump' } as Attempt)
    if (attempts.length > 100) break
  }
  return { attempts, isShort: false }
}

test('a pending step is bumped as often as maxBumps allows, and the bound of its plan leaves room for every bump at any fee', () => {
  for (const fee of [
    0n,
    1n,
    2n,
    7n,
    8n,
    9n,
    63n,
    1_000n,
    999_999n,
    10n ** 9n,
    10n ** 9n + 1n,
    7n * 10n ** 11n,
  ]) {
    const { attempts, isShort } = attemptsAt(fee, boundAt(fee))
    expect({ fee, sent: attempts.length, isShort }).toEqual({ fee, sent: maxBumps + 1, isShort: false })
  }
})

test('a bump raises a fee by an eighth, rounded up', () => {
  expect([0n, 1n, 8n, 9n, 8_000n].map(bumpedFee)).toEqual([1n, 2n, 9n, 11n, 9_000n])
})

test('five bumps of an eighth make the bound of a plan twice the current fee, and not more', () => {
  expect(maxBumps).toBe(5)
  for (const fee of [10n ** 6n, 10n ** 9n, 123_456_789_012n]) expect(boundAt(fee)).toBe(2n * fee)
})
