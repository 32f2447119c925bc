import { quantity } from '../../net/quantity.ts'
import type { Leg } from '../../store/operation.ts'
import { readHead } from '../chain/fees.ts'
import { capped } from './capped.ts'
import { noteWaiting } from './nonce-owner.ts'
import { replace } from './replace.ts'
import { current, isInTheAir, type Run } from './run.ts'

/**
 * Puts a transaction that does nothing in the place of all that waits of a leg, the last nonce first: what was approved may be mined
 * before its own cancel is, and must not find the action behind it still there. PENDING where the fee may not be high enough.
 */
export async function cancelWaiting(run: Run, { leg, chainId }: Leg): Promise<void> {
  const waiting = current(run).steps.filter((step) => step.leg === leg && isInTheAir(step))
  if (waiting.length === 0) return
  const rpc = run.rpc(chainId)
  const count = await rpc.request('eth_getTransactionCount', [current(run).wallet, 'latest'])
  const latest = Number(quantity(count, 'the nonce'))
  const head = await readHead(rpc, chainId)
  for (const { index, nonce } of waiting.toReversed()) {
    // What is mined cannot be cancelled, unless its block goes away again: whoever follows it sees to that.
    if (nonce === null || nonce < latest) continue
    run.replaced.add(index)
    await noteWaiting(run, index, rpc)
    if (!(await replace(run, index, 'cancel', head))) throw await capped(run, index, 'cancel', head)
  }
}
