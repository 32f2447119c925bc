import { type Network, rpcVariable } from '../../domain/networks.ts'
import {
  type Disagreement,
  disagreementHint,
  disagreementText,
} from '../../transactions/confirmation/quorum.ts'
import { type Facts, isInFlight, type StepFacts } from '../facts/facts.ts'

/** What the chains do not bear out of a step that is settled in the journal, as a sentence; nothing where they do, or say nothing of it. */
function doubtOf({ step, network, onChain }: StepFacts): string | undefined {
  if (!onChain || onChain.isGone || isInFlight(step)) return undefined
  const { waiting, lacksBlock, found } = onChain
  const disputed = onChain.disputed ?? found?.unlike
  if (disputed) return `${disputedText(disputed, network)}${waiting ? ` ${againWaits(waiting)}` : ''}`
  if (waiting) return againWaits(waiting)
  return lacksBlock
    ? `The node of ${network.name} does not have block ${step.inclusion?.blockNumber}, in which it was.`
    : undefined
}

/** That an endpoint has another block where a step was final, and what to do. */
function disputedText(unlike: Disagreement, network: Network): string {
  const { host, by, blockNumber, has } = unlike
  const text =
    has === 'nothing'
      ? `${by} has another block ${blockNumber} than the one that it was in, and ${host} has none so high`
      : disagreementText(unlike)
  return `${text}. ${disagreementHint(unlike, rpcVariable(network))}.`
}

const againWaits = (hash: string): string => `${hash} of it waits again, so that it may still be mined.`

/** Whether what is settled in the journal may come undone, as a chain shows something of it that waits, or does not surely show that it is there. */
export const isSettlementUncertain = ({ steps }: Pick<Facts, 'steps'>): boolean =>
  steps.some((one) => doubtOf(one) !== undefined)

/** The same in words, as sentences that follow another one. */
export const uncertaintyText = ({ steps }: Pick<Facts, 'steps'>): string =>
  steps.map((one) => doubtOf(one) ?? '').reduce((all, one) => (one === '' ? all : `${all} ${one}`), '')
