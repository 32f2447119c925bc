import type { Operation, Step } from '../../store/operation.ts'
import type { KeptPlan } from '../plan/intent-json.ts'

/** The ends of a step that did not do what it was for. */
const inVain: readonly Step['state'][] = ['SUPERSEDED', 'FINAL_REVERTED', 'CANCELLED']

/**
 * The steps that an operation stands on: one whose nonce somebody else used, and what failed with it, is left behind by the
 * plan that was made for it since.
 */
export const standing = ({ steps, plan }: Pick<Operation, 'steps' | 'plan'>): Step[] => {
  const since = (plan as Partial<KeptPlan> | null)?.since
  return steps.filter(({ state, leg, index }) => !inVain.includes(state) || index >= (since?.[leg] ?? 0))
}

/** Whether all that an operation stands on happened, and is final. */
export const isAllFinal = (operation: Pick<Operation, 'steps' | 'plan'>): boolean =>
  standing(operation).every(({ state }) => state === 'FINAL_OK')
