import type { Inclusion } from '../../store/journal/operation-types.ts'
import { askOtherNodes } from '../ask-all-nodes.ts'
import type { ChainClient } from '../chain-client.ts'
import { type Header, readHeader } from '../head.ts'
import { undefinedIfUnanswered, withTimeout } from '../rpc/timeouts.ts'
import { isInclusionBlock } from './find-mined-transaction.ts'
import { type Disagreement, lookupTimeoutMs } from './quorum.ts'

/**
 * The state of the block in which a step was final. `gone`: replaced, or without the step, by all answering nodes. `disputed`:
 * nodes differ, or `unlike` is not at that height.
 */
type InclusionCheck = { is: 'there' | 'gone' } | { is: 'disputed'; unlike: Disagreement }

/** Reads the block of a final step twice. If both show another block, all other answering endpoints must show that too. */
export async function checkInclusionBlock(
  client: ChainClient,
  inclusion: Pick<Inclusion, 'hash' | 'blockHash' | 'blockNumber'> | null,
): Promise<InclusionCheck> {
  if (!inclusion) return { is: 'there' }
  const { blockNumber } = inclusion
  const look = (node: ChainClient) => undefinedIfUnanswered(readHeader(node, blockNumber))
  const isAnother = (block: Header | null | undefined) =>
    block?.hash !== undefined && !isInclusionBlock(block, inclusion)
  for (let looked = 0; looked < 2; looked++) if (!isAnother(await look(client))) return { is: 'there' }
  const others = await askOtherNodes(client, async (node) => {
    const block = await withTimeout(look(node), lookupTimeoutMs)
    // A client of several nodes names the one that has answered.
    return { host: node.host, block }
  })
  const against = others.filter(({ block }) => block !== undefined && !isAnother(block))
  const [one] = against
  if (!one) return { is: 'gone' }
  const kept = against.find(({ block }) => block?.hash !== undefined)
  // A node that is not at that height lags: it proves neither.
  const unlike = kept
    ? ({ host: client.host, by: kept.host, blockNumber, has: 'another' } as const)
    : ({ host: one.host, by: client.host, blockNumber, has: 'nothing' } as const)
  return { is: 'disputed', unlike }
}
