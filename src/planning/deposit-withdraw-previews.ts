import { ask } from '../chain/ask.ts'
import type { Rounds } from '../chain/call.ts'
import type { ChainClient } from '../chain/chain-client.ts'
import type { NodeCall } from '../chain/eth-call.ts'
import { formatAmount } from '../domain/amount.ts'
import { AppError } from '../domain/errors.ts'
import { defaultSlippage } from '../domain/slippage.ts'
import type { Token } from '../domain/token.ts'
import type { Simulation } from '../guard/simulation/simulate.ts'
import { maxReceiptUnits } from '../guard/spending.ts'
import type { StrategyEntry } from '../protocols/catalog-types.ts'
import type { Intent } from '../protocols/intent.ts'
import { leastOf, type MovingPriceQuote } from '../protocols/moving-price-quotes.ts'
import { bringsOf, calldataRulesOf, paysOf } from '../protocols/registry.ts'
import { acceptedDrift } from '../protocols/withdrawal-units.ts'
import type { Step } from '../store/journal/operation-types.ts'

/** The market's quote before a withdrawal of an exact amount (receipt units it costs) or a deposit (receipt units it brings). */
export async function expectedShares(rpc: ChainClient, intent: Intent): Promise<bigint | undefined> {
  if (intent.kind !== 'deposit' && (intent.kind !== 'withdraw' || intent.shares !== undefined))
    return undefined
  if (intent.kind === 'withdraw' && intent.units !== undefined) return maxReceiptUnits(intent)
  const { strategy, amount } = intent
  const cost = intent.kind === 'deposit' ? bringsOf(strategy, intent) : calldataRulesOf(strategy).cost(amount)
  if (!cost || 'units' in cost) return cost?.units
  const said = await ask(rpc, cost.read)
  if (said === undefined) throw unsaid(strategy)
  return cost.unitsOf(said)
}

/**
 * The market's quote before a full withdrawal; no amount if it has none, pays later, or exchanges at a price. If its own price
 * replaces a missing quote, `unsaid` says so.
 */
export async function expectedPayout(
  rpc: ChainClient,
  intent: Intent,
): Promise<{ amount?: bigint; unsaid?: string }> {
  if (intent.kind !== 'withdraw' || intent.shares === undefined) return {}
  const pays = paysOf(intent.strategy, intent.shares)
  if (!pays || 'amount' in pays) return pays ?? {}
  const said = await ask(rpc, pays.reads)
  const amount = pays.amountOf(said)
  if (amount === undefined) throw unsaid(intent.strategy)
  const other = pays.insteadOf?.(said)
  if (other === undefined) return { amount }
  return { amount, unsaid: `${other}: ${least(formatAmount(amount, intent.strategy.asset))}` }
}

const least = (amount: string): string => `at least ${amount} at its price is accepted`

/**
 * Whether a text is the note on a payout that the market does not quote: only for a withdrawal from such a market, with any amount.
 */
export function isUnknownPayoutNote(text: string, intent: Intent | null): boolean {
  if (intent?.kind !== 'withdraw' || intent.shares === undefined) return false
  const { asset } = intent.strategy
  const pays = paysOf(intent.strategy, intent.shares)
  const other = pays && 'reads' in pays ? pays.insteadOf?.([]) : undefined
  const [amount] = /(0|[1-9][0-9]*)(\.[0-9]*[1-9])?(?= )/.exec(text) ?? []
  if (other === undefined || amount === undefined) return false
  const hasPlaces = (amount.split('.')[1]?.length ?? 0) <= asset.decimals
  return hasPlaces && text === `; ${other}: ${least(`${amount} ${asset.symbol}`)}`
}

/** Appends the note on an unquoted payout to the text of its step. */
export const withUnknownPayoutNote = <step extends { text: string; role: Step['role']; leg: number }>(
  one: step,
  simulation: Simulation | null,
): step =>
  one.leg === 0 && one.role === 'action' && simulation?.unsaid !== undefined
    ? { ...one, text: `${one.text}; ${simulation.unsaid}` }
    : one

const unsaid = ({ slug, receipt }: StrategyEntry): AppError =>
  new AppError('POLICY_SIMULATION', `${slug} does not say what its ${receipt.symbol} is worth`)

/** The expected and the least accepted amount of an exchange step. */
export type ExchangeBounds = { expected: bigint; least: bigint }

/** The receipt bounds of a deposit that is an exchange at a moving price, read from the chain. */
export const depositBounds = async (
  strategy: StrategyEntry,
  amount: bigint,
  node: NodeCall,
  slippage: number | null,
): Promise<ExchangeBounds | undefined> =>
  acceptedBounds(calldataRulesOf(strategy).exchange?.into(amount), strategy.receipt, node, slippage)

/** The asset bounds of a withdrawal of receipt units that is an exchange at a moving price, read from the chain. */
export const withdrawalBounds = async (
  strategy: StrategyEntry,
  units: bigint,
  node: NodeCall,
  slippage: number | null,
): Promise<ExchangeBounds | undefined> =>
  acceptedBounds(calldataRulesOf(strategy).exchange?.outOf(units), strategy.asset, node, slippage)

/** POLICY_MIN_OUT for an exchange that brings nothing; the fairness of its price is checked with the whole plan. */
async function acceptedBounds(
  asked: Rounds<MovingPriceQuote> | undefined,
  token: Token,
  node: NodeCall,
  slippage: number | null,
): Promise<ExchangeBounds | undefined> {
  if (!asked) return undefined
  const offer = await ask(node, asked)
  const { brings } = offer
  if (!brings) throw new AppError('POLICY_MIN_OUT', `This amount returns no ${token.symbol} now`)
  const least = leastOf(offer, slippage ?? defaultSlippage)
  // The builder of the call has read the same price moments apart.
  return { expected: brings, least: least - acceptedDrift(least) }
}
