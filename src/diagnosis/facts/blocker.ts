import { undefinedIfUnanswered, withTimeout } from '../../chain/rpc/timeouts.ts'
import { AppError } from '../../domain/errors.ts'
import { decodeIntent, type StoredPlan } from '../../guard/intent-json.ts'
import { isDust } from '../../guard/simulation/rounding-limits.ts'
import { decodeTerms } from '../../guard/terms.ts'
import type { ExecutionContext } from '../../planning/context.ts'
import { simulatePlannedLeg } from '../../planning/leg-simulation.ts'
import type { Operation, Step } from '../../store/journal/operation.ts'
import type { Blocker } from './facts.ts'

/** Simulates the unsigned rest of an operation whose funds are in place; `undefined` if nothing prevents it, or no node answers. */
export async function findBlocker(
  context: Pick<ExecutionContext, 'rpc' | 'catalog'>,
  { plan: kept, steps, legs }: Operation,
  unsigned: Step | undefined,
): Promise<Blocker | undefined> {
  const plan = kept as StoredPlan
  const encoded = unsigned && plan.intents[unsigned.leg]
  if (!encoded || unsigned.role === 'fee') return undefined
  const { leg, transaction } = unsigned
  const transactions = steps
    .filter((step) => step.leg === leg && (step.state === 'PLANNED' || step.state === 'RESERVED'))
    .map((step) => step.transaction)
  const { chainId } = transaction
  const chains = legs.map((one) => one.chainId)
  try {
    const intent = decodeIntent(encoded, context.catalog)
    await undefinedIfUnanswered(
      withTimeout(
        simulatePlannedLeg(context, { chainId, intent, transactions }, decodeTerms(plan.terms), chains),
      ),
    )
    return undefined
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (isDust(error)) return { reason: error.message, is: 'forever' }
    if (error.code === 'INSUFFICIENT_FUNDS') return { reason: error.message, is: 'poor' }
    // Its market may have left the catalogue.
    const isRefused = error.code === 'SIMULATION_REVERTED' || error.code === 'STRATEGY_NOT_FOUND'
    return isRefused ? { reason: error.message, is: 'refused' } : undefined
  }
}
