import { decodeApprove } from '../../chain/erc20.ts'
import { decodeApproveThrough } from '../../chain/permit2.ts'
import { isUnsigned } from '../../domain/step-state.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import type { Operation } from '../../store/journal/operation-types.ts'
import { activeSteps } from './active-steps.ts'

/** An allowance that a transaction changes or an action needs: chain, token, spender. */
export type AllowanceUse = { chainId: number; token: string; spender: string }

/** The allowance that an approval grants; empty for another call. */
export const granted = ({ chainId, to, data }: Transaction): AllowanceUse[] => {
  const approval = decodeApprove(data)
  if (approval) return [{ chainId, token: to, spender: approval.spender }]
  // A Permit2 approval grants part of the token's allowance to Permit2.
  const permit = decodeApproveThrough(data)
  return permit ? [{ chainId, token: permit.token, spender: to }] : []
}

/** Returns the allowances that an operation still needs: granted and not used up. */
export function neededAllowances(operation: Operation): AllowanceUse[] {
  const steps = activeSteps(operation)
  return steps.flatMap((step) => {
    if (step.role !== 'approve' || isUnsigned(step)) return []
    const action = steps.find((other) => other.leg === step.leg && other.role === 'action')
    return action && action.state !== 'FINAL_OK' && action.state !== 'FINAL_REVERTED'
      ? granted(step.transaction)
      : []
  })
}

/** The states in which an operation may still need its allowances. */
export const unfinishedStates = ['EXECUTING', 'PARTIAL', 'ATTENTION'] as const

/**
 * Whether an operation still needs an allowance that a repeated request would use; such a request is refused until
 * the operation is continued or abandoned (`refuseAllowanceConflict` in allowance-conflict.ts).
 */
export const holdsAllowance = (operation: Operation): boolean =>
  unfinishedStates.some((state) => state === operation.state) && neededAllowances(operation).length > 0
