import { decodeApprove } from '../../chain/erc20.ts'
import { decodeApproveThrough } from '../../chain/permit2.ts'
import { type Address, sameAddress } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { isUnsigned } from '../../domain/step-state.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import type { DecodedStep } from '../../guard/calldata-against-intent.ts'
import type { ExecutionContext } from '../../planning/execution-context-types.ts'
import type { Proposal } from '../../planning/proposal-types.ts'
import type { Operation } from '../../store/journal/operation-types.ts'
import { allowanceSpender } from '../../swaps/swap-provider-registry.ts'
import { activeSteps } from './active-steps.ts'

/** An allowance that a transaction changes or an action needs: chain, token, spender. */
type AllowanceUse = { chainId: number; token: string; spender: string }

const granted = ({ chainId, to, data }: Transaction): AllowanceUse[] => {
  const approval = decodeApprove(data)
  if (approval) return [{ chainId, token: to, spender: approval.spender }]
  // A Permit2 approval grants part of the token's allowance to Permit2.
  const permit = decodeApproveThrough(data)
  return permit ? [{ chainId, token: permit.token, spender: to }] : []
}

/** Returns the allowances that an operation still needs: granted and not used up. */
function neededAllowances(operation: Operation): AllowanceUse[] {
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
const unfinishedStates = ['EXECUTING', 'PARTIAL', 'ATTENTION'] as const

/**
 * Whether an operation still needs an allowance that a repeated request would use; such a request is refused until
 * the operation is continued or abandoned (`refuseAllowanceConflict`).
 */
export const holdsAllowance = (operation: Operation): boolean =>
  unfinishedStates.some((state) => state === operation.state) && neededAllowances(operation).length > 0

/**
 * Refuses a plan that would use up or overwrite an allowance that an unfinished operation of the wallet still needs, since that one
 * could never continue. OPERATION_UNFINISHED, with the way out. `except` is an operation that is abandoned first.
 */
export function refuseAllowanceConflict(
  { journal, catalog }: ExecutionContext,
  { proposal, steps }: { proposal: Proposal; steps: readonly Pick<DecodedStep, 'transaction' | 'role'>[] },
  except?: string,
): void {
  const touched = steps.flatMap(({ transaction, role }) =>
    role === 'action'
      ? proposal.legs.flatMap(({ intent }) =>
          spentAllowances(intent, transaction.chainId, allowanceSpender(catalog, transaction)),
        )
      : granted(transaction),
  )
  const { wallet } = proposal
  const held = journal
    .list({ states: unfinishedStates, wallet, limit: 1_000 })
    .find(
      (operation) =>
        operation.id !== except &&
        neededAllowances(operation).some((claim) => touched.some((other) => isSameAllowance(claim, other))),
    )
  if (!held) return
  throw new AppError(
    'OPERATION_UNFINISHED',
    `The action ${held.id} is not finished, and this action would use the allowance that it still needs`,
    {
      details: { operation: held.id },
      hint: `sluice action resume ${held.id}, or close it: sluice action abandon ${held.id}`,
    },
  )
}

const isSameAllowance = (a: AllowanceUse, b: AllowanceUse) =>
  a.chainId === b.chainId && sameAddress(a.token, b.token) && sameAddress(a.spender, b.spender)

/** Returns the allowance that an action spends. */
function spentAllowances(
  intent: Proposal['legs'][number]['intent'],
  chainId: number,
  spender: Address,
): AllowanceUse[] {
  if (intent?.kind === 'revoke') return [{ chainId, token: intent.token.address, spender: intent.spender }]
  if (intent?.kind === 'deposit') return [{ chainId, token: intent.strategy.asset.address, spender }]
  if (intent?.kind === 'swap') return [{ chainId, token: intent.tokenIn.address, spender }]
  return []
}
