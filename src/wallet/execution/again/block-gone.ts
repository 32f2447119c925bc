import { hexQuantity } from '../../../net/quantity.ts'
import type { Rpc } from '../../../net/rpc.ts'
import type { Step } from '../../../store/operation.ts'
import type { Run } from '../run.ts'
import { type Block, isBlockOf, isLocal } from '../watch.ts'

/** Since when a node does not have the block that a step was in, on the monotonic clock; `undefined` where it was not so at the last look. */
type Lacking = { lackingSince: number | undefined }

/** So long, in ms, a node behind an address may lack a block that another one there has shown; after that the chain has become shorter. On this machine it is hardly ever several nodes. */
const lackingMs = { far: 12_000, local: 500 }

/**
 * Whether the block that a step was in is not on the chain any more: there is another one at its height, or it does not have the step in its list, as
 * where a node had invented its receipt. Where nodes share an address, one may not
 * have the block yet, or have it without its receipts, which takes nothing back.
 */
export async function isBlockGone(
  { clock }: Pick<Run, 'clock'>,
  { inclusion }: Step,
  rpc: Rpc,
  watch: Lacking,
): Promise<boolean> {
  if (!inclusion) return true
  const now = await rpc.request<Block | null>('eth_getBlockByNumber', [
    hexQuantity(inclusion.blockNumber),
    false,
  ])
  if (now) {
    watch.lackingSince = undefined
    return !isBlockOf(now, inclusion)
  }
  watch.lackingSince ??= clock.now()
  return clock.now() - watch.lackingSince > lackingMs[isLocal(rpc) ? 'local' : 'far']
}
