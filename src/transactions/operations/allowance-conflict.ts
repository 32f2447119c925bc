import { type Address, sameAddress } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { advice, sluice } from '../../domain/text/next-step.ts'
import type { DecodedStep } from '../../guard/calldata-against-intent.ts'
import { decodeIntent } from '../../guard/intent-json.ts'
import type { StoredPlan } from '../../guard/stored-plan.ts'
import type { ExecutionContext } from '../../planning/execution-context-types.ts'
import type { Proposal } from '../../planning/proposal.ts'
import type { Operation } from '../../store/journal/operation-types.ts'
import { allowanceSpender, isOrderProvider } from '../../swaps/swap-provider-registry.ts'
import { awaitsOnlyDelivery } from '../bridge/pending-delivery.ts'
import { recordFromChains } from '../execution/record-from-chains.ts'
import { activeSteps } from '../steps/active-steps.ts'
import { type AllowanceUse, granted, neededAllowances, unfinishedStates } from '../steps/needed-allowances.ts'

/** The allowance that an open order needs: its pre-signature is final, and a fill takes the tokens later. Empty if it is filled or over. */
function orderAllowances(
  { catalog }: Pick<ExecutionContext, 'catalog'>,
  operation: Operation,
): AllowanceUse[] {
  const { intents } = operation.plan as StoredPlan
  if (!awaitsOnlyDelivery(operation)) return []
  return activeSteps(operation).flatMap(({ leg, role, transaction }) => {
    const kept = intents[leg]
    const intent = kept && decodeIntent(kept, catalog)
    if (role !== 'action' || intent?.kind !== 'swap' || !isOrderProvider(intent.provider)) return []
    return spentAllowances(intent, transaction.chainId, allowanceSpender(catalog, transaction))
  })
}

/**
 * Records what became of the open orders of a wallet, so that a filled or expired one holds its allowance no longer. A node that does not
 * answer leaves them open.
 */
export async function settleOpenOrders(context: ExecutionContext, wallet: Address): Promise<void> {
  const open = context.journal
    .list({ states: unfinishedStates, wallet, limit: 1_000 })
    .filter((operation) => orderAllowances(context, operation).length > 0)
  for (const operation of open)
    await recordFromChains(context, operation, { reportedHash: null }).catch((error: unknown) => {
      if (!(error instanceof AppError)) throw error
    })
}

/**
 * Refuses a plan that would use up or overwrite an allowance that an unfinished operation of the wallet still needs, since that one
 * could never continue. OPERATION_UNFINISHED, with the way out. `except` is an operation that is abandoned first.
 */
export function refuseAllowanceConflict(
  context: ExecutionContext,
  { proposal, steps }: { proposal: Proposal; steps: readonly Pick<DecodedStep, 'transaction' | 'role'>[] },
  except?: string,
): void {
  const { journal, catalog } = context
  const touched = steps.flatMap(({ transaction, role }) =>
    role === 'action'
      ? proposal.legs.flatMap(({ intent }) =>
          spentAllowances(intent, transaction.chainId, allowanceSpender(catalog, transaction)),
        )
      : granted(transaction),
  )
  const { wallet } = proposal
  const isTouched = (claim: AllowanceUse) => touched.some((other) => isSameAllowance(claim, other))
  const others = journal
    .list({ states: unfinishedStates, wallet, limit: 1_000 })
    .filter((operation) => operation.id !== except)
  const held = others.find((operation) => neededAllowances(operation).some(isTouched))
  if (held)
    throw new AppError(
      'OPERATION_UNFINISHED',
      `The action ${held.id} is not finished, and this action would use the allowance that it still needs`,
      {
        details: { operation: held.id, before: held.id },
        next: advice`${sluice('action resume', held.id)}, or close it: ${sluice('action abandon', held.id)}`,
      },
    )
  const order = others.find((operation) => orderAllowances(context, operation).some(isTouched))
  if (!order) return
  const { id } = order
  throw new AppError(
    'OPERATION_UNFINISHED',
    `The order of ${id} is open, and this action would use the allowance that its fill needs. It holds the allowance until it is filled or expires, within 35 minutes`,
    {
      details: { operation: id, before: id },
      next: advice`To wait for it: ${sluice('action resume', id)}; to see its state: ${sluice('action explain', id)}`,
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
