import { type Disagreement, disagreementHint, disagreementText } from '../../chain/finality/quorum.ts'
import { type Network, rpcVariable } from '../../domain/networks.ts'
import { isInFlight } from '../../domain/step-state.ts'
import type { Facts, StepFacts } from '../facts/operation-facts.ts'

/** What the chains contradict of a settled step, as a sentence; `undefined` if nothing. */
function contradictionOf({ step, network, onChain }: StepFacts): string | undefined {
  if (!onChain || onChain.isGone || isInFlight(step)) return undefined
  const { waiting, lacksBlock, found } = onChain
  const disputed = onChain.disputed ?? found?.unlike
  if (disputed) return `${disputedText(disputed, network)}${waiting ? ` ${againWaits(waiting)}` : ''}`
  if (waiting) return againWaits(waiting)
  return lacksBlock
    ? `The node of ${network.name} does not have block ${step.inclusion?.blockNumber}, which contained it.`
    : undefined
}

/** The sentence for nodes that differ on a final step, with what to do. */
function disputedText(unlike: Disagreement, network: Network): string {
  const { host, by, blockNumber, has } = unlike
  const text =
    has === 'nothing'
      ? `${by} has another block ${blockNumber} than the one that contained it, and ${host} has no block of that height`
      : disagreementText(unlike)
  return `${text}. ${disagreementHint(unlike, rpcVariable(network))}.`
}

const againWaits = (hash: string): string =>
  `Its transaction ${hash} is pending again and can still be mined.`

/** Whether a settled step may come undone: the chain shows a pending attempt of it, or does not surely show its block. */
export const isSettlementContradicted = ({ steps }: Pick<Facts, 'steps'>): boolean =>
  steps.some((one) => contradictionOf(one) !== undefined)

/** The contradictions as following sentences. */
export const contradictionsText = ({ steps }: Pick<Facts, 'steps'>): string =>
  steps
    .map((one) => contradictionOf(one) ?? '')
    .reduce((all, one) => (one === '' ? all : `${all} ${one}`), '')
