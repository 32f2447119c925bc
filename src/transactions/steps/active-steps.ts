import type { StoredPlan } from '../../guard/stored-plan.ts'
import type { Operation, Step } from '../../store/journal/operation-types.ts'

/** The final states of a step that had no effect. */
const ineffectiveStates: readonly Step['state'][] = ['SUPERSEDED', 'FINAL_REVERTED', 'CANCELLED']

/**
 * Returns the active steps of an operation. Steps without effect that a later plan replaced, and preparing steps that
 * became unnecessary, are not active.
 */
export const activeSteps = ({ steps, plan }: Pick<Operation, 'steps' | 'plan'>): Step[] => {
  const since = (plan as Partial<StoredPlan> | null)?.since
  return steps.filter(
    (step) =>
      !ineffectiveStates.includes(step.state) ||
      (step.index >= (since?.[step.leg] ?? 0) && !isObsolete({ steps }, step)),
  )
}

/** Whether an active step lost its nonce, so that the operation needs a new plan. */
export const hasLostNonce = (operation: Pick<Operation, 'steps' | 'plan'>): boolean =>
  activeSteps(operation).some(({ state }) => state === 'SUPERSEDED')

/** Whether a preparing step (an approval) is not needed, because all actions it was for are done. */
export function isObsolete({ steps }: Pick<Operation, 'steps'>, { leg, role, index }: Step): boolean {
  if (role === 'action' || role === 'fee') return false
  const prepared = steps.filter((one) => one.leg === leg && one.role === 'action' && one.index > index)
  return prepared.length > 0 && prepared.every(({ state }) => state === 'FINAL_OK')
}

/** Whether all active steps succeeded and are final. */
export const isAllFinal = (operation: Pick<Operation, 'steps' | 'plan'>): boolean =>
  activeSteps(operation).every(({ state }) => state === 'FINAL_OK')
