import { AppError } from '../../domain/errors.ts'
import type { Intent } from '../../domain/intent.ts'
import type { Ground } from '../ground.ts'
import { decodeIntent, type KeptPlan } from './intent-json.ts'

/** The amount of a swap that no other quote changes; none of anything else. */
export const exactAmounts = (intent: Intent | null | undefined): bigint[] =>
  intent?.kind === 'swap' ? [intent.exact === 'in' ? intent.amountIn : intent.amountOut] : []

/** The same of a leg that is in the journal. What cannot be read any more has no amounts to compare: only the very same call is found then. */
export const exactAmountsIn = (
  { catalog }: Pick<Ground, 'catalog'>,
  { intents }: KeptPlan,
  leg: number,
): bigint[] => {
  const kept = intents[leg]
  try {
    return kept ? exactAmounts(decodeIntent(kept, catalog)) : []
  } catch (error) {
    if (error instanceof AppError) return []
    throw error
  }
}
