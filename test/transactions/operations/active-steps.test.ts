import { expect, test } from 'vitest'
import type { Step } from '../../../src/store/journal/operation-types.ts'
import { activeSteps, isAllFinal } from '../../../src/transactions/steps/active-steps.ts'

const steps = (...states: Step['state'][]) => states.map((state, index) => ({ state, index, leg: 0 }) as Step)
const indexes = (operation: Parameters<typeof activeSteps>[0]) =>
  activeSteps(operation).map(({ index }) => index)

test('the active steps start at the first step of the latest plan, and without one at the first step', () => {
  const failed = { steps: steps('SUPERSEDED', 'FINAL_REVERTED', 'PLANNED'), plan: { since: { 0: 1 } } }
  expect(indexes(failed)).toEqual([1, 2])
  expect(isAllFinal({ ...failed, steps: failed.steps.slice(0, 2) })).toBe(false)
  expect(isAllFinal({ steps: steps('SUPERSEDED', 'FINAL_OK'), plan: { since: { 0: 1 } } })).toBe(true)
  expect(indexes({ steps: failed.steps, plan: null })).toEqual([0, 1, 2])
})
