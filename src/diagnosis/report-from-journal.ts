import { type TokenAmount, tokenAmount } from '../domain/amount.ts'
import { btc } from '../domain/bitcoin.ts'
import { displayNetwork, type Network } from '../domain/networks.ts'
import type { ActionStatus } from '../domain/swap-outcome.ts'
import type { OperationSummary, StoredPlan } from '../guard/stored-plan.ts'
import type { ExecutionContext } from '../planning/execution-context-types.ts'
import type { JournalEvent, Operation, Step } from '../store/journal/operation-types.ts'
import { statusOfState } from '../store/journal/states.ts'
import { isRefunded, isUnderDelivered, resultOf } from '../transactions/bridge/delivery-result.ts'
import { bitcoinDepositOf } from '../transactions/outcome/bitcoin-deposit.ts'
import { minimumReceived, receivedAmount } from '../transactions/outcome/received-amount.ts'
import { stepTimes } from './step-times.ts'

/** The status of an operation: REFUNDED if its transfer was paid back, else that of its state. */
const reportedStatus = (operation: Operation): ActionStatus =>
  isRefunded(operation) ? 'REFUNDED' : statusOfState[operation.state]

/** What the journal knows of an operation beyond its status. */
const stateDetails: Partial<Record<Operation['state'], string>> = {
  DROPPED: 'closed before it was signed',
  PARTIAL: 'partly done',
  ATTENTION: 'needs a decision',
  CANCELLED: 'cancelled',
}

/** The state of an operation in the words of its status, with what the journal knows beyond it. */
export function stateWords(operation: Operation): string {
  const more = stateDetails[operation.state]
  return `${reportedStatus(operation)}${more === undefined ? '' : ` (${more})`}`
}

/** The transaction status for each step state. */
export const stepStatuses: Readonly<Record<Step['state'], string>> = {
  PLANNED: 'planned',
  RESERVED: 'planned',
  SIGNED: 'pending',
  BROADCAST: 'pending',
  INCLUDED: 'included',
  FINAL_OK: 'confirmed',
  FINAL_REVERTED: 'failed',
  CANCELLED: 'cancelled',
  SUPERSEDED: 'superseded',
}

/** The word of the lists for a state of the journal; a text that is no state stays. */
export function statusWord(state: unknown, of: 'step' | 'action'): unknown {
  const words: Readonly<Record<string, string>> = of === 'step' ? stepStatuses : statusOfState
  return typeof state === 'string' && Object.hasOwn(words, state) ? words[state] : state
}

/** The report of an operation, from the journal alone, so that it is always the same. */
export function operationReport(
  operation: Operation,
  networks: readonly Network[],
  lastHash: (step: Step) => string | null,
  events: readonly JournalEvent[],
) {
  const { about, assurance, intents } = operation.plan as StoredPlan
  const kindOf = ({ role, leg }: Step) =>
    role !== 'action'
      ? role
      : operation.kind === 'deposit' && intents[leg]?.kind === 'swap'
        ? 'bridge'
        : operation.kind
  const isOver =
    operation.state === 'DONE' ||
    operation.state === 'FAILED' ||
    operation.state === 'CANCELLED' ||
    operation.state === 'DROPPED'
  const { short } = isUnderDelivered(operation) ? resultOf(operation) : {}
  const { refund } = isRefunded(operation) ? resultOf(operation) : {}
  const deposit = bitcoinDepositOf(operation)
  const delivered = operation.legs.findLast(({ arrival }) => arrival !== null)?.arrival
  return {
    id: operation.id,
    type: about.type,
    status: reportedStatus(operation),
    strategyId: about.strategyId,
    strategySlug: about.strategySlug,
    originAddress: operation.wallet,
    receiverAddress: about.receiver,
    amounts: reportedAmounts(operation),
    ...(about.queued && { queued: about.queued }),
    transactions: operation.steps.map((step) => ({
      ...transactionOf(step, kindOf(step), displayNetwork(networks, step.transaction.chainId), lastHash),
      ...stepTimes(events, step.index),
    })),
    ...(deposit && {
      deposit: {
        amount: tokenAmount(BigInt(deposit.amount), btc),
        until: new Date(deposit.until).toISOString(),
        hash: deposit.hash,
      },
    }),
    destinationTxHash: delivered?.hash ?? short?.hash ?? null,
    ...(short && { arrivedShort: short }),
    ...(refund && { refund: { ...refund, at: new Date(operation.updated).toISOString() } }),
    createdAt: new Date(operation.created).toISOString(),
    updatedAt: new Date(operation.updated).toISOString(),
    finishedAt: isOver ? new Date(operation.updated).toISOString() : null,
    finality: finalityText(events),
    assurance,
    idempotencyKey: operation.idemKey,
  }
}

/**
 * The amounts in and out: expected until the operation ends, then received; null after a failure; a minimum if the amount is
 * unknown.
 */
export function reportedAmounts(
  operation: Operation,
): OperationSummary['amounts'] & { outAtLeast?: TokenAmount } {
  const { amounts } = (operation.plan as StoredPlan).about
  const { out } = resultOf(operation)
  if (out) return { in: amounts.in, out }
  if (statusOfState[operation.state] === 'FAILED') return { in: amounts.in, out: null }
  if (operation.state !== 'DONE') return amounts
  const least = minimumReceived(operation)
  return { in: amounts.in, out: null, ...(least && { outAtLeast: least }) }
}

/** How the last final step became final, such as `depth 3` or `finalized`; `null` without one. */
const finalityText = (events: readonly Pick<JournalEvent, 'becomes' | 'ref'>[]): string | null =>
  events.findLast(({ becomes }) => becomes.startsWith('FINAL_') || becomes === 'CANCELLED')?.ref ?? null

/** The result of `operationReport`. */
export type Report = ReturnType<typeof operationReport>

function transactionOf(step: Step, kind: string, network: Network, lastHash: (step: Step) => string | null) {
  const hash = step.inclusion?.hash ?? lastHash(step)
  return {
    index: step.index,
    kind: kind,
    text: step.text,
    chainId: network.chainId,
    network: network.name,
    to: step.transaction.to,
    hash,
    nonce: step.nonce,
    status: stepStatuses[step.state],
    blockNumber: step.inclusion?.blockNumber ?? null,
    gasUsed: step.inclusion?.gasUsed.toString() ?? null,
    gasFee: step.inclusion && tokenAmount(step.inclusion.gasUsed * step.inclusion.gasPrice, network.native),
    explorerUrl: network.explorer && hash ? `${network.explorer}/tx/${hash}` : null,
    error: step.state === 'FINAL_REVERTED' ? 'reverted' : null,
  }
}

/** Adds the received amount to the report of a finished operation if the journal lacks it: from the receipt, so always the same. */
export async function withReceivedAmount(
  context: ExecutionContext,
  operation: Operation,
  report: Report,
): Promise<Report> {
  if (operation.state !== 'DONE' || report.amounts.out !== null) return report
  const out = await receivedAmount(context, operation)
  return out ? { ...report, amounts: { in: report.amounts.in, out } } : report
}
