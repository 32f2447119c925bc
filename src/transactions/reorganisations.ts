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
 * Looks whether a step that the journal holds for lost is on the chain after all, as a reorganisation can make it: then the step waits again, to be
 * followed to its end. Gives whether there was one. A node that does not answer, or does not show it, is no proof of anything.
 */
async function regainFound(chains: Chains, operationId: string): Promise<boolean> {
  const found = await rediscoveredSteps(chains, operationId)
  return found.length > 0 && chains.journal.reclaimNonces(operationId, found, 'it is on the chain')
}

/** The steps that the journal holds for lost and of which an attempt is on the chain, by their indexes. Nothing is written. */
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

const final: readonly Step['state'][] = ['FINAL_OK', 'FINAL_REVERTED', 'CANCELLED']

/**
 * Looks whether the chains still say what the journal holds for settled, and opens the operation again where they do not: `gone` where a
 * final block is not there any more, `found` where what was taken for lost is there.
 */
export async function reopenContradicted(
  chains: Chains,
  operationId: string,
): Promise<'gone' | 'found' | undefined> {
  if (await reopenReorganised(chains, operationId)) return 'gone'
  return (await regainFound(chains, operationId)) ? 'found' : undefined
}

/**
 * Looks whether the blocks in which steps became final are still on their chain. A reorganisation that was deeper than
 * what counted as final opens the operation again; gives whether it did. A node that does not answer, or does not have
 * that height, is no proof of anything, nor is one alone where others have the block.
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

/** The steps of an operation that were final in blocks that are not on their chains any more. */
export async function reorganisedSteps(rpc: (chainId: number) => Rpc, { steps }: Operation): Promise<Step[]> {
  const gone: Step[] = []
  for (const step of steps)
    if (final.includes(step.state)) {
      const kept = await checkInclusionBlock(rpc(step.transaction.chainId), step)
      if (kept.is === 'gone') gone.push(step)
    }
  return gone
}

/** What became of the block in which a step was final: nothing; it is gone, or has the step not in its list, as all endpoints show that answer; or one of them has another one there, and not all do, be it that `unlike` has none so high. */
type Kept = { is: 'there' | 'gone' } | { is: 'disputed'; unlike: Disagreement }

/** Two looks that both show another block at the height of a step that was final; then whoever else answers must show that, too. */
export async function checkInclusionBlock(rpc: Rpc, { inclusion }: Pick<Step, 'inclusion'>): Promise<Kept> {
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
  // Who has no block so high is behind, and shows neither that this one is gone nor that it is there.
  const unlike = kept
    ? ({ host: rpc.host, by: kept.peer.host, blockNumber, has: 'another' } as const)
    : ({ host: one.peer.host, by: rpc.host, blockNumber, has: 'nothing' } as const)
  return { is: 'disputed', unlike }
}
