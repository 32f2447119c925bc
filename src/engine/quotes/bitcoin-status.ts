import { z } from 'zod'
import { Quote } from '../../api/quote.ts'
import type { SwapStatus } from '../../api/swap-status.ts'
import type { Chain } from '../../chain/network-client.ts'
import type { Address, Hex } from '../../domain/address.ts'
import { formatAmount } from '../../domain/amount.ts'
import { bitcoinHash, btc } from '../../domain/bitcoin.ts'
import { AppError } from '../../domain/errors.ts'
import { isSwapOver } from '../../domain/swap-outcome.ts'
import { spanText } from '../../domain/text/time-spans.ts'
import type { Token } from '../../domain/token.ts'
import type { QuoteRow } from '../../store/engine/action-tables.ts'
import { type QuotePayment, type TakenBy, takenByOther } from '../../store/engine/quote-payments.ts'
import { amountPaidTo, type BitcoinReader, type BitcoinTransaction } from '../../swaps/bitcoin-reader.ts'
import { type DepositProgress, evmHash } from '../../swaps/deposit-provider.ts'
import type { EngineContext } from '../engine.ts'
import type { DepositRaw } from './bitcoin-deposit-instructions.ts'
import { depositOf, type FoundDeposit, lookUpDeposit } from './bitcoin-deposit-lookup.ts'
import { blockClockMs, depositPayments } from './bitcoin-deposit-payments.ts'
import { checkBitcoinPayout } from './bitcoin-payout-check.ts'
import { depositsOf } from './bitcoin-quote.ts'
import { checkBitcoinRefund } from './check-bitcoin-refund.ts'
import { type OutcomeEvidence, outcomeNotShown, outcomeReported } from './outcome-evidence.ts'
import { offerOf, quoteRecipient, readStored, routeOf } from './stored-quote.ts'

/**
 * A swap that begins on Bitcoin, with all that its outcome is checked by. Times are epoch ms, `amountIn` is in satoshi.
 * `earlier` are payments with the same address and memo from before it; `null` is unknown.
 */
export type DepositSwap = Pick<DepositRaw, 'deposit' | 'earlier'> & {
  id: string
  provider: string
  createdAt: number
  expiresAt: number
  amountIn: bigint
  minAmountOut: bigint
  tokenOut: Token
  recipient: Address
  /** The refund address of the quote; a provider that `refundsSender` does not use it. */
  refundAddress: string | null
  refundsSender: boolean
  /** The estimated duration, in seconds. */
  seconds: number | null
}

/** The payments that ended swaps, as one swap sees them. A payment ends one swap only. */
export type PaymentBook = {
  /** The recorded deposit of this swap. */
  ownDeposit: string | undefined
  takenBy: TakenBy
  /** Whether a transaction delivered another operation. */
  isOtherDelivery: (hash: Hex) => Promise<boolean>
  /** Records payments for this swap; returns the other swap that has one of them already. */
  take: (payments: readonly QuotePayment[]) => Promise<string | null>
}

/** What a deposit is checked with: Bitcoin, the chains, the clock, the recorded payments, and what its provider or service reports. */
export type DepositChecks = {
  bitcoin: BitcoinReader
  chain: (chainId: number) => Chain
  now: () => number
  payments: PaymentBook
  report: (deposit: BitcoinTransaction | undefined) => Promise<DepositProgress>
}

/**
 * Returns the status of a quote that begins on Bitcoin: its provider is asked, and what it reports is checked
 * (`depositStatus`). DEPOSIT_NOT_FOUND for a hash that does not exist or pays something else.
 */
export async function bitcoinStatus(
  context: EngineContext,
  row: QuoteRow,
  btcTxHash: string | undefined,
): Promise<SwapStatus> {
  const { bitcoin, providers } = depositsOf(context)
  const { deposit, earlier } = depositOf(row)
  const { amountIn, minAmountOut } = offerOf(row)
  const { tokenOut } = routeOf(context, row)
  const recipient = quoteRecipient(row)!
  const provider = providers.find(({ name }) => name === row.provider)
  if (!provider)
    throw new AppError('PROVIDER_NOT_FOUND', `There is no provider "${row.provider}"`, {
      details: { provider: row.provider },
    })
  const { store, customer, now } = context
  const taken = await store.paymentsSince(customer, row.createdAt - blockClockMs)
  const wire = readStored(() => z.decode(Quote, JSON.parse(row.wire)))
  const swap: DepositSwap = {
    ...{ id: row.id, provider: row.provider, createdAt: row.createdAt, expiresAt: row.expiresAt },
    ...{ deposit, earlier, amountIn, minAmountOut, tokenOut, recipient },
    refundAddress: wire.refundAddress ?? null,
    refundsSender: !provider.needsRefund,
    seconds: wire.durationSeconds ?? null,
  }
  const payments: PaymentBook = {
    ownDeposit: taken.find(({ kind, quoteId }) => kind === 'deposit' && quoteId === row.id)?.hash,
    takenBy: takenByOther(taken, row.id),
    isOtherDelivery: (hash) => store.isDeliveryOfAnother(customer, row.id, hash),
    take: (all) => store.takePayments(customer, row.id, all, now()),
  }
  const report = (paidBy: BitcoinTransaction | undefined) =>
    provider.status(deposit, paidBy, { tokenOut, recipient })
  return depositStatus({ bitcoin, chain: context.chain, now, payments, report }, swap, btcTxHash)
}

/**
 * Returns the status of a swap that begins on Bitcoin, whoever asks: the engine with the word of the provider, a client with
 * that of a service. The deposit is looked up by its hash, else among the payments to its address. A payout or refund that is
 * reported counts only if its chain shows it and no other swap has it; what cannot be checked is `reported`. Without a deposit
 * on Bitcoin, the report is ignored.
 */
export async function depositStatus(
  checks: DepositChecks,
  swap: DepositSwap,
  btcTxHash: string | undefined,
): Promise<SwapStatus> {
  const { bitcoin, now, payments } = checks
  const { deposit, amountIn } = swap
  const found = await lookUpDeposit(bitcoin, swap, { typed: btcTxHash, payments })
  const { transaction, paid, confirmations, isLookedUp } = found
  const notes = [...found.notes]
  if (paid !== null && paid !== amountIn)
    notes.push(
      `The payment is ${formatAmount(paid, btc)}, ${paid < amountIn ? 'less' : 'more'} than the ${formatAmount(amountIn, btc)} of the quote`,
    )
  const progress = await checks.report(transaction)
  if (progress.said) notes.push(`The provider says: ${progress.said.slice(0, 200)}`)
  const seen = { confirmations, isLate: isLookedUp && now() > swap.expiresAt }
  const { status: word } = progress
  const shown = await evidenceOf(checks, swap, { found, progress, seen })
  if (shown.note) notes.push(shown.note)
  if (progress.refund !== undefined && transaction)
    notes.push(await restText(checks, swap, { transaction, refund: progress.refund }))
  const isOpen = !isSwapOver(shown.status)
  const missing = isOpen && paid !== null && paid < amountIn ? amountIn - paid : 0n
  if (missing > 0n) notes.push(missingText(swap, { missing, now: now() }))
  // The missing part may be paid until the deadline, but not if the deposit has a memo.
  const mayCome = missing > 0n && deposit.memo === null
  const since = mayCome ? Math.max(transaction?.time ?? 0, swap.expiresAt) : (transaction?.time ?? null)
  const waitedMs = isOpen && transaction?.time && since !== null ? now() - since : 0
  const usualMs = Math.max(leastUsualMs, 2_000 * (swap.seconds ?? 0))
  const overdue = waitedMs > usualMs
  if (overdue)
    notes.push(
      `${mayCome ? 'The deadline was' : 'It was paid'} ${spanText(waitedMs)} ago; the usual maximum is ${spanText(usualMs)}`,
    )
  return {
    status: shown.status,
    ...(shown.reported !== undefined && { reported: shown.reported }),
    ...(shown.arrivedShort && { arrivedShort: true }),
    originTxHash: transaction?.txid ?? null,
    destinationTxHash: (word === 'refunded' ? undefined : evmHash(progress.destination)) ?? null,
    provider: swap.provider,
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

/** Says how much of a deposit was paid back, if only a part of it was swapped. */
async function restText(
  { bitcoin }: Pick<DepositChecks, 'bitcoin'>,
  { refundsSender, refundAddress }: DepositSwap,
  { transaction, refund }: { transaction: BitcoinTransaction; refund: string },
): Promise<string> {
  const hash = bitcoinHash(refund)
  const back = hash && (await bitcoin.transaction(hash).catch(() => undefined))
  const to = refundsSender || refundAddress === null ? transaction.senders : [refundAddress]
  const paid = to.map((address) => ({ address, amount: back ? amountPaidTo(back, address) : 0n }))
  const found = paid.find(({ amount }) => amount > 0n)
  return found && back
    ? `The rest was paid back: ${formatAmount(found.amount, btc)} to ${found.address} in ${back.txid}`
    : `The provider reports that the rest was paid back in ${hash ?? 'an unnamed transaction'}, which Bitcoin does not show yet`
}

type Reported = {
  found: FoundDeposit
  progress: DepositProgress
  seen: { confirmations: number | null; isLate: boolean }
}

/** Returns the evidence for what is reported of a deposit. */
async function evidenceOf(
  checks: DepositChecks,
  swap: DepositSwap,
  { found, progress, seen }: Reported,
): Promise<OutcomeEvidence> {
  const { status: word } = progress
  const isEnd = word === 'fulfilled' || word === 'refunded' || word === 'failed'
  if (!isEnd) return { status: statusOf(word, seen), delivery: null }
  if (found.isLookedUp && !found.transaction)
    return { status: statusOf('waiting', seen), delivery: null, note: unpaidText(word) }
  const shown =
    word === 'failed'
      ? outcomeReported('failed', 'The provider reports that the swap failed, and no chain shows it')
      : await checkReportedOutcome(checks, swap, { found, progress })
  if (word === 'refunded' || evmHash(progress.destination)) return shown
  const back = await refundOf(checks, swap, { found, progress })
  return back?.status === 'refunded' ? { ...shown, note: `${shown.note}. ${back.note}` } : shown
}

/** Looks for the refund of a deposit on Bitcoin; `undefined` without a deposit. A service may refund and report something else. */
async function refundOf(
  { bitcoin, payments }: Pick<DepositChecks, 'bitcoin' | 'payments'>,
  { deposit, refundsSender, refundAddress }: DepositSwap,
  { found: { transaction, paid }, progress }: Pick<Reported, 'found' | 'progress'>,
): Promise<OutcomeEvidence | undefined> {
  if (!transaction) return undefined
  const due = {
    ...{ deposit: transaction, paid: paid ?? 0n, fee: BigInt(deposit.refundFee ?? 0) },
    ...{ to: refundsSender ? null : refundAddress, named: progress.destination },
  }
  return checkBitcoinRefund(bitcoin, due, payments.takenBy)
}

/** Minimum usual duration after the block of a deposit, whatever the provider estimates, in ms. */
const leastUsualMs = 3_600_000

/**
 * Advice if less than the amount was paid. An address of its own accepts the rest; with a memo each payment is a
 * separate swap.
 */
function missingText(
  { deposit, refundAddress, expiresAt }: DepositSwap,
  { missing, now }: { missing: bigint; now: number },
): string {
  if (deposit.memo !== null) return 'Do not pay the rest: each payment with a memo is a swap of its own'
  const rest = `${formatAmount(missing, btc)} is missing`
  const back = `the payment is refunded to ${refundAddress ?? 'its sender'}, less a fee`
  return now > expiresAt
    ? `${rest}, and the deadline has passed: ${back}`
    : `${rest}: pay it to ${deposit.address} before ${deposit.until}, or ${back}`
}

/** The public status for a provider's status. If the provider does not know the deposit yet, the chain decides. */
function statusOf(
  status: 'waiting' | 'short' | 'processing',
  { confirmations, isLate }: { confirmations: number | null; isLate: boolean },
): string {
  if (status === 'short') return 'pending'
  if (status !== 'waiting') return status
  if (confirmations === null) return isLate ? 'expired' : 'pending'
  return confirmations > 0 ? 'confirmed' : 'pending'
}

const unpaidText = (word: 'fulfilled' | 'refunded' | 'failed'): string =>
  `The provider reports ${{ fulfilled: 'a payout', refunded: 'a refund', failed: 'a failure' }[word]}, but Bitcoin shows no deposit`

/**
 * Checks a reported payout or refund against the chains, and records the payments that prove it, so that no other swap can
 * use them.
 */
async function checkReportedOutcome(
  checks: DepositChecks,
  swap: DepositSwap,
  reported: Pick<Reported, 'found' | 'progress'>,
): Promise<OutcomeEvidence> {
  const { chain, now, payments } = checks
  const { progress } = reported
  const { transaction } = reported.found
  const { deposit, tokenOut, recipient, minAmountOut, createdAt } = swap
  const due = { tokenOut, recipient, least: minAmountOut, since: createdAt, deposit: transaction }
  const shown =
    progress.status === 'fulfilled'
      ? await checkBitcoinPayout({ chain, now }, due, evmHash(progress.destination), payments)
      : ((await refundOf(checks, swap, reported)) ?? outcomeNotShown('The provider reports a refund'))
  if (shown.payments === undefined) return shown
  const all = [...(transaction ? depositPayments(transaction, deposit.address) : []), ...shown.payments]
  const other = await payments.take(all)
  return other === null ? shown : outcomeNotShown(`The same payment has ended the quote ${other}`)
}
