import { disagreementText } from '../../chain/finality/quorum.ts'
import { writtenAmount } from '../../domain/amount.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import { sendAnswerText } from '../../store/journal/send-answer.ts'
import { sendErrorOf } from '../../transactions/steps/send-errors.ts'
import type { Facts, StepFacts } from '../facts/operation-facts.ts'
import { stateWords, stepStatuses } from '../report-from-journal.ts'
import type { EvidenceLine } from '../verdict.ts'
import { gweiText } from './shared-operation-phrases.ts'

/** What journal, chain and bridge said, line by line. */
export function evidenceLines(facts: Facts, service: string): EvidenceLine[] {
  const { operation, chains, bridge } = facts
  const journal = [
    `the action is ${stateWords(operation)}${operation.exit === null ? '' : `, exit ${operation.exit}`}`,
    ...facts.steps.map((step) => stepLine(step, operation.steps.length)),
  ]
  const chain = [
    ...[...chains.values()].map((one) =>
      one.is === 'there'
        ? `${one.network.name} is at block ${one.head.number}, base fee ${gweiText(one.head.baseFee)}`
        : `${one.network.name}: ${one.why}`,
    ),
    ...facts.steps.flatMap(onChainLines),
    ...(facts.remainingAllowances ?? []).map(
      ({ spender, amount, network }) =>
        `${spender} has an allowance of ${writtenAmount(amount)} ${amount.symbol} on ${network}`,
    ),
    ...(bridge?.delivered
      ? [`${bridge.delivered.hash} delivered ${bridge.delivered.text} on ${bridge.to.name}`]
      : []),
  ]
  const said = [
    service,
    ...(bridge?.unanswered ? [`${bridge.unanswered} gave no usable answer about ${bridge.burn}`] : []),
    ...(bridge?.isUnknown ? [`the attestation service of the bridge does not know ${bridge.burn}`] : []),
    ...(bridge === undefined || bridge.isAttested === undefined
      ? []
      : [`the bridge has ${bridge.isAttested ? '' : 'not '}attested ${bridge.burn}`]),
  ]
  const from = (source: EvidenceLine['source'], texts: readonly string[]): EvidenceLine[] =>
    texts.map((text) => ({ source, text: sanitizeText(text) }))
  return [...from('journal', journal), ...from('chain', chain), ...from('service', said)]
}

function stepLine({ step, attempts, network }: StepFacts, of: number): string {
  const nonce = step.nonce === null ? '' : `, nonce ${step.nonce}`
  const sent =
    attempts.length === 0 ? 'not signed' : `${attempts.length} signed, last ${attempts.at(-1)!.hash}`
  const answer = attempts.at(-1)?.lastAnswer
  const said = answer
    ? `, the node said: ${sendErrorOf(attempts.at(-1))?.words ?? sendAnswerText(answer)}`
    : ''
  const block = step.inclusion === null ? '' : `, block ${step.inclusion.blockNumber}`
  return `step ${step.index + 1} of ${of} (${step.role} on ${network.name}) is ${stepStatuses[step.state]}${nonce}${block}: ${sent}${said}`
}

function onChainLines({ step, attempts, onChain }: StepFacts): string[] {
  if (!onChain) return []
  const { found, waiting, withoutReceipt, owner, isGone, disputed, reason } = onChain
  const hash = attempts.at(-1)!.hash
  const clues = isGone ? [`block ${step.inclusion?.blockNumber} has another hash than before`] : []
  if (disputed) clues.push(disagreementText(disputed))
  if (found)
    clues.push(
      `${found.hash} ${found.ok ? 'succeeded' : 'reverted'} in block ${found.blockNumber}, ${found.confirmations} deep${reason === null ? '' : `: ${reason}`}`,
    )
  else if (waiting) clues.push(`${waiting} is pending in the mempool`)
  else if (withoutReceipt)
    clues.push(
      `the node shows ${withoutReceipt.hash} in block ${withoutReceipt.blockNumber}, without a receipt`,
    )
  else clues.push(`the node does not know ${hash}`)
  if (owner)
    clues.push(
      `${owner.hash} has the nonce ${step.nonce}${owner.blockNumber === null ? ', in no block' : ` in block ${owner.blockNumber}`}${owner.unlike ? `; ${disagreementText(owner.unlike)}` : ''}`,
    )
  if (!found) clues.push(`the next nonce of ${step.wallet} is ${onChain.latest}`)
  return clues
}
