import type { Quote } from '../../api/quote.ts'
import { decodeSavedQuote } from '../../cli/decode-saved-quote.ts'
import { startedBeforeError } from '../../cli/signing-flow/refuse-duplicates.ts'
import { type Address, nativeAddress } from '../../domain/address.ts'
import { tokenAmount } from '../../domain/amount.ts'
import { bitcoinNetwork, btc } from '../../domain/bitcoin.ts'
import { advice, sluice } from '../../domain/text/next-step.ts'
import type { Token } from '../../domain/token.ts'
import { encodeIntent } from '../../guard/intent-json.ts'
import type { StoredDeposit, StoredPlan } from '../../guard/stored-plan.ts'
import { encodeTerms, strictTerms } from '../../guard/user-limits-and-exemptions.ts'
import type { ExecutionContext, JournalOperation } from '../../planning/execution-context-types.ts'
import type { IntentOf } from '../../protocols/intent.ts'
import type { DepositTerms } from '../../swaps/deposit-provider.ts'
import { isFinished } from '../../transactions/steps/operation-state.ts'

type NewOperation = Parameters<ExecutionContext['journal']['insert']>[0]

/** A swap as it was asked for: the key of a person if there is one, the request of that key, and what the request says of the quote. */
export type AskedSwap = {
  key: string | undefined
  request: Record<string, unknown>
  slippage: number | null
  destination: Address | null
}

/** What is known of the deposit of a swap. */
export type ShownSwap = {
  terms: Pick<DepositTerms, 'memo' | 'amount' | 'amountOut' | 'minAmountOut' | 'until'> & {
    address: string | null
  }
  recipient: Address
  tokenOut: Token
  /** The order of the provider that the deposit uses up. */
  order?: string | null | undefined
  /** The terms that this machine checks the swap by. */
  kept?: object | undefined
}

/** A swap from Bitcoin as an intent: the least that it pays out, and until when it may be paid. */
export const depositIntent = (
  { provider }: Pick<Quote, 'provider'>,
  { terms, recipient, tokenOut }: Pick<ShownSwap, 'terms' | 'recipient' | 'tokenOut'>,
  wallet: Address,
): IntentOf<'swap'> => ({
  kind: 'swap',
  wallet,
  provider,
  tokenIn: btc,
  tokenOut,
  exact: 'in',
  amountIn: terms.amount,
  amountOut: terms.minAmountOut,
  recipient,
  deadline: Math.floor(terms.until / 1_000),
})

/** The quote of a swap that was begun, with what was asked for it. */
export const begunQuote = ({ plan }: JournalOperation) => {
  const { raw, ...asked } = (plan as StoredPlan).deposit?.quote ?? {}
  return { ...asked, quote: decodeSavedQuote(raw) }
}

export const isOfQuote = ({ plan }: JournalOperation, { id }: Pick<Quote, 'id'>): boolean =>
  (plan as StoredPlan).quoteId === id

/**
 * Records that a swap begins, before its deposit is shown, and returns its operation: the one that its key or its quote has already.
 * ORDER_USED if its address belongs to another; IDEMPOTENCY_KEY_REUSED if its quote was begun under another key.
 */
export function recordSwap(
  { journal }: Pick<ExecutionContext, 'journal'>,
  quote: Quote,
  asked: AskedSwap,
  shown: ShownSwap,
): JournalOperation {
  const { key, request } = asked
  const begun = () =>
    (key === undefined ? undefined : journal.findForRequest(key, request)) ?? journal.find(quote.id)
  const operation = begun() ?? insertOnce(journal, operationOf(quote, asked, shown), begun)
  // A key that is not bound to its first swap would let another be paid under it.
  if (key !== undefined && operation.idemKey !== key)
    throw startedBeforeError(operation).with({
      next:
        operation.idemKey === quote.id
          ? advice`It was begun without a key, as a dry run does. To see its deposit again, leave the key out: ${sluice('swap execute', quote.id)}`
          : sluice('swap status', operation.id),
    })
  const plan = operation.plan as StoredPlan
  // An earlier version, or a swap that was found paid, has no terms yet.
  const isWithout = operation.id === quote.id && plan.deposit && plan.deposit.swap === undefined
  if (isWithout && shown.kept && !isFinished(operation))
    journal.replan(operation.id, 0, {
      plan: { ...plan, deposit: { ...plan.deposit, swap: shown.kept } },
      steps: [],
      why: 'with the terms of its deposit',
    })
  return operation
}

/** Records an operation; the one that another process has just recorded under its key. */
function insertOnce(
  journal: ExecutionContext['journal'],
  operation: NewOperation,
  begun: () => JournalOperation | undefined,
): JournalOperation {
  try {
    return journal.insert(operation)
  } catch (error) {
    const other = begun()
    if (other) return other
    throw error
  }
}

function operationOf(
  quote: Quote,
  { key, request, slippage, destination }: AskedSwap,
  { terms, recipient, tokenOut, order, kept }: ShownSwap,
): NewOperation {
  const { address, memo, amount, amountOut, minAmountOut, until } = terms
  const deposit: StoredDeposit = {
    quote: { raw: quote.raw, slippage, destination },
    ...(kept && { swap: kept }),
  }
  return {
    id: quote.id,
    idemKey: key ?? quote.id,
    request,
    kind: 'swap',
    // Whoever pays is not known: the swap is that of the account that is paid out to.
    wallet: recipient,
    plan: {
      intents: [encodeIntent(depositIntent(quote, { terms, recipient, tokenOut }, recipient)), null],
      about: {
        type: 'CROSSCHAIN_SWAP',
        strategyId: null,
        strategySlug: null,
        receiver: recipient,
        amounts: { in: tokenAmount(amount, btc), out: tokenAmount(amountOut, tokenOut) },
      },
      quoteId: quote.id,
      planHash: '',
      assurance: 'L2',
      nonce: null,
      expiresAt: new Date(until).toISOString(),
      terms: encodeTerms(strictTerms),
      deposit,
    } satisfies StoredPlan,
    ...(order != null && { orders: [order] }),
    legs: [
      { chainId: bitcoinNetwork.chainId, deposit: { address, memo, amount, until }, steps: [] },
      {
        chainId: tokenOut.chainId,
        arrival: { token: tokenOut.address, minimum: minAmountOut, recipient },
        steps: [],
      },
    ],
  }
}

/** What a quote that is paid already says of itself, where its terms were not checked here. */
export const statedSwap = (
  { tokenIn, tokenOut, minAmountOut, deadline, destinationAddress }: Quote,
  deposit: { address: string; memo: string | null } | undefined,
): ShownSwap => ({
  terms: {
    address: deposit?.address ?? null,
    memo: deposit?.memo ?? null,
    amount: tokenIn.amount,
    amountOut: tokenOut.amount,
    minAmountOut: minAmountOut ?? 0n,
    until: deadline === null ? 0 : Date.parse(deadline),
  },
  recipient: destinationAddress ?? nativeAddress,
  tokenOut: { ...tokenOut, name: tokenOut.symbol },
})
