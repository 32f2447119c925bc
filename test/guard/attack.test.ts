import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { attackCell, sabotages } from '../../bench/attack.ts'
import { mutations } from '../../bench/mutations.ts'
import { seeded } from '../../bench/seeded.ts'
import { checkLeg } from '../../src/guard/guard.ts'
import { honestPlan, isHonest } from '../support/honest-plans.ts'
import { catalog } from '../support/plans.ts'

test('500 honest plans by the published ABIs: over random amounts, recipients and ways, none is refused', () => {
  fc.assert(
    fc.property(fc.integer(), (number) => {
      const plan = honestPlan(seeded(number))
      const steps = checkLeg({ ...plan, chainId: 31337, catalog })
      expect(steps.map(({ transaction }) => transaction)).toEqual(plan.transactions)
      expect(isHonest(plan, plan.transactions)).toBe(true)
    }),
    { numRuns: 500, seed: 20261121 },
  )
})

describe('changed plans', () => {
  const wrongOf = (cells: number, seed: number, judge?: (typeof sabotages)[string]) =>
    Array.from({ length: cells }, (_, cell) => attackCell(cell, seed, judge)).filter(
      ({ wrong }) => wrong !== undefined,
    )

  test('in more than 25 ways', () => {
    expect(Object.keys(mutations).length).toBeGreaterThanOrEqual(25)
  })

  test('pass only when they are, byte for byte, honest ones', () => {
    expect(wrongOf(4_000, 7)).toEqual([])
  })

  test.each(Object.entries(sabotages))(
    'are let through by a guard with one check left out: %s',
    (_, judge) => {
      const through = wrongOf(1_500, 7, judge).filter(({ passed }) => passed)
      expect(through.length).toBeGreaterThan(0)
    },
  )

  test('are the same again for the same seed and number', () => {
    expect(attackCell(123, 7)).toEqual(attackCell(123, 7))
  })
})
