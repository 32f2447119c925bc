import { z } from 'zod'
import { Quote, type QuoteInput } from '../../api/quote.ts'
import { ask } from '../../chain/ask.ts'
import { nativeAddress, sameAddress } from '../../domain/address.ts'
import { formatAmount } from '../../domain/amount.ts'
import { bitcoinNetwork, btc, chainOfBitcoinAddress } from '../../domain/bitcoin.ts'
import { AppError } from '../../domain/errors.ts'
import type { Network } from '../../domain/networks.ts'
import { defaultSlippage } from '../../domain/slippage.ts'
import { advice, sameWith } from '../../domain/text/next-step.ts'
import type { Token } from '../../domain/token.ts'
import { usedElsewhereError } from '../../domain/used-order-and-expired-quote-errors.ts'
import { priceOf } from '../../protocols/oracle-prices.ts'
import { newestPaymentTo } from '../../swaps/bitcoin-reader.ts'
import type { DepositProvider, DepositRequest, DepositTerms } from '../../swaps/deposit-provider.ts'
import { depositDefinition } from '../../swaps/deposit-provider-registry.ts'
import { askAll, isNoRoute, preferredQuoteError, throwRequestError } from '../../swaps/offers/best-offer.ts'
import { notAmong } from '../../swaps/offers/preferred-provider.ts'
import type { EngineContext } from '../engine.ts'
import { fieldError } from '../field-error.ts'
import { type DepositRaw, instructionsOf } from './bitcoin-deposit-instructions.ts'
import { earlierPayments } from './bitcoin-deposit-payments.ts'
import { takeOrder } from './order-uses.ts'
import { quoteSide } from './quote-side-json.ts'

/** Whether a request for a quote begins on Bitcoin, by the name or the id of its network. */
export const isFromBitcoin = ({
  originChain,
  chainIdIn,
}: Pick<QuoteInput, 'originChain' | 'chainIdIn'>): boolean =>
  originChain?.toLowerCase() === bitcoinNetwork.name || chainIdIn === bitcoinNetwork.chainId

/** Returns the services for Bitcoin; NO_ROUTE_FOUND if there are none. */
export function depositsOf({ deposits, catalog }: EngineContext) {
  if (deposits && catalog.bitcoin) return { ...deposits, constants: catalog.bitcoin }
  throw new AppError('NO_ROUTE_FOUND', 'No swap from Bitcoin is available here', {
    next: 'Bitcoin needs the catalogue of public networks or of the sandbox.',
  })
}

/**
 * Creates the best quote for a swap that begins with a payment on Bitcoin, and its stored form. It is valid until the
 * deposit's deadline.
 */
export async function bitcoinQuote(
  context: EngineContext,
  input: QuoteInput,
  { to, tokenOut }: { to: Network; tokenOut: Token },
) {
  const { slippage = defaultSlippage } = input
  const request = askOf(context, input, { to, tokenOut })
  const reading = ask(context.chain(to.chainId), priceOf(context.catalog, tokenOut)).catch(() => null)
  const { provider, raw, terms } = await bestDeposit(context, request, input.preferredProvider)
  const earlier = await earlierPayments(depositsOf(context).bitcoin, terms, context.now())
  const id = context.newId()
  await refuseUsedAddress(context, provider.name, terms, id)
  const deadline = Math.floor(terms.until / 1000)
  const rawQuote: DepositRaw = {
    deposit: instructionsOf(terms),
    provider: raw,
    earlier,
  }
  const wire = {
    id,
    quoteId: id,
    originChain: bitcoinNetwork.name,
    destinationChain: to.name,
    tokenIn: quoteSide(btc, terms.amount, null),
    tokenOut: quoteSide(tokenOut, terms.amountOut, await reading),
    provider: provider.name,
    deadline,
    deadlineDate: new Date(deadline * 1000).toISOString(),
    chainIdIn: bitcoinNetwork.chainId,
    chainIdOut: to.chainId,
    rawQuote,
    status: 'pending',
    feeSponsorship: false,
    feeSponsorshipReason: input.feeSponsorship ? 'the payment on Bitcoin pays its own fee' : null,
    destinationAddress: request.recipient,
    refundAddress: request.refund,
    customer: context.customer,
    minAmountOut: String(terms.minAmountOut),
    maxAmountIn: String(terms.amount),
    slippage,
    estimatedGas: null,
    gasCostUSD: null,
    netAmountOut: null,
    netAmountIn: null,
    durationSeconds: terms.seconds,
    priceImpact: null,
    fees: [],
    alternatives: [],
  }
  // Decode the stored form, so that it can be read again.
  const quote = z.decode(Quote, wire)
  const offer = {
    amountIn: terms.amount,
    amountOut: terms.amountOut,
    minAmountOut: terms.minAmountOut,
    maxAmountIn: terms.amount,
    fees: [],
    raw: rawQuote,
  }
  return { quote, wire, offer, terms, recipient: request.recipient }
}

/**
 * Converts a request to the question for the providers; refuses one without the fields that a payment on Bitcoin
 * needs.
 */
function askOf(
  context: EngineContext,
  input: QuoteInput,
  { to, tokenOut }: { to: Network; tokenOut: Token },
): DepositRequest {
  const { amountIn, destinationAddress, refundAddress, slippage = defaultSlippage } = input
  if (!sameAddress(input.tokenIn, nativeAddress))
    throw fieldError('tokenIn', `must be ${nativeAddress}, which is BTC, on bitcoin`)
  if (amountIn === undefined)
    throw new AppError('QUOTE_GENERATION_FAILED', 'A swap from Bitcoin has an exact input: send amountIn', {
      next: advice`Give the amount of BTC to pay: ${sameWith({ '--amount-in': '0.01' })}`,
    })
  if (!destinationAddress)
    throw fieldError(
      'destinationAddress',
      'is missing: it is the wallet that receives the output of a swap from Bitcoin',
    )
  const { constants } = depositsOf(context)
  const chain = refundAddress === undefined ? constants.chain : chainOfBitcoinAddress(refundAddress)
  if (chain !== constants.chain)
    throw new AppError(
      'INVALID_ADDRESS',
      `The refund address of a swap from Bitcoin must be an address of ${constants.chain === 'main' ? 'Bitcoin' : 'the Bitcoin chain of the sandbox'}`,
      {
        next:
          constants.chain === 'main'
            ? 'A Bitcoin address begins with bc1, 1 or 3.'
            : 'An address of the sandbox begins with bcrt1, such as bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080.',
      },
    )
  return {
    to,
    tokenOut,
    amount: amountIn,
    slippage,
    recipient: destinationAddress,
    refund: refundAddress ?? null,
    at: context.now(),
  }
}

type DepositOffer = { provider: DepositProvider; raw: unknown; terms: DepositTerms }

/**
 * Asks all suitable providers in parallel and returns the offer with the highest output, preferring providers whose
 * deposit address can be verified. Failed and late ones are left out.
 */
async function bestDeposit(
  context: EngineContext,
  ask: DepositRequest,
  preferred: string | undefined,
): Promise<DepositOffer> {
  const able = eligible(depositsOf(context).providers, ask, preferred)
  const { answers, faults: all } = await askAll(able, context.quoteDeadlineMs, (provider, signal) =>
    provider.quote(ask, signal),
  )
  const offers = answers.flatMap(({ provider, offer }) => (offer ? [{ provider, ...offer }] : []))
  const [noRoutes, faults] = [all.filter(isNoRoute), all.filter((fault) => !isNoRoute(fault))]
  const proved = offers.filter(({ provider: { name } }) => !depositDefinition(name)?.isAddressUnproven)
  const [first, ...rest] = proved.length > 0 ? proved : offers
  if (first)
    return rest.reduce((won, other) => (other.terms.amountOut > won.terms.amountOut ? other : won), first)
  throwRequestError(faults)
  const named = faults.find((fault): fault is AppError => fault instanceof AppError)
  if (preferred !== undefined) throw preferredQuoteError(able[0]!.name, named ?? noRoutes[0], all)
  if (named) throw named
  throw new AppError(
    faults.length > 0 ? 'QUOTE_GENERATION_FAILED' : 'NO_ROUTE_FOUND',
    faults.length > 0
      ? `No provider returned a quote in time (asked: ${able.map(({ name }) => name).join(', ')})`
      : `No provider swaps ${formatAmount(ask.amount, btc)} into ${ask.tokenOut.symbol} on ${ask.to.name}${noRoutes.map(({ message }) => `. ${message}`).join('')}`,
    { cause: faults[0] },
  )
}

/** The providers that can serve a request; with a preferred one, only that. */
function eligible(
  providers: readonly DepositProvider[],
  ask: DepositRequest,
  preferred: string | undefined,
): DepositProvider[] {
  const hasRefund = ({ needsRefund }: DepositProvider) => !needsRefund || ask.refund !== null
  const named = providers.find(({ name }) => name === preferred?.toLowerCase())
  if (preferred !== undefined && !named)
    throw notAmong(
      preferred,
      providers.map(({ name }) => name),
      ' for swaps from Bitcoin',
    )
  const able = (named ? [named] : providers).filter((one) => one.supports(ask.tokenOut))
  if (able.length === 0)
    throw named
      ? new AppError('PREFERRED_PROVIDER_NOT_ELIGIBLE', `${named.name} does not serve this route`)
      : new AppError('NO_ROUTE_FOUND', `No provider swaps BTC into ${ask.tokenOut.symbol} on ${ask.to.name}`)
  const ready = able.filter(hasRefund)
  if (ready.length > 0) return ready
  throw new AppError(
    'PREFERRED_PROVIDER_NOT_ELIGIBLE',
    `${able.map(({ name }) => name).join(', ')} needs a Bitcoin address for refunds`,
    { next: advice`Give a Bitcoin address of your own: ${sameWith({ '--refund': 'ADDRESS' })}` },
  )
}

/**
 * Records that a deposit address belongs to a new quote. ORDER_USED if the provider gave it before, or if anything was ever paid to it. A
 * quote does not need Bitcoin, so a reader that does not answer is ignored here; the client asks again before it shows the address.
 */
async function refuseUsedAddress(
  context: EngineContext,
  provider: string,
  terms: DepositTerms,
  quoteId: string,
): Promise<void> {
  const order = depositDefinition(provider)?.orderOf(terms)
  if (order == null) return
  await takeOrder(context, order, quoteId)
  const paid = await newestPaymentTo(depositsOf(context).bitcoin, terms.address).catch((error: unknown) => {
    if (error instanceof AppError) return undefined
    throw error
  })
  if (paid !== undefined) throw usedElsewhereError(order, `${paid} has paid to this address`)
}
