import { isInFlight } from '../../domain/step-state.ts'
import { type Next, sluice } from '../../domain/text/next-step.ts'
import { unnamedTransaction } from '../../transactions/nonces/nonce-use.ts'
import { holdsAllowance } from '../../transactions/steps/needed-allowances.ts'
import { hasMovedFunds, supersededStep } from '../facts/operation-conditions.ts'
import type { Facts } from '../facts/operation-facts.ts'
import { isSettlementContradicted } from './contradicted-settlements.ts'

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
export function retryRiskText(facts: Facts): { text: string; next?: Next } | undefined {
  const { operation } = facts
  const silent = unreadableChain(facts)
  if (silent)
    return {
      text: ` This is known only from the journal: ${silent.name} cannot be read now (${silent.why}), and a signed transaction may have been mined there since.`,
      next: sluice('action explain', operation.id),
    }
  const lost = supersededStep(facts)
  if (!lost) return undefined
  const { step, onChain } = lost
  const hash = onChain?.owner?.hash
  return {
    text: ` Its nonce ${step.nonce} was used by ${hash ?? unnamedTransaction}, which may have done the same: check it before you repeat the request.`,
    ...(hash && { next: sluice('action explain', hash) }),
  }
}

/**
 * Whether repeating the request is safe: this operation moved nothing, all signed steps are settled, no process is using it, and it
 * does not need an allowance that the other would take.
 */
export const isSafeToRetry = (facts: Facts): boolean =>
  !hasMovedFunds(facts) &&
  !facts.steps.some(({ step }) => isInFlight(step)) &&
  !facts.isWalletBusy &&
  !isSettlementContradicted(facts) &&
  !holdsAllowance(facts.operation) &&
  retryRiskText(facts) === undefined
