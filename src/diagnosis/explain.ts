import type { FinalityDepth } from '../chain/finality/finality.ts'
import { inclusionOf } from '../chain/finality/find-mined-transaction.ts'
import { AppError } from '../domain/errors.ts'
import { isInFlight } from '../domain/step-state.ts'
import { sanitizeText } from '../domain/text/terminal-sanitizing.ts'
import type { ExecutionContext } from '../planning/execution-context-types.ts'
import type { BitcoinDeposit, Operation, Step } from '../store/journal/operation-types.ts'
import {
  bitcoinDepositOf,
  type DepositSwapStatus,
  recordedStatus,
} from '../transactions/outcome/bitcoin-deposit.ts'
import { gatherFacts } from './facts/gather-facts.ts'
import { type Facts, type StepFacts, withReclaimedSteps } from './facts/operation-facts.ts'
import { contradictionsText, isSettlementContradicted } from './messages/contradicted-settlements.ts'
import { evidenceLines } from './messages/evidence-lines.ts'
import { retryRiskText } from './messages/retry-safety.ts'
import { commandForOperation } from './messages/shared-operation-phrases.ts'
import { operationReport, stateWords } from './report-from-journal.ts'
import { deliveryRules } from './rules/awaited-deliveries.ts'
import { bitcoinEvidence, bitcoinVerdict, isBitcoinSwap } from './rules/bitcoin-deposits.ts'
import { finishedRules, revertedRules } from './rules/finished-operations.ts'
import { waitingRules } from './rules/pending-steps.ts'
import { minedNotFinalRule, unfinishedRules } from './rules/unfinished-operations.ts'
import { unreachableRules } from './rules/unreachable-chains.ts'
import { type DiagnosisRule, neverSafe, type PrintedVerdict, type Verdict } from './verdict.ts'
import { waitingOf } from './waiting.ts'

/** All diagnosis rules, in the order of evaluation. */
const diagnosisRules: readonly DiagnosisRule[] = [
  ...finishedRules,
  ...revertedRules,
  ...unreachableRules,
  ...waitingRules,
  minedNotFinalRule,
  ...deliveryRules,
  ...unfinishedRules,
]

/** The service's report: a text, the delivery hash that it names, and its status of a swap. */
export type ServiceReport = { text: string; delivered: string | null; swap?: DepositSwapStatus | undefined }

/** Explains an operation of the journal. Read-only. JOURNAL_UNREADABLE if the journal was changed. */
export async function explain(
  context: ExecutionContext,
  operation: Operation,
  { serviceReport, depth }: { serviceReport: Promise<ServiceReport>; depth: FinalityDepth | undefined },
): Promise<Verdict> {
  refuseDamaged(context, operation)
  const deposit = bitcoinDepositOf(operation)
  if (deposit) return explainDeposit(context, operation, deposit, await serviceReport)
  const [facts, { text }] = await Promise.all([
    gatherFacts(context, operation, {
      depth,
      reportedHash: serviceReport.then(({ delivered }) => delivered),
    }),
    serviceReport,
  ])
  const now = withReclaimedSteps(facts)
  const { createdAt, finishedAt, transactions } = operationReport(
    { ...facts.operation, steps: now.steps.map(asSeen) },
    context.catalog.networks,
    ({ attempts }) => attempts.at(-1)?.hash ?? null,
    context.journal.events(operation.id),
  )
  return {
    ...verdictOf(now),
    waiting: await waitingOf(context, now),
    createdAt,
    finishedAt,
    transactions,
    evidence: evidenceLines(facts, text),
  }
}

/** Explains an operation that waits for a payment on Bitcoin: by the status of its swap, or where nobody says it by the journal. */
function explainDeposit(
  { journal, catalog }: ExecutionContext,
  asFound: Operation,
  deposit: BitcoinDeposit,
  { text, swap }: ServiceReport,
): Verdict {
  const { id } = asFound
  // What the report shows is recorded.
  const operation = journal.find(id) ?? asFound
  const isSaid = isBitcoinSwap(swap)
  const recorded = recordedStatus(operation, deposit)
  const { createdAt, finishedAt } = operationReport(
    operation,
    catalog.networks,
    () => null,
    journal.events(id),
  )
  return {
    id,
    ...bitcoinVerdict(id, isSaid ? swap : recorded),
    waiting: null,
    createdAt,
    finishedAt,
    transactions: [],
    evidence: [
      { source: 'journal', text: `the action is ${stateWords(operation)}` },
      ...(isSaid ? bitcoinEvidence(swap) : [{ source: 'service' as const, text: sanitizeText(text) }]),
    ],
  }
}

/** A step as its chain shows it now, which the journal may not have recorded yet. */
function asSeen({ step, onChain }: StepFacts): Step {
  const found = onChain?.found
  if (!found || !isInFlight(step)) return step
  const end = found.kind === 'cancel' ? 'CANCELLED' : found.ok ? 'FINAL_OK' : 'FINAL_REVERTED'
  return { ...step, state: found.isDeep ? end : 'INCLUDED', inclusion: inclusionOf(found) }
}

/** The verdict of the first matching rule. */
function verdictOf(facts: Facts): Omit<Verdict, 'evidence'> {
  const row = diagnosisRules.find(({ is }) => is(facts))!
  // A rule that is never safe says so itself, and the successor of an operation speaks for it.
  const mayBeSafe = row.safeToRetry !== neverSafe && facts.successorId === undefined
  const unsafe = mayBeSafe ? retryRiskText(facts) : undefined
  const next = row.next(facts)
  // A revocation is always safe: it pays nobody.
  const isRevoke = next?.command === 'action revoke'
  const isUnclear = unsafe !== undefined || isSettlementContradicted(facts)
  return {
    id: facts.operation.id,
    situation: row.situation,
    verdict: row.verdict(facts) + (unsafe?.text ?? '') + contradictionsText(facts),
    funds: row.funds(facts),
    safeToRetry: row.safeToRetry(facts),
    next:
      (isRevoke ? next : (unsafe?.next ?? next)) ??
      (isUnclear ? commandForOperation(facts, 'explain') : null),
  }
}

function refuseDamaged({ journal }: ExecutionContext, { id, wallet }: Operation): void {
  try {
    journal.verify(id)
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'JOURNAL_UNREADABLE') throw error
    const verdict: PrintedVerdict = {
      id,
      situation: 'JOURNAL_DAMAGED',
      verdict: 'The journal was changed after it was written, so nothing in it can be trusted.',
      funds: `Only the chain shows it: check what ${wallet} sent before you sign anything again.`,
      safeToRetry: false,
      next: null,
      evidence: [{ source: 'journal', text: error.message }],
    }
    throw new AppError('JOURNAL_UNREADABLE', error.message, { details: verdict, cause: error })
  }
}
