import { answerQueries, type NodeCall, type Rounds } from '../chain/contract-query.ts'
import { AppError } from '../domain/errors.ts'
import { usualSlippage } from '../domain/slippage.ts'
import type { Token } from '../domain/token.ts'
import type { StrategyEntry } from '../protocols/catalog.ts'
import { leastOf, type Offer } from '../protocols/exchange-quotes.ts'
import { drift } from '../protocols/receipt-units.ts'
import { bindingOf } from '../protocols/registry.ts'

/** The expected and the least accepted amount of an exchange step. */
export type ExchangeBounds = { expected: bigint; least: bigint }

/** The receipt bounds of a deposit that is an exchange at a moving price, read from the chain. */
export const depositBounds = async (
  strategy: StrategyEntry,
  amount: bigint,
  ask: NodeCall,
  slippage: number | null,
): Promise<ExchangeBounds | undefined> =>
  acceptedBounds(bindingOf(strategy).exchange?.into(amount), strategy.receipt, ask, slippage)

/** The asset bounds of a withdrawal of receipt units that is an exchange at a moving price, read from the chain. */
export const withdrawalBounds = async (
  strategy: StrategyEntry,
  units: bigint,
  ask: NodeCall,
  slippage: number | null,
): Promise<ExchangeBounds | undefined> =>
  acceptedBounds(bindingOf(strategy).exchange?.outOf(units), strategy.asset, ask, slippage)

/** POLICY_MIN_OUT for an exchange that brings nothing; the fairness of its price is checked with the whole plan. */
async function acceptedBounds(
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
  // The builder of the call has read the same price moments apart.
  return { expected: brings, least: least - drift(least) }
}
