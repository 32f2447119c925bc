import type { StoredPlan } from '../../guard/intent-json.ts'
import type { Operation, Step } from '../../store/journal/operation.ts'

/** The ends of a step that did not do what it was for. */
const inVain: readonly Step['state'][] = ['SUPERSEDED', 'FINAL_REVERTED', 'CANCELLED']

/**
 * The steps that an operation stands on: one whose nonce somebody else used, and what failed with it, is left behind by the
 * plan that was made for it since; one that was to prepare what happened without it is left behind as well.
 */
export const activeSteps = ({ steps, plan }: Pick<Operation, 'steps' | 'plan'>): Step[] => {
  const since = (plan as Partial<StoredPlan> | null)?.since
  return steps.filter(
    (step) =>
      !inVain.includes(step.state) ||
      (step.index >= (since?.[step.leg] ?? 0) && !isObsolete({ steps }, step)),
  )
}

/** Whether a nonce is lost of what an operation stands on, so that it needs a new plan. */
export const hasLostNonce = (operation: Pick<Operation, 'steps' | 'plan'>): boolean =>
  activeSteps(operation).some(({ state }) => state === 'SUPERSEDED')

/** Whether all that a step was to prepare, as an approval does, has happened all the same. */
export function isObsolete({ steps }: Pick<Operation, 'steps'>, { leg, role, index }: Step): boolean {
  if (role === 'action' || role === 'fee') return false
  const prepared = steps.filter((one) => one.leg === leg && one.role === 'action' && one.index > index)
  return prepared.length > 0 && prepared.every(({ state }) => state === 'FINAL_OK')
}

/** Whether all that an operation stands on happened, and is final. */
export const isAllFinal = (operation: Pick<Operation, 'steps' | 'plan'>): boolean =>
  activeSteps(operation).every(({ state }) => state === 'FINAL_OK')
