import { readNonceCount } from '../../chain/nonce-count.ts'
import type { Hex } from '../../domain/address.ts'
import { isUnsigned } from '../../domain/step-state.ts'
import type { StoredPlan } from '../../guard/stored-plan.ts'
import type { ExecutionContext } from '../../planning/execution-context-types.ts'
import type { JournalEvent, Operation, Step } from '../../store/journal/operation-types.ts'
import { activeSteps } from '../steps/active-steps.ts'

/** Returns the transaction that used the nonce of a step, by the audit trail; `undefined` if none was named. */
export function supersedingHash(
  events: readonly JournalEvent[],
  { index, state }: Pick<Step, 'index' | 'state'>,
): Hex | undefined {
  const lost = events.findLast((event) => event.index === index && event.kind === 'superseded')
  return state === 'SUPERSEDED' && lost?.ref ? (lost.ref as Hex) : undefined
}

/** Transactions of a wallet on a chain that the journal does not know. */
type ForeignTransactions = { chainId: number; count: number }

/**
 * Finds the first chain with unsigned steps on which the wallet sent transactions that the journal does not know,
 * beyond those from before the plan: the wallet was used on another machine, or the journal is an older copy.
 */
export async function findForeignTransactions(
  context: ExecutionContext,
  operation: Operation,
): Promise<ForeignTransactions | undefined> {
  const left = activeSteps(operation).filter(
    (step) => step.role === 'action' && (isUnsigned(step) || step.state === 'SUPERSEDED'),
  )
  for (const chainId of new Set(left.map(({ transaction }) => transaction.chainId))) {
    const count = await foreignCount(context, operation, chainId)
    if (count > 0) return { chainId, count }
  }
  return undefined
}

async function foreignCount(
  { rpc, journal }: ExecutionContext,
  { wallet, steps, legs, plan }: Operation,
  chainId: number,
): Promise<number> {
  const planned = legs[0]?.chainId === chainId ? (plan as Partial<StoredPlan> | null)?.walletNonce : undefined
  const next = journal.nextNonce(chainId, wallet)
  // A journal that has signed nothing there, and has no count from planning, cannot know.
  if (next === 0 && planned === undefined) return 0
  const lost = steps.flatMap(({ state, nonce, transaction }) =>
    state === 'SUPERSEDED' && nonce !== null && transaction.chainId === chainId ? [nonce + 1] : [],
  )
  const count = await readNonceCount(rpc(chainId), wallet)
  return Math.max(0, count - Math.max(next, planned ?? 0, ...lost))
}
