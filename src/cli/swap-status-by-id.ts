import type { Quote } from '../api/quote.ts'
import type { SwapStatus } from '../api/swap-status.ts'
import { isOnBitcoin } from '../domain/bitcoin.ts'
import { AppError } from '../domain/errors.ts'
import { isSwapEnd, statedBySeen, statedByService } from '../domain/swap-outcome.ts'
import { advice, sluice } from '../domain/text/next-step.ts'
import { sanitizeText } from '../domain/text/terminal-sanitizing.ts'
import { actionIntent, quoteIds, type StoredPlan } from '../guard/stored-plan.ts'
import {
  isRefunded,
  isUnderDelivered,
  isUnfilled,
  refundText,
  resultOf,
  unfilledError,
  unfilledText,
} from '../transactions/bridge/delivery-result.ts'
import { hasSignature, isClosed } from '../transactions/steps/operation-state.ts'
import type { Cli } from './command-run-types.ts'
import { askedByName, type NamedSwap, swapNamed } from './named-id.ts'
import { quoteCommand } from './signing-flow/quotes/quote-again.ts'
import { recordDeposit, settleOperation } from './signing-flow/record-chain-results.ts'
import { reportFor } from './signing-flow/report-in-errors.ts'

type JournalledSwap = NonNullable<NamedSwap['known']>

/**
 * The status of a swap, by any of its names, as `swapNamed` reads them. `ask` asks the service by
 * the newest quote. The word of a remote service about a swap of this journal ends nothing: the journal and the nodes do. An
 * engine in this process reads the nodes itself; if it knows no transaction, the journal is used.
 */
export async function swapStatusById(
  cli: Cli,
  typed: string,
  ask: (quote: string) => Promise<SwapStatus>,
): Promise<SwapStatus & { id: string }> {
  const { known, id: named } = await swapNamed(cli, typed)
  const planned = known && quoteIds(known.operation.plan as StoredPlan)[0]
  let id = planned ?? (known ? typed : named)
  const asked = (quote: string) => {
    id = quote
    return ask(quote)
  }
  const response = await askedByName(cli, id, asked).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'QUOTE_NOT_FOUND') return error
    throw error
  })
  const told = response instanceof AppError ? undefined : response
  if (told && known) recordDeposit(cli, known.context, known.operation, told)
  if (told && told.originTxHash !== null && cli.backend.kind !== 'remote') return { id, ...told }
  const signed = known && isSigned(known) && (await journalledStatus(cli, known, told))
  if (signed) return { id, ...signed, provider: told?.provider ?? null }
  if (told && known && isClosed(known.operation) && isFailedUnsent(told)) {
    const { reported: _, ...rest } = told
    return { id, ...rest, status: 'failed', note: 'Abandoned on this machine before the swap was signed' }
  }
  if (told) return { id, ...(await withOwnDeadline(cli, id, told)) }
  if (!known || planned !== undefined) throw response
  throw new AppError('QUOTE_NOT_FOUND', `"${sanitizeText(typed)}" is an action, but not a swap`, {
    cause: response,
    next: sluice('action show', known.operation.id),
  })
}

/**
 * The status of a listed quote: the word that `swap status` has for it. `told` is the status in the list of the service. An engine in this
 * process has just read its chains; of a remote service, an end is checked here.
 */
export async function statusOfListed(
  cli: Cli,
  { id, provider, from, status: told }: Pick<Quote, 'id' | 'provider' | 'from' | 'status'>,
): Promise<string | null> {
  if (told === null) return null
  const isOpen = told === 'pending' || told === 'expired'
  if (id === '' || (cli.backend.kind !== 'remote' && !isOpen)) return told
  const isChecked = isSwapEnd(told) && isOnBitcoin(from)
  const listed = { status: told, originTxHash: null, destinationTxHash: null, provider }
  const ask = async (quote: string) =>
    isChecked
      ? (await cli.service()).swapStatus({ id: quote })
      : cli.backend.kind === 'remote'
        ? statedByService(listed)
        : listed
  return (await swapStatusById(cli, id, ask)).status
}

/** Whether a service reports a failure without a transaction of the swap. Of a swap that was abandoned here, the journal shows the same. */
const isFailedUnsent = ({ reported, originTxHash }: SwapStatus): boolean =>
  reported === 'failed' && originTxHash === null

/** An expiry that a remote service reports counts if this machine received the quote, and its deadline has passed. */
async function withOwnDeadline(cli: Cli, id: string, told: SwapStatus): Promise<SwapStatus> {
  const { reported, ...rest } = told
  if (reported !== 'expired') return told
  const kept = await (await cli.program.quotes()).find(id)
  const deadline = kept?.quote.deadline ?? null
  const isPast = deadline !== null && cli.program.now() > Date.parse(deadline)
  return isPast && told.originTxHash === null ? { ...rest, status: 'expired' } : told
}

/** The error for an expired quote: exit 4 only if nothing was signed for it, because a caller then requests it again. */
export async function expiredQuoteError(
  cli: Cli,
  typed: string,
  last: Record<string, unknown>,
): Promise<AppError> {
  const { known } = await swapNamed(cli, typed)
  if (!known || !isSigned(known)) return unsentError(cli, typed, last)
  const { id } = known.operation
  return new AppError('PARTIAL', 'The swap is partly signed, and the quote for the rest has expired', {
    details: { ...last, operation: id },
    next: sluice('action explain', id),
  })
}

async function unsentError(cli: Cli, typed: string, last: Record<string, unknown>): Promise<AppError> {
  const asked = await (await cli.program.quotes()).find(typed)
  return new AppError('QUOTE_EXPIRED', 'The quote expired, and no transaction was sent for it', {
    details: last,
    ...(asked && { next: advice`Get a new quote: ${await quoteCommand(cli, asked)}` }),
  })
}

/** The error of a swap whose order of this journal was not filled; `undefined` for any other swap. */
export async function unfilledOrderError(cli: Cli, typed: string): Promise<AppError | undefined> {
  const { known } = await swapNamed(cli, typed)
  return known && isUnfilled(known.operation) ? unfilledError(known.operation) : undefined
}

/**
 * The status of a swap by the journal, after its transactions were looked up on chain; `undefined` if
 * the swap itself is not signed.
 */
async function journalledStatus(
  cli: Cli,
  { context, operation }: JournalledSwap,
  told: SwapStatus | undefined,
): Promise<Omit<SwapStatus, 'provider'> | undefined> {
  const now = await settleOperation(cli, context, operation)
  const step = now.steps.findLast(
    ({ role, leg }) => role === 'action' && actionIntent(now.plan as StoredPlan, leg)?.kind === 'swap',
  )
  const { transactions, destinationTxHash } = reportFor(context, now)
  const originTxHash = step && transactions.find(({ index }) => index === step.index)?.hash
  if (!step || !originTxHash) return undefined
  const isLost = ['FINAL_REVERTED', 'CANCELLED', 'SUPERSEDED'].includes(step.state)
  const isDelivered = now.legs.every(({ arrival }) => arrival === null || arrival.hash !== null)
  const seen = ((): string => {
    if (isRefunded(now)) return 'refunded'
    if (isLost || isUnderDelivered(now) || isUnfilled(now)) return 'failed'
    if (step.state === 'FINAL_OK' && isDelivered) return 'fulfilled'
    if (now.state === 'FAILED') return 'failed'
    return step.state === 'FINAL_OK' || step.state === 'INCLUDED' ? 'confirmed' : 'pending'
  })()
  const stated = statedBySeen({ seen, told })
  // On one chain, the same transaction pays and delivers.
  const delivery = destinationTxHash ?? (seen === 'fulfilled' ? originTxHash : null)
  const { refund, unfilled } = resultOf(now)
  const own = refund ? refundText(refund) : unfilled && unfilledText(unfilled)
  const note = own ?? (isSwapEnd(seen) ? undefined : told?.note)
  return {
    ...stated,
    originTxHash,
    destinationTxHash: delivery,
    ...(note !== undefined && { note }),
    ...(isUnderDelivered(now) && { arrivedShort: true }),
  }
}

const isSigned = ({ operation }: JournalledSwap): boolean => hasSignature(operation)
