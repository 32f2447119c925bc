import type { Rounds } from '../chain/contract-query.ts'
import { answerQueries, type NodeCall } from '../chain/reads.ts'
import { AppError } from '../domain/errors.ts'
import { usualSlippage } from '../domain/slippage.ts'
import type { Token } from '../domain/token.ts'
import { placeOf } from '../protocols/bindings.ts'
import type { StrategyEntry } from '../protocols/catalog.ts'
import { leastOf, type Offer } from '../protocols/exchange.ts'
import { drift } from '../protocols/receipt-units.ts'

/** What a step that is an exchange is to bring: so much is expected, and no less than the least is accepted. */
export type ExchangeBounds = { expected: bigint; least: bigint }

/** What a deposit must bring of the receipt, read by ourselves, where it is an exchange at a price that moves. */
export const depositBounds = async (
  strategy: StrategyEntry,
  amount: bigint,
  ask: NodeCall,
  slippage: number | null,
): Promise<ExchangeBounds | undefined> =>
  accepted(placeOf(strategy).exchange?.into(amount), strategy.receipt, ask, slippage)

/** What so many units of the receipt must bring of the asset, read by ourselves, where that is an exchange at a price that moves. */
export const withdrawalBounds = async (
  strategy: StrategyEntry,
  units: bigint,
  ask: NodeCall,
  slippage: number | null,
): Promise<ExchangeBounds | undefined> =>
  accepted(placeOf(strategy).exchange?.outOf(units), strategy.asset, ask, slippage)

/** What brings nothing is POLICY_MIN_OUT; whether its price is fair is looked at with the whole plan. */
async function accepted(
  asked: Rounds<Offer> | undefined,
  token: Token,
  ask: NodeCall,
  slippage: number | null,
): Promise<ExchangeBounds | undefined> {
  if (!asked) return undefined
  const offer = await answerQueries(asked, ask)
  const { brings } = offer
  if (!brings) throw new AppError('POLICY_MIN_OUT', `Nothing of ${token.symbol} comes of this amount now`)
  const least = leastOf(offer, slippage ?? usualSlippage)
  // Whoever builds the call has read the same a moment before or after.
  return { expected: brings, least: least - drift(least) }
}
