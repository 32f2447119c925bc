import type { RuleResult } from '../guard/policy/facts.ts'
import type { LoadedPolicy } from '../guard/policy/policy.ts'
import { policyRules } from '../guard/policy/rules.ts'
import type { Terms } from '../guard/terms.ts'
import type { ExecutionContext } from './context.ts'
import type { ReferenceQuote } from './own-price.ts'
import { checkWithoutPolicy, policyFacts } from './plan.ts'
import type { Proposal } from './proposal.ts'
import { readPlan } from './read-plan.ts'

/** Every rule of a policy that is about a plan. `policy` is the hash of its file. */
export type PolicyReport = { planHash: string; policy: string; assurance: string; rules: RuleResult[] }

/**
 * Compares a plan file with a policy, as it would be if it were signed now: guarded, simulated, with the gas of now and what
 * the wallet moved in the last day. What the guard itself refuses is thrown.
 */
export async function checkPlanFile(
  context: ExecutionContext,
  text: string,
  terms: Terms & { policy: LoadedPolicy },
  opinionOn: (proposal: Proposal) => Promise<ReferenceQuote | undefined> = async () => undefined,
): Promise<PolicyReport> {
  const { proposal, hash } = readPlan(context, text)
  // A policy may forbid what gas costs now, and that is told as one of its rules.
  const checked = await checkWithoutPolicy(
    context,
    proposal,
    { ...terms, policy: null },
    await opinionOn(proposal),
  )
  const { sha256, policy } = terms.policy
  const rules = policyRules(policy, context.catalog, policyFacts(context, checked))
  return { planHash: hash, policy: sha256, assurance: checked.assurance, rules }
}
