import { AppError } from '../../domain/errors.ts'
import { slippageOf } from '../guard/spends.ts'
import type { Terms } from '../policy/terms.ts'
import { activeLegs, type Proposal } from './proposal.ts'

/** What the person said about slippage must hold for what the service promises, not only for what it was asked. */
export function checkSlippage(proposal: Proposal, { maxSlippage }: Terms): void {
  if (maxSlippage === null) return
  for (const { intent } of activeLegs(proposal)) {
    if (intent.kind !== 'swap' || intent.tokenIn.chainId !== intent.tokenOut.chainId) continue
    const found = slippageOf(intent, proposal.about.amounts)
    if (found !== undefined && found <= maxSlippage + 1e-6) continue
    throw new AppError(
      'POLICY_MIN_OUT',
      `The quote leaves ${found === undefined ? 'an unknown slippage' : `a slippage of ${(found * 100).toFixed(4)} %`}, and ${maxSlippage * 100} % is the most that was asked for`,
      { hint: 'Ask for a new quote.' },
    )
  }
}
