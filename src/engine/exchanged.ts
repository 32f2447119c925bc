import { leastOf, type Offer } from '../calls/exchange.ts'
import type { Rounds } from '../calls/queue.ts'
import { AppError } from '../domain/errors.ts'
import { usualSlippage } from '../domain/slippage.ts'
import type { Context } from './context.ts'
import type { Bounds, Market } from './markets/market.ts'
import { answered } from './rounds.ts'

/** Refuses a slippage that is none, also where nothing slips. */
export function holdSlippage(slippage: number): void {
  if (!(slippage >= 0.0001 && slippage <= 0.5))
    throw new AppError('INVALID_SLIPPAGE', 'slippage is a fraction from 0.0001 to 0.5')
}

/** What a step of a market that is an exchange must bring: what it brings now, less slippage (a fraction). Other markets have no bounds. */
export async function boundsIn(
  context: Context,
  { entry }: Market,
  asked: Rounds<Offer> | undefined,
  slippage = usualSlippage,
): Promise<Bounds | undefined> {
  if (!asked) return undefined
  const [offer] = await answered(context.chain(entry.chainId), [asked])
  if (!offer?.brings)
    throw new AppError('QUOTE_GENERATION_FAILED', `${entry.slug} gives nothing for this amount now`)
  return { least: leastOf(offer, slippage), isMature: offer.isMature ?? false }
}
