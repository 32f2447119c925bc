import type { Quote } from '../../api/quote.ts'
import type { SwapStatus } from '../../api/swap-status.ts'
import type { Cli } from '../../cli/command-run-types.ts'
import type { SigningOptions } from '../../cli/options/signer-and-safety-options.ts'
import { AppError } from '../../domain/errors.ts'
import { isUnsigned } from '../../domain/step-state.ts'
import { wordOf } from '../../domain/swap-outcome.ts'
import { sluice } from '../../domain/text/next-step.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import type { JournalOperation } from '../../planning/execution-context-types.ts'

/**
 * Refuses a quote whose swap was sent: executing it, or another one in its place, would pay again. ORDER_USED, or PARTIAL if this
 * machine signed its approval. `begun` is the swap of this journal: once the swap itself is signed here, it is repeated or resumed, so it
 * is refused in a dry run only. Otherwise the service tells the status, before anything else is checked. A service that does not know the
 * quote refuses its transactions itself. What was begun here goes on without an answer: before each signature the chain shows whether
 * the wallet has sent anything else.
 */
export async function refuseSentQuote(
  cli: Cli,
  { id }: Pick<Quote, 'id'>,
  begun: JournalOperation | undefined,
  { dryRun, allowDuplicate }: Partial<Pick<SigningOptions, 'dryRun' | 'allowDuplicate'>>,
): Promise<void> {
  if (begun && isSentHere(begun)) {
    if (dryRun) throw sentError(id, 'by this machine')
    return
  }
  const isBegun = begun !== undefined && !dryRun && begun.steps.some((step) => !isUnsigned(step))
  if (isBegun && begun.steps.some((step) => step.role === 'action' && !isUnsigned(step))) return
  const swap = await (await cli.service()).swapStatus({ id }).catch((error: unknown) => {
    if (error instanceof AppError && (isBegun || error.code === 'QUOTE_NOT_FOUND')) return undefined
    throw error
  })
  if (swap === undefined || !isSent(swap)) return
  const word = wordOf(swap)
  // A transaction that no block has may never be mined. After any other status no service issues the transactions again.
  if (allowDuplicate && word === 'pending') return
  const hash = swap.originTxHash === null ? '' : `, in ${sanitizeText(swap.originTxHash)}`
  const error = sentError(id, `(${sanitizeText(word)}${hash})`)
  if (!isBegun) throw error
  throw new AppError('PARTIAL', `${error.message}. This machine sent its approval only`, {
    details: { operation: begun.id },
    ...(error.next !== undefined && { next: error.next }),
  })
}

/** Whether the journal has a signature for the swap itself that was not lost. */
const isSentHere = ({ steps }: JournalOperation): boolean =>
  steps.some(
    (step) =>
      step.role === 'action' &&
      !isUnsigned(step) &&
      !['FINAL_REVERTED', 'CANCELLED', 'SUPERSEDED'].includes(step.state),
  )

/** Whether a service knows a transaction of the swap, or says that it is under way or done. */
const isSent = (swap: SwapStatus): boolean =>
  swap.originTxHash !== null || !['pending', 'expired', 'failed'].includes(wordOf(swap))

const sentError = (id: string, how: string): AppError =>
  new AppError(
    'ORDER_USED',
    `The swap of the quote ${sanitizeText(id)} was already sent ${how}, so it is not executed again`,
    { next: sluice('swap status', id) },
  )
