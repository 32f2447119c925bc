import { z } from 'zod'
import { Quote } from '../../api/quote.ts'
import type { SwapStatus } from '../../api/swap-status.ts'
import { formatAmount } from '../../domain/amount.ts'
import { btc } from '../../domain/bitcoin.ts'
import { AppError } from '../../domain/errors.ts'
import type { QuoteRow } from '../../store/engine/action-tables.ts'
import type { TakenPayment } from '../../store/engine/quote-payments.ts'
import { takenByOther } from '../../store/engine/quote-payments.ts'
import { type DepositProgress, evmHash } from '../../swaps/deposit-provider.ts'
import type { EngineContext } from '../engine-context-types.ts'
import { depositOf, type FoundDeposit, lookUpDeposit } from './bitcoin-deposit-lookup.ts'
import { blockClockMs, depositPayments } from './bitcoin-deposit-payments.ts'
import { checkBitcoinPayout } from './bitcoin-payout-check.ts'
import { depositsOf } from './bitcoin-quote.ts'
import { checkBitcoinRefund } from './check-bitcoin-refund.ts'
import { type OutcomeEvidence, outcomeNotShown } from './outcome-evidence-type.ts'
import { offerOf, readStored, recipientOf, routeOf } from './stored-quote.ts'

/**
 * Returns the status of a swap that begins on Bitcoin. The deposit is looked up by its hash, else among the payments
 * to its address; DEPOSIT_NOT_FOUND for a hash that does not exist or pays something else. A payout or refund that a
 * provider reports counts only if its chain shows it and no other quote has it. Without a deposit on Bitcoin, the
 * report is ignored.
 */
export async function bitcoinStatus(
  context: EngineContext,
  row: QuoteRow,
  btcTxHash: string | undefined,
): Promise<SwapStatus> {
  const { bitcoin, providers } = depositsOf(context)
  const { deposit } = depositOf(row)
  const { amountIn } = offerOf(row)
  const { tokenOut } = routeOf(context, row)
  const recipient = recipientOf(row)!
  const provider = providers.find(({ name }) => name === row.provider)
  if (!provider)
    throw new AppError('PROVIDER_NOT_FOUND', `There is no provider "${row.provider}"`, {
      details: { provider: row.provider },
    })
  const taken = await context.store.paymentsSince(context.customer, row.createdAt - blockClockMs)
  const found = await lookUpDeposit(bitcoin, row, { typed: btcTxHash, taken })
  const { transaction, paid, confirmations, isLookedUp } = found
  const notes = [...found.notes]
  if (paid !== null && paid !== amountIn)
    notes.push(
      `The payment is ${formatAmount(paid, btc)}, ${paid < amountIn ? 'less' : 'more'} than the ${formatAmount(amountIn, btc)} of the quote`,
    )
  const wire = readStored(() => z.decode(Quote, JSON.parse(row.wire)))
  const progress = await provider.status(deposit, transaction, { tokenOut, recipient })
  if (progress.said) notes.push(`The provider says: ${progress.said.slice(0, 200)}`)
  const seen = { confirmations, isLate: isLookedUp && context.now() > row.expiresAt }
  const { status: word } = progress
  const shown: OutcomeEvidence =
    word !== 'fulfilled' && word !== 'refunded'
      ? { status: statusOf(word, seen), delivery: null }
      : isLookedUp && !transaction
        ? { status: statusOf('waiting', seen), delivery: null, note: unpaidText(word) }
        : await checkReportedOutcome(context, row, {
            ...{ found, progress, taken },
            refund: provider.needsRefund ? (wire.refundAddress ?? null) : null,
          })
  if (shown.note) notes.push(shown.note)
  const isOpen = !['fulfilled', 'refunded', 'failed', 'expired'].includes(shown.status)
  const missing = isOpen && paid !== null && paid < amountIn ? amountIn - paid : 0n
  if (missing > 0n) notes.push(missingText(context, row, { missing, refund: wire.refundAddress ?? null }))
  // The missing part may be paid until the deadline, but not if the deposit has a memo.
  const mayCome = missing > 0n && deposit.memo === null
  const since = mayCome ? Math.max(transaction?.time ?? 0, row.expiresAt) : (transaction?.time ?? null)
  const waitedMs = isOpen && transaction?.time && since !== null ? context.now() - since : 0
  const usualMs = Math.max(leastUsualMs, 2_000 * (wire.durationSeconds ?? 0))
  const overdue = waitedMs > usualMs
  if (overdue)
    notes.push(
      `${mayCome ? 'The deadline was' : 'It was paid'} ${minutes(waitedMs)} ago; the usual maximum is ${minutes(usualMs)}`,
    )
  return {
    status: shown.status,
    originTxHash: transaction?.txid ?? null,
    destinationTxHash: (word === 'refunded' ? undefined : evmHash(progress.destination)) ?? null,
    provider: row.provider,
    deposit: {
      address: deposit.address,
      memo: deposit.memo,
      amount: deposit.amount,
      paid: paid === null ? null : String(paid),
      confirmations,
      until: deposit.until,
      delivery: shown.delivery,
      overdue,
      isLookedUp,
      note: notes.length > 0 ? notes.join('. ') : null,
    },
  }
}

/** Minimum usual duration after the block of a deposit, whatever the provider estimates, in ms. */
const leastUsualMs = 3_600_000

const minutes = (ms: number): string => `${Math.ceil(ms / 60_000)} min`

/**
 * Advice if less than the amount was paid. An address of its own accepts the rest; with a memo each payment is a
 * separate swap.
 */
function missingText(
  { now }: EngineContext,
  row: QuoteRow,
  { missing, refund }: { missing: bigint; refund: string | null },
): string {
  const { deposit } = depositOf(row)
  if (deposit.memo !== null) return 'Do not pay the rest: each payment with a memo is a swap of its own'
  const rest = `${formatAmount(missing, btc)} is missing`
  const back = `the payment is refunded to ${refund ?? 'its sender'}, less a fee`
  return now() > row.expiresAt
    ? `${rest}, and the deadline has passed: ${back}`
    : `${rest}: pay it to ${deposit.address} before ${deposit.until}, or ${back}`
}

/** The public status for a provider's status. If the provider does not know the deposit yet, the chain decides. */
function statusOf(
  status: Exclude<DepositProgress['status'], 'fulfilled'>,
  { confirmations, isLate }: { confirmations: number | null; isLate: boolean },
): string {
  if (status === 'short') return 'pending'
  if (status !== 'waiting') return status
  if (confirmations === null) return isLate ? 'expired' : 'pending'
  return confirmations > 0 ? 'confirmed' : 'pending'
}

const unpaidText = (word: 'fulfilled' | 'refunded'): string =>
  `The provider reports a ${word === 'fulfilled' ? 'payout' : 'refund'}, but Bitcoin shows no deposit`

type ReportedOutcome = {
  found: FoundDeposit
  progress: DepositProgress
  taken: readonly TakenPayment[]
  /** The refund address; `null` if a refund goes to the sender. */
  refund: string | null
}

/**
 * Checks the outcome that a provider reports against the chains, and records the payments that prove it, so that no
 * other quote can use them.
 */
async function checkReportedOutcome(
  context: EngineContext,
  row: QuoteRow,
  { found: { transaction, paid }, progress, taken, refund }: ReportedOutcome,
): Promise<OutcomeEvidence> {
  const { bitcoin } = depositsOf(context)
  const { deposit } = depositOf(row)
  const takenBy = takenByOther(taken, row.id)
  const tokens = { tokenOut: routeOf(context, row).tokenOut, recipient: recipientOf(row)! }
  const due = { ...tokens, least: offerOf(row).minAmountOut, since: row.createdAt }
  const back = {
    fee: BigInt(deposit.refundFee ?? 0),
    to: refund,
    named: progress.destination,
  }
  const shown =
    progress.status === 'fulfilled'
      ? await checkBitcoinPayout(context, due, evmHash(progress.destination), takenBy)
      : transaction
        ? await checkBitcoinRefund(bitcoin, { ...back, deposit: transaction, paid: paid ?? 0n }, takenBy)
        : outcomeNotShown('The provider reports a refund')
  if (shown.status === 'processing') return shown
  const payments = [
    ...(transaction ? depositPayments(transaction, deposit.address) : []),
    ...(shown.payments ?? []),
  ]
  const other = await context.store.takePayments(context.customer, row.id, payments, context.now())
  return other === null ? shown : outcomeNotShown(`The same payment has ended the quote ${other}`)
}
