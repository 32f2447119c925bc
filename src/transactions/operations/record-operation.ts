import { encodeIntent } from '../../guard/intent-json.ts'
import type { StoredPlan } from '../../guard/stored-plan.ts'
import { encodeTerms } from '../../guard/user-limits-and-exemptions.ts'
import type { CheckedPlan } from '../../planning/check-proposal.ts'
import { pinContracts } from '../../planning/contract-code-pins.ts'
import type { ExecutionContext } from '../../planning/execution-context-types.ts'
import { storedFeeBound } from '../../planning/fee-bound.ts'
import { orderIdsOf } from '../../planning/order-checks.ts'
import type { Operation } from '../../store/journal/operation-types.ts'

/** Records a checked proposal in the journal; from then on its plan is fixed. */
export function recordOperation(
  context: Pick<ExecutionContext, 'journal' | 'catalog'>,
  checked: CheckedPlan,
  idemKey: string,
): Operation {
  const { proposal, contracts } = checked
  const plan = storedPlan(checked)
  pinContracts(context, contracts)
  return context.journal.insert({
    id: proposal.id,
    idemKey,
    request: proposal.request,
    kind: proposal.kind,
    wallet: proposal.wallet,
    plan,
    orders: orderIdsOf(context, proposal.legs),
    legs: proposal.legs.map(({ chainId, arrival }, at) => ({
      chainId,
      ...(arrival && { arrival }),
      steps: stepsOf(checked, at),
    })),
  })
}

/** Replaces the plan of an operation without signatures by a current one. */
export function replaceUnsignedPlan(
  context: Pick<ExecutionContext, 'journal' | 'catalog'>,
  checked: CheckedPlan,
  { id }: Operation,
): Operation {
  const { journal } = context
  const plan = storedPlan(checked)
  pinContracts(context, checked.contracts)
  for (const [at, leg] of checked.proposal.legs.entries())
    journal.replan(id, at, {
      plan,
      steps: stepsOf(checked, at),
      orders: orderIdsOf(context, [leg]),
      why: 'before anything was signed',
    })
  return journal.find(id)!
}

const storedPlan = ({ proposal, terms, bounds, hash, assurance, simulation }: CheckedPlan): StoredPlan => ({
  ...(simulation && { walletNonce: simulation.nonce }),
  intents: proposal.legs.map(({ intent }) => intent && encodeIntent(intent)),
  about: proposal.about,
  quoteId: proposal.quoteId,
  planHash: hash,
  assurance,
  nonce: proposal.nonce,
  expiresAt: proposal.expiresAt,
  terms: encodeTerms(terms),
  bounds: Object.fromEntries(Object.entries(bounds).map(([leg, bound]) => [leg, storedFeeBound(bound, 0)])),
})

const stepsOf = ({ steps }: CheckedPlan, at: number) =>
  steps.filter(({ leg }) => leg === at).map(({ role, text, transaction }) => ({ role, text, transaction }))
