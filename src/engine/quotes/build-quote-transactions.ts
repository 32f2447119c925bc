import { BaseError } from 'viem'
import { z } from 'zod'
import type { TakenQuote } from '../../api/quote.ts'
import type { SwapBytecode } from '../../api/unsigned-transactions.ts'
import { clockAheadSeconds } from '../../chain/head.ts'
import type { Chain } from '../../chain/network-client.ts'
import { type Address, sameAddress } from '../../domain/address.ts'
import { formatAmount, tokenAmount } from '../../domain/amount.ts'
import { bitcoinNetwork, btc } from '../../domain/bitcoin.ts'
import { AppError } from '../../domain/errors.ts'
import { canonicalJson } from '../../domain/text/canonical-json.ts'
import { advice, sluice } from '../../domain/text/next-step.ts'
import { momentText } from '../../domain/text/time-spans.ts'
import type { Token } from '../../domain/token.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import { quoteExpiredError } from '../../domain/used-order-and-expired-quote-errors.ts'
import type { CallWithAllowance } from '../../protocols/market-adapter.ts'
import type { QuoteWithAction } from '../../store/engine/quote-queries.ts'
import { isSwap, readSearchStarts, trackOperation } from '../actions/issued-actions.ts'
import { refreshAction } from '../actions/refresh-action.ts'
import type { EngineContext } from '../engine.ts'
import { feePayment } from '../fees/service-fee-charges.ts'
import { fieldError } from '../field-error.ts'
import { exactApproval, kindsOf, withApprovals, withoutApproval } from '../unsigned-transactions/approvals.ts'
import { estimateGasLimit } from '../unsigned-transactions/gas-limit.ts'
import { depositOf } from './bitcoin-deposit-lookup.ts'
import { takeOrders } from './order-uses.ts'
import { refuseRecipient, refuseUnrecoverable } from './recipient-check.ts'
import {
  deadlineOf,
  findQuote,
  offerOf,
  offerWith,
  otherVersionError,
  providerNamed,
  quoteRecipient,
  readStored,
  requireDecimals,
  routeOf,
  serviceFeesOf,
} from './stored-quote.ts'

/** A quote as its client returns it, with the wallet that takes it. */
type TakenSwap = {
  quote: z.output<typeof TakenQuote>
  walletAddress: Address
  destinationAddress?: Address | undefined
  decimalsIn?: number | undefined
}

/**
 * Builds the transactions that execute a quote from its stored form. The client must return its terms unchanged, with
 * `quoteId` and `rawQuote`; QUOTE_VALIDATION_ERROR names what differs or is missing.
 */
export async function swapBytecode(context: EngineContext, input: TakenSwap): Promise<SwapBytecode> {
  const { walletAddress: wallet } = input
  const row = await takenQuote(context, input.quote)
  if (row.originChain === bitcoinNetwork.name) {
    const { tokenOut } = routeOf(context, row)
    const recipient = input.destinationAddress ?? quoteRecipient(row) ?? wallet
    return bitcoinBytecode(row, { tokenOut, recipient })
  }
  const provider = providerNamed(context, row.provider)
  const { route, offer, recipient } = await takenOffer(context, row, input)
  const chain = context.chain(route.from.chainId)
  const starts = readSearchStarts(context, wallet, [chain.network.chainId])
  const charged = serviceFeesOf(row)
  const fees = charged
    .filter(({ paidBy }) => paidBy === 'action')
    .map(({ to, amount }) => ({ to, amount: BigInt(amount) }))
  const order = { wallet, recipient, deadline: deadlineOf(row), fees }
  const clock = clockAheadSeconds(chain, context.now())
  clock.catch(() => undefined) // Awaited below, in the round trip of the allowances.
  const step = await provider.build(route, offer, order).catch(asOtherVersion)
  await takeOrders(context, row.id, step, { ...route, recipient })
  const gasOf = estimateBesideApprovals(chain, wallet, step)
  if (step.raw !== undefined)
    await context.store.keepOffer(context.customer, row.id, offerWith(row, step.raw))
  const [acting, ahead] = await Promise.all([withApprovals(chain, wallet, step, route.tokenIn), clock])
  if (Math.floor(context.now() / 1000) + ahead > order.deadline)
    throw quoteExpiredError(order.deadline * 1000, { clock: chain.network.name })
  const payments = charged.filter(({ paidBy }) => paidBy !== 'action').map(feePayment)
  const cost = charged.reduce((sum, { amount }) => sum + BigInt(amount), 0n)
  const transactions = [...acting, ...payments]
  const call = acting.at(-1)!
  const gas = await gasOf(acting)
  const type = route.from.chainId === route.to.chainId ? 'SAMECHAIN_SWAP' : 'CROSSCHAIN_SWAP'
  const amounts = {
    in: tokenAmount(offer.amountIn + cost, route.tokenIn),
    out: tokenAmount(offer.amountOut, route.tokenOut),
  }
  await trackOperation(context, {
    id: row.id,
    type,
    strategyId: null,
    strategySlug: null,
    quoteId: row.id,
    wallet,
    receiver: recipient,
    amounts,
    transactions,
    kinds: [...kindsOf(acting, 'swap'), ...payments.map(() => 'fee')],
    starts,
  })
  return {
    type,
    provider: provider.name,
    chainId: route.from.chainId,
    approvals: acting.slice(0, -1),
    transactions: [call, ...payments],
    ...gas,
    swapDetails: {
      tokenIn: tokenSide(route.tokenIn, offer.amountIn + cost, {
        maxAmount: String(offer.maxAmountIn + cost),
      }),
      tokenOut: tokenSide(route.tokenOut, offer.amountOut, { minAmount: String(offer.minAmountOut) }),
      recipient,
    },
    rawSwapData: { ...((step.raw ?? offer.raw) as object), transaction: transactionJson(call, gas) },
    message: `Send ${transactions.length === 1 ? 'the transaction' : `the ${transactions.length} transactions in order`} before ${momentText(row.expiresAt)}`,
  }
}

/** Whether an error says that stored data lacks a field or has another form: in JavaScript, by a schema, or by its encoding as a call. */
const isMisread = (error: unknown): boolean =>
  [TypeError, SyntaxError, RangeError, z.ZodError, BaseError].some((kind) => error instanceof kind)

/** Throws the failure of building a swap. Data of the provider that is not what this version stores is of another version. */
const asOtherVersion = (error: unknown): never => {
  throw isMisread(error) ? otherVersionError(error) : error
}

/** The stored quote that is taken, if its terms are unchanged and it can still be used. */
async function takenQuote(
  context: EngineContext,
  quote: z.output<typeof TakenQuote>,
): Promise<QuoteWithAction> {
  if (!quote.provider) throw new AppError('QUOTE_VALIDATION_ERROR', 'The quote names no provider')
  if (!context.deposits?.providers.some(({ name }) => name === quote.provider))
    providerNamed(context, quote.provider)
  const row = await findQuote(context, quote.quoteId ?? quote.id)
  if (!row) throw new AppError('QUOTE_NOT_FOUND', `There is no quote "${quote.quoteId ?? quote.id}"`)
  const issued = readStored(() => JSON.parse(row.wire) as Record<string, unknown>)
  readStored(() => refuseIncomplete(quote, issued))
  await refuseUsedQuote(context, row)
  if (context.now() >= row.expiresAt) throw quoteExpiredError(row.expiresAt)
  readStored(() => refuseChanged(quote, issued))
  return row
}

/** The route, offer and recipient of a stored quote, checked for the wallet that takes it. */
async function takenOffer(
  context: EngineContext,
  row: QuoteWithAction,
  { walletAddress: wallet, destinationAddress, decimalsIn }: TakenSwap,
) {
  const named = quoteRecipient(row)
  const recipient = destinationAddress ?? named ?? wallet
  if (named && !sameAddress(named, recipient)) throw recipientMismatch(named, recipient)
  const route = routeOf(context, row)
  requireDecimals(route.tokenIn, decimalsIn)
  const offer = offerOf(row)
  // An earlier version stored quotes with any recipient.
  const tokens = [route.tokenIn, route.tokenOut]
  await refuseRecipient(context, route.to.chainId, { to: recipient, tokens, wallet })
  refuseUnrecoverable(context, route.from.chainId, wallet, 'wallet')
  return { route, offer, recipient }
}

const transactionJson = (
  call: Transaction,
  { gasLimit, gasLimitReason }: Awaited<ReturnType<typeof estimateGasLimit>>,
) => ({
  ...call,
  value: String(call.value),
  gasLimit: gasLimit === null ? null : String(gasLimit),
  gasLimitReason,
})

/** Estimates the gas of a step for the cases of no approval and one, before it is known which approvals it needs. */
function estimateBesideApprovals(
  chain: Chain,
  wallet: Address,
  step: CallWithAllowance,
): (acting: readonly Transaction[]) => ReturnType<typeof estimateGasLimit> {
  const { needs } = step
  const alone = withoutApproval(step)
  const guesses = [alone, needs ? [exactApproval({ ...step, needs }), ...alone] : []]
    .filter((guess) => guess.length > 0)
    .map((guess) => ({ guess, estimate: estimateGasLimit(chain, wallet, guess) }))
  for (const { estimate } of guesses) estimate.catch(() => undefined)
  return (acting) => {
    // Other cases include a reset.
    const known = guesses.find(({ guess }) => guess.length === acting.length)
    return known?.estimate ?? estimateGasLimit(chain, wallet, acting)
  }
}

/** The error for a recipient that differs from the quote. */
const recipientMismatch = (named: Address, to: Address): AppError =>
  fieldError('destinationAddress', `is ${named} in the quote`, {
    code: 'QUOTE_VALIDATION_ERROR',
    text: `The quote is for ${named}, not for ${to}`,
  })

const tokenSide = (token: Token, amount: bigint, bound: object) => ({
  contract: token.address,
  symbol: token.symbol,
  decimals: token.decimals,
  chainId: token.chainId,
  amount: String(amount),
  ...bound,
})

/**
 * A quote is for one swap: after its swap was executed, with any result, it is refused. The quote of a deposit's bridge belongs to the
 * deposit.
 */
async function refuseUsedQuote(context: EngineContext, { id, actionId }: QuoteWithAction): Promise<void> {
  const found = actionId === null ? undefined : await refreshAction(context, actionId)
  if (!found) return
  const hint = advice`Request a new quote: ${sluice('swap quote', { '--help': true })}`
  if (!isSwap(found.action))
    throw new AppError(
      'QUOTE_VALIDATION_ERROR',
      `The quote belongs to a cross-chain deposit; the action of that deposit has its transactions`,
      {
        details: { actionId },
        next: hint,
      },
    )
  const sent = found.txs.find(({ kind }) => kind === 'swap')
  if (!sent || sent.succeeded === null) return
  const details = { txHash: sent.hash }
  throw sent.succeeded === 0
    ? new AppError('SWAP_EXECUTION_FAILED', 'The swap of this quote reverted on chain', {
        details,
        next: hint,
      })
    : new AppError('QUOTE_VALIDATION_ERROR', 'The swap of this quote was already executed', {
        details,
        next: sluice('swap status', id),
      })
}

/** The terms of a quote, besides those of its two sides; the last three are names of the deprecated endpoints. */
const terms = [
  'id',
  'quoteId',
  'provider',
  'originChain',
  'destinationChain',
  'minAmountOut',
  'maxAmountIn',
  'slippage',
  'destinationAddress',
  'refundAddress',
  'rawQuote',
  'fromChain',
  'toChain',
  'expectedAmountOut',
]

const sideTerms = ['contract', 'chainId', 'decimals', 'amount']

/** The fields that a quote must have when it comes back, if it was issued with them. */
const required = ['quoteId', 'rawQuote'] as const

/** Refuses a quote without a required field; `null` counts as missing. */
function refuseIncomplete(quote: Record<string, unknown>, issued: Record<string, unknown>): void {
  const isThere = (value: unknown) => value !== undefined && value !== null
  const missing = required.filter((name) => isThere(issued[name]) && !isThere(quote[name]))
  if (missing.length === 0) return
  throw new AppError(
    'QUOTE_VALIDATION_ERROR',
    `The quote must be sent back as it was issued: ${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} missing`,
    { details: { errors: missing.map((path) => ({ path, message: 'is missing' })) } },
  )
}

/**
 * Refuses a quote whose terms differ from the issued ones. Descriptive fields (prices, times in another format) and
 * added or missing fields are ignored, except the required ones.
 */
function refuseChanged(quote: Record<string, unknown>, issued: Record<string, unknown>): void {
  const differ = (given: unknown, own: unknown, names: readonly string[]) => {
    const [theirs, ours] = [given, own] as Record<string, unknown>[]
    return names.filter((name) => theirs?.[name] !== undefined && !isSame(theirs[name], ours?.[name]))
  }
  const { originChain: fromChain, destinationChain: toChain } = issued
  const { amount: expectedAmountOut } = issued.tokenOut as { amount: unknown }
  const changed = [
    ...differ(quote, { ...issued, fromChain, toChain, expectedAmountOut }, terms),
    ...['tokenIn', 'tokenOut'].flatMap((side) =>
      differ(quote[side], issued[side], sideTerms).map((name) => `${side}.${name}`),
    ),
  ]
  if (changed.length === 0) return
  throw new AppError('QUOTE_VALIDATION_ERROR', 'The quote was changed after it was issued', {
    details: { errors: changed.map((path) => ({ path, message: 'differs from the issued quote' })) },
  })
}

/** Whether two values are the same JSON, in any key order, or the same address. */
const isSame = (a: unknown, b: unknown): boolean =>
  canonicalJson(a) === canonicalJson(b) ||
  (typeof a === 'string' && typeof b === 'string' && sameAddress(a, b))

/**
 * The answer for a quote that begins on Bitcoin: no transactions, because nothing is signed, and the payment
 * instructions in `rawSwapData.deposit`.
 */
function bitcoinBytecode(
  row: QuoteWithAction,
  { tokenOut, recipient }: { tokenOut: Token; recipient: Address },
): SwapBytecode {
  const { deposit, provider } = depositOf(row)
  const { amountIn, amountOut, minAmountOut } = offerOf(row)
  const named = quoteRecipient(row)
  if (named && !sameAddress(named, recipient)) throw recipientMismatch(named, recipient)
  return {
    type: 'BITCOIN_DEPOSIT',
    provider: row.provider,
    chainId: bitcoinNetwork.chainId,
    approvals: [],
    transactions: [],
    gasLimit: null,
    gasLimitReason: 'nothing is sent from an EVM wallet',
    swapDetails: {
      tokenIn: tokenSide(btc, amountIn, { maxAmount: String(amountIn) }),
      tokenOut: tokenSide(tokenOut, amountOut, { minAmount: String(minAmountOut) }),
      recipient,
    },
    rawSwapData: { deposit, provider },
    message: `Pay ${formatAmount(amountIn, btc)} to ${deposit.address} on Bitcoin before ${deposit.until}${deposit.memo === null ? '' : `, with the memo ${deposit.memo} in an OP_RETURN output`}`,
  }
}
