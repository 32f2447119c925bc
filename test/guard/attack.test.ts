import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { attackCell, sabotages } from '../../bench/attack.ts'
import { mutations } from '../../bench/mutations.ts'
import { seeded } from '../../bench/seeded.ts'
import { checkLeg } from '../../src/guard/calldata-against-intent.ts'
import { honestPlan, isHonest } from '../support/plans/honest-plans.ts'
import { catalog } from '../support/plans/plan-fixtures.ts'

test('the guard accepts 500 random honest plans built with the published ABIs', () => {
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
  const cells = (count: number) => Array.from({ length: count }, (_, cell) => cell)

  test('cover at least 25 mutations', () => {
    expect(Object.keys(mutations).length).toBeGreaterThanOrEqual(25)
  })

  test('pass only if they equal an honest plan byte for byte', () => {
    const all = cells(4_000).map((cell) => attackCell(cell, 7))
    expect(all.filter(({ wrong }) => wrong !== undefined)).toEqual([])
  })

  test.each(Object.entries(sabotages))('pass a guard without one of its checks: %s', (_, judge) => {
    const isThrough = (cell: number) => {
      const { passed, wrong } = attackCell(cell, 7, judge)
      return passed && wrong !== undefined
    }
    expect(cells(1_500).some(isThrough)).toBe(true)
  })

  test('are reproducible from their seed and number', () => {
    expect(attackCell(123, 7)).toEqual(attackCell(123, 7))
  })
})
