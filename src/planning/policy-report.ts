import type { RuleResult } from '../guard/policy/facts.ts'
import type { LoadedPolicy } from '../guard/policy/policy.ts'
import { policyRules } from '../guard/policy/rules.ts'
import type { Terms } from '../guard/terms.ts'
import { checkWithoutPolicy, policyFacts } from './check-proposal.ts'
import type { ExecutionContext } from './context.ts'
import type { Proposal } from './proposal.ts'
import { readPlanFile } from './read-plan-file.ts'
import type { ReferenceQuote } from './reference-price.ts'

/** Every policy rule that applies to a plan. `policy` is the hash of its file. */
export type PolicyReport = { planHash: string; policy: string; assurance: string; rules: RuleResult[] }

/**
 * Compares a plan file with a policy as if it were signed now: guarded, simulated, with current gas and the amounts of the last
 * day. Guard refusals are thrown.
 */
export async function checkPlanFile(
  context: ExecutionContext,
  text: string,
  terms: Terms & { policy: LoadedPolicy },
  opinionOn: (proposal: Proposal) => Promise<ReferenceQuote | undefined> = async () => undefined,
): Promise<PolicyReport> {
  const { proposal, hash } = readPlanFile(context, text)
  // A policy may forbid the current gas price; that is reported as one of its rules.
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
