import { unnamedTransaction } from '../../transactions/nonces/nonce-use.ts'
import { type Facts, hasStepSucceeded, type StepFacts } from '../facts/operation-facts.ts'

/** Whether a later step carried out the action of this one. */
const isMadeGood = (steps: Facts['steps'], { step: { leg, index } }: StepFacts): boolean =>
  steps.some(
    (one) =>
      one.step.role === 'action' && one.step.leg === leg && one.step.index > index && hasStepSucceeded(one),
  )

/** The first action step that lost its nonce and that no later step replaced. The foreign transaction may have done the same. */
export const supersededStep = ({ steps }: Pick<Facts, 'steps'>): StepFacts | undefined =>
  steps.find(
    (one) =>
      one.step.role === 'action' &&
      (one.step.state === 'SUPERSEDED' || (one.onChain?.owner && one.onChain.owner.blockNumber !== null)) &&
      !one.onChain?.found &&
      !one.onChain?.waiting &&
      !isMadeGood(steps, one),
  )

/** The first chain with a signed step that cannot be read. */
function unreadableChain({ steps, chains }: Facts): { name: string; why: string } | undefined {
  for (const { attempts, step } of steps) {
    const chain = attempts.length > 0 ? chains.get(step.transaction.chainId) : undefined
    if (chain && chain.is !== 'there') return { name: chain.network.name, why: chain.why }
  }
  return undefined
}

/**
 * Why repeating the request is unsafe although this operation moved nothing: following sentences, and a command to check, if any.
 */
export function retryRiskText(facts: Facts): { text: string; next?: string } | undefined {
  const { operation } = facts
  const silent = unreadableChain(facts)
  if (silent)
    return {
      text: ` Only the journal says so: ${silent.name} cannot be asked now (${silent.why}), and what was signed may have come into a block there since.`,
      next: `sluice action explain ${operation.id}`,
    }
  const lost = supersededStep(facts)
  if (!lost) return undefined
  const { step, onChain } = lost
  const hash = onChain?.owner?.hash
  return {
    text: ` Its nonce ${step.nonce} was used by ${hash ?? unnamedTransaction}, which may have done the same: look before you ask for it again.`,
    ...(hash && { next: `sluice action explain ${hash}` }),
  }
}
