import { z } from 'zod'
import { Quote, type QuoteInput } from '../../api/quote.ts'
import { ask } from '../../chain/ask.ts'
import { contract } from '../../chain/call.ts'
import { erc20, erc20Abi } from '../../chain/erc20.ts'
import { clockAheadSeconds } from '../../chain/head.ts'
import { parseFee } from '../../chain/rpc/quantities.ts'
import { type Address, EvmAddress, nativeAddress, sameAddress } from '../../domain/address.ts'
import { maxUint256 } from '../../domain/amount.ts'
import { bitcoinNetwork, btc } from '../../domain/bitcoin.ts'
import { AppError } from '../../domain/errors.ts'
import type { Network } from '../../domain/networks.ts'
import { priceImpactOf } from '../../domain/price-impact-share.ts'
import { defaultSlippage } from '../../domain/slippage.ts'
import { nativeToken, type Token, tokenAt } from '../../domain/token.ts'
import { priceOf } from '../../protocols/oracle-prices.ts'
import type { QuoteRow } from '../../store/engine/action-tables.ts'
import { bestOffer } from '../../swaps/offers/best-offer.ts'
import { type Choice, gasCostUsd, type NetPrices, netAmount } from '../../swaps/offers/offer-comparison.ts'
import { gasBesideSwap } from '../../swaps/offers/offer-gas.ts'
import type { Offer, OfferRequest, SwapProvider } from '../../swaps/provider.ts'
import { checkRampLimits } from '../../swaps/ramp-limits.ts'
import { swapSpendersByProvider } from '../../swaps/swap-provider-registry.ts'
import { routeNetworkNamed } from '../catalog-lookups.ts'
import type { EngineContext } from '../engine.ts'
import { type Charge, chargesOnTop, chargesWithin, statedFee } from '../fees/service-fee-charges.ts'
import { fieldError } from '../field-error.ts'
import { requireValidSlippage } from '../unsigned-transactions/exchange-bounds.ts'
import { bitcoinQuote, isFromBitcoin } from './bitcoin-quote.ts'
import { quoteSide } from './quote-side-json.ts'
import { refuseRecipient } from './recipient-check.ts'
import { requireDecimals, storedOffer } from './stored-quote.ts'

const quoteLifetimeMs = 5 * 60_000

/**
 * Creates and stores the best quote for a swap. It is valid for five minutes. Fees are a part of its input, and are
 * paid by its transaction or after it.
 */
export async function quoteFor(
  context: EngineContext,
  input: QuoteInput,
  charges: readonly Charge[],
): Promise<Quote> {
  if (isFromBitcoin(input)) return quoteFromBitcoin(context, input)
  const { quote, row } = await newQuote(context, input, charges)
  await context.store.saveQuote(row)
  return quote
}

/** Creates and stores the best quote for a swap that begins on Bitcoin, without a service fee. */
async function quoteFromBitcoin(context: EngineContext, input: QuoteInput): Promise<Quote> {
  const { amountIn, amountOut, slippage = defaultSlippage } = input
  if (requireOneAmount(amountIn, amountOut) === 0n) throw zeroAmount()
  requireValidSlippage(slippage)
  const to = networkOfSide(context, input, 'destinationChain', 'chainIdOut')
  const tokenOut = await tokenOnNetwork(context, to, input.tokenOut)
  requireDecimals(btc, input.decimalsIn)
  await refuseRecipient(context, to.chainId, { to: input.destinationAddress, tokens: [tokenOut] })
  const { quote, wire, offer, terms, recipient } = await bitcoinQuote(context, input, { to, tokenOut })
  const route = { from: bitcoinNetwork, to, tokenIn: btc, tokenOut, exact: 'in' as const }
  const deadline = Math.floor(terms.until / 1000)
  await context.store.saveQuote({
    id: quote.id,
    customer: context.customer,
    provider: quote.provider,
    originChain: bitcoinNetwork.name,
    destinationChain: to.name,
    wire: JSON.stringify(wire),
    offer: storedOffer(route, recipient, offer, [], deadline),
    createdAt: context.now(),
    expiresAt: deadline * 1000,
    draft: context.isDraft ? 1 : 0,
    outcome: null,
  })
  return quote
}

const zeroAmount = (): AppError => new AppError('QUOTE_GENERATION_FAILED', 'The amount must be above zero')

/** Returns the amount of a request; refuses a request with none or two. */
function requireOneAmount(amountIn: bigint | undefined, amountOut: bigint | undefined): bigint {
  if (amountIn !== undefined && amountOut !== undefined)
    throw new AppError('INVALID_AMOUNT_PARAMS', 'Send amountIn or amountOut, not both')
  const amount = amountIn ?? amountOut
  if (amount === undefined) throw new AppError('MISSING_AMOUNT_PARAMS', 'Send amountIn or amountOut')
  return amount
}

/** The gas of an offer, its cost, and the amount after gas, as a quote states them; `onTop` are the service fees besides its input. */
const gasFields = (
  { exact }: OfferRequest,
  offer: Offer,
  { prices, net, onTop }: { prices: NetPrices; net: bigint | null; onTop: bigint },
) => ({
  estimatedGas: offer.gas === undefined ? null : String(offer.gas),
  gasCostUSD: gasCostUsd(offer, prices),
  netAmountOut: net !== null && exact === 'in' ? String(net) : null,
  netAmountIn: net !== null && exact === 'out' ? String(net + onTop) : null,
})

/**
 * The request for which providers are asked for offers, with its checked networks, tokens and addresses, and the service fees within its input;
 * without them the output is exact, and the fees are on top.
 */
async function offerRequest(
  context: EngineContext,
  input: QuoteInput,
  charges: readonly Charge[],
  isSpent: boolean,
): Promise<{ ask: OfferRequest; included: readonly bigint[] | undefined }> {
  const { amountIn, amountOut, slippage = defaultSlippage } = input
  const amount = requireOneAmount(amountIn, amountOut)
  requireValidSlippage(slippage)
  if (amount === 0n) throw zeroAmount()
  const from = networkOfSide(context, input, 'originChain', 'chainIdIn')
  const to = networkOfSide(context, input, 'destinationChain', 'chainIdOut')
  const [tokenIn, tokenOut] = await Promise.all([
    tokenOnNetwork(context, from, input.tokenIn),
    tokenOnNetwork(context, to, input.tokenOut),
  ])
  requireDecimals(tokenIn, input.decimalsIn)
  const tokens = [tokenIn, tokenOut]
  const refund = evmRefund(input.refundAddress)
  await Promise.all([
    refuseRecipient(context, to.chainId, { to: input.destinationAddress, tokens }),
    refuseRecipient(context, from.chainId, { to: refund, tokens }),
  ])
  const included = amountIn === undefined ? undefined : chargesWithin(amount, charges)
  const ask: OfferRequest = {
    from,
    to,
    tokenIn,
    tokenOut,
    exact: amountIn === undefined ? 'out' : 'in',
    amount: amount - sumAmounts(included ?? []),
    slippage,
    speed: input.transferSpeed ?? null,
    refund,
    isSpent,
    ...(context.isServed && { allowsOneApproval: true }),
    ...(included && {
      fees: charges.flatMap(({ to }, at) => (included[at]! > 0n ? [{ to, amount: included[at]! }] : [])),
    }),
    hasOtherRecipient:
      input.destinationAddress !== undefined &&
      refund !== null &&
      !sameAddress(input.destinationAddress, refund),
  }
  if (ask.amount === 0n) throw feesExceedAmount()
  // The ramp's limits apply to the requested amount, before fees.
  checkRampLimits(context.catalog.tokens, { ...ask, amount })
  return { ask, included }
}

/** What offers are compared by: the prices, the choice, and the gas of each besides its own call with this number of service fees. */
async function comparisonRules(
  context: EngineContext,
  ask: OfferRequest,
  reading: Promise<NetPrices>,
  choice: Choice,
  fees: number,
) {
  const [prices, isApproved] = await Promise.all([reading, readApprovals(context, ask)])
  return {
    ...prices,
    choice,
    gasBeside: (of: SwapProvider, { paysFees = false }: Offer) =>
      gasBesideSwap(ask, of, { paysFees }, { isApproved: isApproved(of.name), fees }),
  }
}

/** An offer beside the best one, as a quote lists it; `onTop` are the service fees besides its input. */
const alternativeJson = (
  ask: OfferRequest,
  { name }: SwapProvider,
  other: Offer,
  { prices, onTop }: { prices: NetPrices; onTop: bigint },
) => ({
  provider: name,
  transferSpeed: null as string | null,
  amountIn: String(other.amountIn + onTop),
  amountOut: String(other.amountOut),
  savesSeconds: null as number | null,
  ...gasFields(ask, other, { prices, net: netAmount(ask, other, prices), onTop }),
  durationSeconds: other.seconds ?? null,
})

/** The same transfer at the other speeds of its provider; their durations are not known. */
const otherSpeeds = (offer: Offer, alternative: (other: Offer) => ReturnType<typeof alternativeJson>) =>
  (offer.alternatives ?? []).map(({ transferSpeed, savesSeconds, ...amounts }) => ({
    ...alternative({ ...offer, ...amounts }),
    transferSpeed,
    savesSeconds,
    durationSeconds: null,
  }))

/** The service fees of an offer as a quote states them, their sum, and the input with them; `costs` are their amounts. */
function feesOfOffer(
  { tokenIn }: OfferRequest,
  { amountIn, maxAmountIn, paysFees }: Offer,
  charges: readonly Charge[],
  costs: readonly bigint[] | undefined,
) {
  if (costs === undefined) throw feesExceedAmount()
  const cost = sumAmounts(costs)
  const paid = amountIn + cost
  if (maxAmountIn + cost > maxUint256)
    throw new AppError('QUOTE_GENERATION_FAILED', 'The amount with fees is larger than a token can represent')
  const fees = charges.flatMap((charge, at) =>
    costs[at]! > 0n
      ? [statedFee('service', charge, tokenIn, costs[at]!, paid, paysFees ? 'action' : 'step')]
      : [],
  )
  return { cost, paid, fees }
}

/**
 * Creates a quote without storing it. `isSpent` means that the minimum output is spent at once, to the last unit. The best offer is the one
 * with the best expected output, unless the caller of the engine chooses after gas.
 */
export async function newQuote(
  context: EngineContext,
  input: QuoteInput,
  charges: readonly Charge[],
  { isSpent = false, choice = context.choice ?? 'output' }: { isSpent?: boolean; choice?: Choice } = {},
): Promise<{ quote: Quote; row: QuoteRow }> {
  const { ask, included } = await offerRequest(context, input, charges, isSpent)
  const { from, to, tokenIn, tokenOut } = ask
  const reading = netPrices(context, ask)
  const clock = clockAheadSeconds(context.chain(from.chainId), context.now())
  const rules = comparisonRules(context, ask, reading, choice, charges.length)
  for (const one of [reading, clock, rules]) one.catch(() => undefined) // Awaited below, unless no provider has an offer.
  const { provider, offer, others } = await bestOffer(
    context.providers,
    ask,
    input.preferredProvider,
    context.quoteDeadlineMs,
    rules,
    context.catalog,
  )
  const costsOf = (sum: bigint) => included ?? chargesOnTop(sum, charges)
  const { cost, paid, fees } = feesOfOffer(ask, offer, charges, costsOf(offer.amountIn))
  const prices = await reading
  const ahead = await clock
  const net = netAmount(ask, offer, prices)
  const alternative = (of: SwapProvider, other: Offer) =>
    alternativeJson(ask, of, other, { prices, onTop: sumAmounts(costsOf(other.amountIn)!) })
  const now = context.now()
  const id = context.newId()
  const deadline = Math.floor((now + quoteLifetimeMs) / 1000)
  const wire = {
    id,
    quoteId: id,
    originChain: from.name,
    destinationChain: to.name,
    tokenIn: quoteSide(tokenIn, paid, prices.tokenIn),
    tokenOut: quoteSide(tokenOut, offer.amountOut, prices.tokenOut),
    provider: provider.name,
    deadline,
    deadlineDate: new Date(deadline * 1000).toISOString(),
    chainIdIn: from.chainId,
    chainIdOut: to.chainId,
    rawQuote: offer.raw,
    status: 'pending',
    feeSponsorship: false,
    feeSponsorshipReason: input.feeSponsorship ? notSponsored(provider.name) : null,
    destinationAddress: input.destinationAddress ?? null,
    refundAddress: input.refundAddress ?? null,
    customer: context.customer,
    minAmountOut: offer.minAmountOut.toString(),
    maxAmountIn: (offer.maxAmountIn + cost).toString(),
    slippage: ask.slippage,
    ...gasFields(ask, offer, { prices, net, onTop: cost }),
    durationSeconds: offer.seconds ?? null,
    priceImpact: offer.spot === undefined ? null : priceImpactOf(offer.amountOut, offer.spot),
    fees: [...offer.fees, ...fees],
    alternatives: [
      ...otherSpeeds(offer, (other) => alternative(provider, other)),
      ...others.map((other) => alternative(other.provider, other.offer)),
    ].filter(({ amountIn }) => BigInt(amountIn) <= maxUint256),
  }
  // Decode the stored form, so that it can be read again.
  const quote = z.decode(Quote, wire)
  const row = {
    id,
    customer: context.customer,
    provider: provider.name,
    originChain: from.name,
    destinationChain: to.name,
    wire: JSON.stringify(wire),
    offer: storedOffer(ask, input.destinationAddress, offer, fees, deadline + ahead),
    createdAt: now,
    expiresAt: deadline * 1000,
    draft: context.isDraft ? 1 : 0,
    outcome: null,
  }
  return { quote, row }
}

/** The refund address of a swap that begins on an EVM chain. */
function evmRefund(text: string | undefined): Address | null {
  const parsed = EvmAddress.safeParse(text)
  if (parsed.success || text === undefined) return parsed.data ?? null
  throw new AppError('INVALID_ADDRESS', 'Only a swap from Bitcoin is refunded on Bitcoin')
}

/**
 * Reads the data by which offers are compared: the prices of both tokens and of the origin chain's coin, and its gas
 * price.
 */
async function netPrices(
  context: EngineContext,
  { from, to, tokenIn, tokenOut }: OfferRequest,
): Promise<NetPrices> {
  const [here, there] = [context.chain(from.chainId), context.chain(to.chainId)]
  const [priceIn, priceOut, coin, gasPrice] = await Promise.all([
    ask(here, priceOf(context.catalog, tokenIn)),
    ask(there, priceOf(context.catalog, tokenOut)),
    ask(here, priceOf(context.catalog, nativeToken(from))),
    here.rpc
      .request('eth_gasPrice')
      .then((price) => parseFee(price, 'the gas price'))
      .catch((error: unknown) => {
        // A node without a gas price leaves the net amounts unknown.
        if (error instanceof AppError) return null
        throw error
      }),
  ])
  return { tokenIn: priceIn, tokenOut: priceOut, coin, gasPrice }
}

/**
 * Reads for which providers the wallet, if it is known, has given the allowance for the input; says so by name. A wallet that is not known
 * has given none.
 */
async function readApprovals(
  { catalog, chain }: EngineContext,
  { from, tokenIn, amount, refund }: OfferRequest,
): Promise<(provider: string) => boolean> {
  if (refund === null || sameAddress(tokenIn.address, nativeAddress)) return () => false
  const spenders = swapSpendersByProvider(catalog, from.chainId)
  const allowances = await ask(chain(from.chainId), {
    reads: spenders.map(({ spender }) => erc20.allowance(tokenIn.address, refund, spender)),
    parse: (answers) => answers.map((answer) => (typeof answer === 'bigint' ? answer : 0n)),
  })
  return (provider) => {
    const at = spenders.findIndex(({ name }) => name === provider)
    return at >= 0 && allowances[at]! >= amount
  }
}

const sumAmounts = (amounts: readonly bigint[]): bigint => amounts.reduce((sum, amount) => sum + amount, 0n)

/** No provider pays the gas of a swap. */
const notSponsored = (provider: string): string =>
  `${provider} does not sponsor fees on this route: the wallet pays its own gas`

const feesExceedAmount = (): AppError =>
  new AppError('QUOTE_GENERATION_FAILED', 'The fees of this customer consume the whole amount')

/** The network at one end of a swap: by name, by chain id, or by both if they agree. */
function networkOfSide<
  name extends 'originChain' | 'destinationChain',
  id extends 'chainIdIn' | 'chainIdOut',
>(context: EngineContext, input: Pick<QuoteInput, name | id>, name: name, id: id): Network {
  const named = [input[id], input[name]].filter((one) => one !== undefined)
  const [found, other = found] = named.map((one) => routeNetworkNamed(context, one))
  if (!found) throw fieldError(`${name} or ${id}`, 'is missing', { text: `Send ${name} or ${id}` })
  if (other?.chainId !== found.chainId)
    throw fieldError(name, 'is given twice, with different values', {
      text: `${name} and ${id} are not the same network`,
    })
  return found
}

/** A token by address: the native coin, from the catalogue, or from its contract. */
async function tokenOnNetwork(context: EngineContext, network: Network, address: Address): Promise<Token> {
  if (sameAddress(address, nativeAddress)) return nativeToken(network)
  const found = tokenAt(context.catalog.tokens, network.chainId, address)
  if (found) return found
  const token = await ask(context.chain(network.chainId), {
    reads: (['symbol', 'decimals'] as const).map((functionName) => contract(address, erc20Abi)(functionName)),
    parse: ([symbol, decimals]) =>
      typeof symbol === 'string' && typeof decimals === 'number' ? { symbol, decimals } : undefined,
  })
  if (!token) throw new AppError('QUOTE_GENERATION_FAILED', `${address} is not a token on ${network.name}`)
  return { chainId: network.chainId, address, name: token.symbol, ...token }
}
