import { ask } from '../../chain/ask.ts'
import type { Rounds } from '../../chain/call.ts'
import { AppError } from '../../domain/errors.ts'
import { defaultSlippage } from '../../domain/slippage.ts'
import type { Bounds, Market } from '../../protocols/market-adapter.ts'
import { leastOf, type MovingPriceQuote } from '../../protocols/moving-price-quotes.ts'
import type { EngineContext } from '../engine.ts'

/** Refuses an invalid slippage, also for markets without slippage. */
export function requireValidSlippage(slippage: number): void {
  if (!(slippage >= 0.0001 && slippage <= 0.5))
    throw new AppError('INVALID_SLIPPAGE', 'slippage must be a fraction from 0.0001 to 0.5')
}

/**
 * Returns the minimum that an exchange step must deliver: the current output, less the slippage (a fraction). Other
 * markets have no bounds.
 */
export async function exchangeBounds(
  context: EngineContext,
  { entry }: Market,
  asked: Rounds<MovingPriceQuote> | undefined,
  slippage = defaultSlippage,
): Promise<Bounds | undefined> {
  if (!asked) return undefined
  const offer = await ask(context.chain(entry.chainId), asked)
  if (!offer?.brings)
    throw new AppError('QUOTE_GENERATION_FAILED', `${entry.slug} returns no quote for this amount`)
  return { least: leastOf(offer, slippage), isMature: offer.isMature ?? false }
}
