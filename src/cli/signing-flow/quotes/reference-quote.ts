import type { Quote } from '../../../api/quote.ts'
import type { Service } from '../../../api/service-type.ts'
import type { StrategyBytecodeInput } from '../../../api/unsigned-transactions.ts'
import type { AmountRequest, Amounts } from '../../../domain/accepted-amounts.ts'
import { AppError } from '../../../domain/errors.ts'
import { advice, sameWith, sameWithout } from '../../../domain/text/next-step.ts'
import { sanitizeText } from '../../../domain/text/terminal-sanitizing.ts'
import { burnBridgePrice, isBurntToken, maxPriceShortfall } from '../../../guard/price-tolerance.ts'
import type { ReferenceQuote } from '../../../planning/compare-with-own-engine.ts'
import type { ServiceProposal } from '../../../planning/proposal.ts'
import { withoutPayments } from '../../../protocols/service-fees-of-intent.ts'
import type { Cli } from '../../command-run-types.ts'
import { paidIn } from '../fees-in-response.ts'

/** The local engine made these transactions, so it would build the same. */
const itself: ReferenceQuote = {
  transactions: async ({ legs: [leg, ...others] }) =>
    leg && others.length === 0 ? withoutPayments(leg.intent, leg.transactions) : undefined,
}

/**
 * The transactions of the local engine for a deposit or withdrawal on one chain. Across chains quotes
 * differ, so only the bridge price is compared.
 */
export function referenceForStrategy(
  { backend }: Cli,
  ask: StrategyBytecodeInput,
): ReferenceQuote | undefined {
  const { reference, kind } = backend
  if (!reference) return kind === 'remote' ? undefined : itself
  return {
    price: { ...burnBridgePrice, most: ask.slippage ?? burnBridgePrice.most },
    transactions: async () => {
      const { bytecode, crossChain, fees } = await (await reference()).strategyBytecode(ask)
      return crossChain.isCrossChain ? undefined : bytecode.slice(0, bytecode.length - paidIn(fees))
    },
  }
}

/**
 * The price of the local engine for a swap that a remote service quotes, with the given slippage as the
 * largest difference. Without a local price, the swap needs --accept-min-out (`least`) or a person's
 * confirmation: POLICY_MIN_OUT.
 */
export async function referenceForSwap(
  cli: Cli,
  quote: Quote,
  { exact, slippage, least, isNamed = false }: AmountRequest & { isNamed?: boolean },
): Promise<ReferenceQuote | undefined> {
  const { reference, kind } = cli.backend
  const { from, to, tokenIn, tokenOut } = quote
  if (!reference) return kind === 'remote' ? { isWord: true } : undefined
  const catalog = await cli.backend.catalog()
  // A given minimum output replaces the slippage check.
  const accepted = (usual: number) => (least === null ? (slippage ?? usual) : null)
  if (from.chainId !== to.chainId && isBurntToken(catalog, tokenIn) && isBurntToken(catalog, tokenOut)) {
    // Of a provider that was asked for by name, the cost is a price impact, which is shown and has its own limit.
    const most = isNamed && slippage === null ? null : accepted(burnBridgePrice.most)
    return { price: { ...burnBridgePrice, most } }
  }
  try {
    const price = await ownPrice(reference, quote, exact)
    if (price) return { price: { ...price, most: accepted(maxPriceShortfall) } }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return unpriced(cli, quote, least, error)
  }
  return unpriced(cli, quote, least)
}

/** The amounts of a swap for the local engine. */
type Swapped = Pick<Quote, 'tokenIn' | 'tokenOut'>

async function ownPrice(
  reference: () => Promise<Service>,
  {
    tokenIn,
    tokenOut,
  }: { [side in keyof Swapped]: Pick<Quote['tokenIn'], 'chainId' | 'address' | 'amount'> },
  exact: 'in' | 'out',
): Promise<Amounts | undefined> {
  const ours = await (await reference()).quote({
    chainIdIn: tokenIn.chainId,
    chainIdOut: tokenOut.chainId,
    tokenIn: tokenIn.address,
    tokenOut: tokenOut.address,
    ...(exact === 'in' ? { amountIn: tokenIn.amount } : { amountOut: tokenOut.amount }),
  })
  const { amount: amountIn } = ours.quote.tokenIn
  const { amount: amountOut } = ours.quote.tokenOut
  return amountIn > 0n && amountOut > 0n ? { amountIn, amountOut } : undefined
}

/**
 * The price of the local engine for a swap in a submitted plan of a remote service. Only shown: the
 * accepted slippage was fixed when the plan was made.
 */
export async function referenceForPlan(
  { backend }: Cli,
  { legs }: ServiceProposal,
): Promise<ReferenceQuote | undefined> {
  const intent = legs[0]?.intent
  const { reference, kind } = backend
  if (kind !== 'remote' || intent?.kind !== 'swap') return undefined
  const { tokenIn, tokenOut, amountIn, amountOut, exact } = intent
  if (tokenIn.chainId !== tokenOut.chainId) return { price: { ...burnBridgePrice, most: null } }
  const swapped = { tokenIn: { ...tokenIn, amount: amountIn }, tokenOut: { ...tokenOut, amount: amountOut } }
  const price = await (reference && ownPrice(reference, swapped, exact))?.catch((error: unknown) => {
    if (error instanceof AppError) return undefined
    throw error
  })
  return price ? { price: { ...price, most: null } } : { isWord: true }
}

function unpriced(
  { io, globals, notice }: Cli,
  quote: Quote,
  least: bigint | null,
  cause?: AppError,
): ReferenceQuote {
  if (least !== null) return { isWord: true }
  const says = `Only the service has a price of ${sanitizeText(quote.tokenIn.symbol)} in ${sanitizeText(quote.tokenOut.symbol)}, so its offer cannot be checked`
  if (!io.canAsk || !globals.input || globals.yes)
    throw new AppError('POLICY_MIN_OUT', says, {
      cause,
      next: advice`To set the minimum output of an exact input: ${sameWith({ '--accept-min-out': 'AMOUNT' })} To confirm it in a terminal: ${sameWithout('--yes')}`,
    })
  notice(io.err.paint.red(says))
  return { isWord: true }
}
