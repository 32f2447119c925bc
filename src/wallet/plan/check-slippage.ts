import { AppError } from '../../domain/errors.ts'
import type { Terms } from '../policy/terms.ts'
import type { Slip } from './opinion.ts'
import { activeLegs, type Proposal } from './proposal.ts'

/** What the person said about slippage must hold for what is promised, not only for what was asked. A bridge has no price that slips. */
export function checkSlippage(proposal: Proposal, slips: readonly Slip[], { maxSlippage }: Terms): void {
  if (maxSlippage === null) return
  for (const { intent, at } of activeLegs(proposal)) {
    if (intent.kind !== 'swap' || intent.tokenIn.chainId !== intent.tokenOut.chainId) continue
    const found = slips.find(({ leg }) => leg === at)?.share
    if (found !== undefined && found <= maxSlippage + 1e-6) continue
    throw new AppError(
      'POLICY_MIN_OUT',
      `The quote leaves ${found === undefined ? 'an unknown slippage' : `a slippage of ${(found * 100).toFixed(4)} %`}, and ${maxSlippage * 100} % is the most that was asked for`,
      { hint: 'Ask for a new quote.' },
    )
  }
}
