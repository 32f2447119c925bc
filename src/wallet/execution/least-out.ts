import { type TokenAmount, tokenAmount } from '../../domain/amount.ts'
import type { Operation } from '../../store/operation.ts'
import { actedIn, type KeptPlan } from '../plan/intent-json.ts'

/** The least that an operation brings, by what its contracts were bound to; `undefined` where nothing was promised. */
export function leastOut({ plan, kind }: Pick<Operation, 'plan' | 'kind'>): TokenAmount | undefined {
  const all = plan as KeptPlan
  const { about } = all
  const unit = about.amounts.out
  const kept = all.intents.map((_, leg) => actedIn(all, leg)).findLast((one) => one)
  if (!unit || !kept) return undefined
  const { amountOut, least, amount, shares } = kept
  // "Max" names no amount, and what goes in is not what comes out.
  const named = kind === 'deposit' || shares !== undefined ? undefined : amount
  const promised = kind === 'swap' ? amountOut : (least ?? named)
  return typeof promised === 'string' ? tokenAmount(BigInt(promised), unit) : undefined
}
