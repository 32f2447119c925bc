import { hexQuantity } from '../chain/rpc/answer-numbers.ts'
import type { Rpc } from '../chain/rpc/rpc.ts'
import { undefinedIfUnanswered, withTimeout } from '../chain/rpc/timeouts.ts'
import type { Operation, Step } from '../store/journal/operation.ts'
import type { NonceJournal, OperationJournal, ReorgJournal, StepJournal } from '../store/journal/types.ts'
import { type Block, findAttempt, isInclusionBlock } from './confirmation/find-transaction.ts'
import { type Disagreement, lookupTimeoutMs } from './confirmation/quorum.ts'
import { activeSteps } from './operations/active-steps.ts'

type Chains = {
  journal: OperationJournal & StepJournal & NonceJournal & ReorgJournal
  rpc: (chainId: number) => Rpc
}

/**
 * Returns superseded steps that a reorganisation put on the chain after all to pending, to be followed. Returns whether there was
 * one. A node that does not answer proves nothing.
 */
async function reclaimRediscovered(chains: Chains, operationId: string): Promise<boolean> {
  const found = await rediscoveredSteps(chains, operationId)
  return found.length > 0 && chains.journal.reclaimNonces(operationId, found, 'it is on the chain')
}

/** The indexes of superseded steps of which an attempt is on the chain. Read-only. */
export async function rediscoveredSteps({ journal, rpc }: Chains, operationId: string): Promise<number[]> {
  const operation = journal.find(operationId)
  if (operation?.state !== 'ATTENTION') return []
  const found: number[] = []
  for (const step of activeSteps(operation)) {
    const { state, nonce, wallet, index, transaction } = step
    if (state !== 'SUPERSEDED' || nonce === null) continue
    if (journal.nonceHolder(transaction.chainId, wallet, nonce)) continue
    const attempts = journal.attempts(operationId, index)
    if (await undefinedIfUnanswered(findAttempt(rpc(transaction.chainId), step, attempts))) found.push(index)
  }
  return found
}

const finalStates: readonly Step['state'][] = ['FINAL_OK', 'FINAL_REVERTED', 'CANCELLED']

/**
 * Compares settled steps with the chains and reopens the operation on a contradiction: `gone` if a final block left the chain,
 * `found` if a superseded step is on it.
 */
export async function reopenContradicted(
  chains: Chains,
  operationId: string,
): Promise<'gone' | 'found' | undefined> {
  if (await reopenReorganised(chains, operationId)) return 'gone'
  return (await reclaimRediscovered(chains, operationId)) ? 'found' : undefined
}

/**
 * Checks whether the blocks of final steps are still canonical. A reorganisation deeper than the finality depth reopens the
 * operation; returns whether it did. A node that does not answer, or is not at that height, proves nothing, nor does one node
 * against others that have the block.
 */
export async function reopenReorganised(
  { journal, rpc }: Pick<Chains, 'rpc'> & { journal: OperationJournal & ReorgJournal },
  operationId: string,
): Promise<boolean> {
  const operation = journal.find(operationId)
  if (!operation || operation.state === 'DROPPED') return false
  if (operation.state === 'CANCELLED' && operation.exit !== 24) return false
  const gone = await reorganisedSteps(rpc, operation)
  if (gone.length === 0) return false
  journal.reopenSteps(
    operationId,
    gone.map(({ index }) => index),
    'a deep reorganisation took its block away',
  )
  return true
}

/** The steps that were final in blocks that are no longer canonical. */
export async function reorganisedSteps(rpc: (chainId: number) => Rpc, { steps }: Operation): Promise<Step[]> {
  const gone: Step[] = []
  for (const step of steps)
    if (finalStates.includes(step.state)) {
      const kept = await checkInclusionBlock(rpc(step.transaction.chainId), step)
      if (kept.is === 'gone') gone.push(step)
    }
  return gone
}

/**
 * The state of the block in which a step was final. `gone`: replaced, or without the step, by all answering endpoints. `disputed`:
 * endpoints differ, or `unlike` is not at that height.
 */
type InclusionCheck = { is: 'there' | 'gone' } | { is: 'disputed'; unlike: Disagreement }

/** Reads the block of a final step twice. If both show another block, all other answering endpoints must show that too. */
export async function checkInclusionBlock(
  rpc: Rpc,
  { inclusion }: Pick<Step, 'inclusion'>,
): Promise<InclusionCheck> {
  if (!inclusion) return { is: 'there' }
  const { blockNumber } = inclusion
  const look = (node: Rpc) =>
    undefinedIfUnanswered(
      node.request<Block | null>('eth_getBlockByNumber', [hexQuantity(blockNumber), false]),
    )
  const isAnother = (block: Block | null | undefined) =>
    block?.hash !== undefined && !isInclusionBlock(block, inclusion)
  for (let looked = 0; looked < 2; looked++) if (!isAnother(await look(rpc))) return { is: 'there' }
  const others = await Promise.all(
    rpc.peers.map(async (peer) => ({ peer, block: await withTimeout(look(peer), lookupTimeoutMs) })),
  )
  const against = others.filter(({ block }) => block !== undefined && !isAnother(block))
  const [one] = against
  if (!one) return { is: 'gone' }
  const kept = against.find(({ block }) => block?.hash !== undefined)
  // An endpoint that is not at that height lags: it proves neither.
  const unlike = kept
    ? ({ host: rpc.host, by: kept.peer.host, blockNumber, has: 'another' } as const)
    : ({ host: one.peer.host, by: rpc.host, blockNumber, has: 'nothing' } as const)
  return { is: 'disputed', unlike }
}
