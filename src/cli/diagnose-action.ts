import { withTimeout } from '../chain/rpc/timeouts.ts'
import { explain, type ServiceReport } from '../diagnosis/explain.ts'
import { type PrintedVerdict, verdictDocument } from '../diagnosis/verdict.ts'
import { AppError } from '../domain/errors.ts'
import { wordOf } from '../domain/swap-outcome.ts'
import { commandLine } from '../domain/text/next-step.ts'
import { quoteIds, type StoredPlan } from '../guard/stored-plan.ts'
import type { ExecutionContext, JournalOperation } from '../planning/execution-context-types.ts'
import type { Cli } from './command-run-types.ts'
import { serviceSwapStatus } from './signing-flow/quotes/swap-status-from-service.ts'
import { recordDeposit } from './signing-flow/record-chain-results.ts'

/**
 * Diagnoses an action of the journal for evidence. Also works on a damaged journal; `null` if neither
 * service nor chain answers.
 */
export async function verdictFor(
  cli: Cli,
  context: ExecutionContext,
  operation: JournalOperation,
): Promise<PrintedVerdict | null> {
  try {
    return verdictDocument(
      await explain(context, operation, {
        serviceReport: serviceReportOf(cli, context, operation),
        depth: undefined,
      }),
      // The file is for another machine, which may have other profiles.
      commandLine,
    )
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    // Evidence is wanted most where things are not as they should be: the rest of it does not need an answer.
    return error.code === 'JOURNAL_UNREADABLE' ? (error.details as PrintedVerdict) : null
  }
}

/**
 * Asks the service for its status of an action, and records what that shows of its deposit. A service that does not answer in time is
 * left out.
 */
export async function serviceReportOf(
  cli: Cli,
  context: ExecutionContext,
  operation: JournalOperation,
): Promise<ServiceReport> {
  const { id, plan } = operation
  // The bridge of a deposit has a quote of its own.
  const quotes = plan ? quoteIds(plan as StoredPlan) : []
  const service = await cli.service()
  const [known, swap] = await Promise.all([
    asked(service.getAction({ id }), (action) => `the service reports ${wordOf(action)}`),
    asked(serviceSwapStatus(cli, quotes.length > 0 ? quotes : [id]), (swap) =>
      [`the swap is ${swap && wordOf(swap)}`, ...(swap?.note === undefined ? [] : [swap.note])].join('. '),
    ),
  ])
  if (swap.answer) recordDeposit(cli, context, operation, swap.answer)
  const texts = swap.answer ? [known.text, swap.text] : [known.text]
  return { text: texts.join(', '), delivered: swap.answer?.destinationTxHash ?? null, swap: swap.answer }
}

async function asked<T>(
  work: Promise<T>,
  say: (answer: T) => string,
): Promise<{ answer: T | undefined; text: string }> {
  try {
    const answer = await withTimeout(work)
    return { answer, text: answer === undefined ? 'the service does not answer' : say(answer) }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const isUnknown = error.code === 'ACTION_NOT_FOUND' || error.code === 'NOT_FOUND'
    return {
      answer: undefined,
      text: isUnknown ? 'unknown to the service' : `the service failed to answer: ${error.message}`,
    }
  }
}
