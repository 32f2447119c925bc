import type { ChainClient } from '../../chain/chain-client.ts'
import { findAttempt } from '../../chain/finality/find-mined-transaction.ts'
import { checkInclusionBlock } from '../../chain/finality/inclusion-check.ts'
import { undefinedIfUnanswered } from '../../chain/rpc/timeouts.ts'
import type {
  NonceJournal,
  OperationJournal,
  ReorgJournal,
  StepJournal,
} from '../../store/journal/journal-interface.ts'
import type { Operation, Step } from '../../store/journal/operation-types.ts'
import { activeSteps } from '../steps/active-steps.ts'

type Chains = {
  journal: OperationJournal & StepJournal & NonceJournal & ReorgJournal
  rpc: (chainId: number) => ChainClient
}

/**
 * Returns superseded steps to pending if a reorganisation put them on the chain after all; returns whether there was
 * one. A node that does not answer proves nothing.
 */
async function reclaimRediscovered(chains: Chains, operationId: string): Promise<boolean> {
  const found = await rediscoveredSteps(chains, operationId)
  return found.length > 0 && chains.journal.reclaimNonces(operationId, found, 'it is on the chain')
}

/** Returns the indexes of superseded steps with an attempt on the chain. Read-only. */
export async function rediscoveredSteps({ journal, rpc }: Chains, operationId: string): Promise<number[]> {
  const operation = journal.find(operationId)
  if (operation?.state !== 'ATTENTION') return []
  const found: number[] = []
  for (const step of activeSteps(operation)) {
    const { state, nonce, wallet, index, transaction } = step
    if (state !== 'SUPERSEDED' || nonce === null) continue
    if (journal.nonceHolder(transaction.chainId, wallet, nonce)) continue
    if (await undefinedIfUnanswered(findAttempt(rpc(transaction.chainId), step, step.attempts)))
      found.push(index)
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
 * Checks whether the blocks of final steps are still canonical. A reorganisation deeper than the finality depth
 * reopens the operation; returns whether it did. A node that does not answer or lacks that height proves nothing, nor
 * does one node against others that have the block.
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

/** Returns the final steps whose blocks are no longer canonical. */
export async function reorganisedSteps(
  rpc: (chainId: number) => ChainClient,
  { steps }: Operation,
): Promise<Step[]> {
  const gone: Step[] = []
  for (const step of steps)
    if (finalStates.includes(step.state)) {
      const kept = await checkInclusionBlock(rpc(step.transaction.chainId), step.inclusion)
      if (kept.is === 'gone') gone.push(step)
    }
  return gone
}
