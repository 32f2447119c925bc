import type { Operation } from '../../store/operation.ts'
import { ifAnswered, within } from '../chain/within.ts'
import { countsOf } from '../execution/counts.ts'
import { isInTheAir } from '../execution/run.ts'
import { isAtWork } from '../execution/turn.ts'
import type { Ground } from '../ground.ts'

/** Whether what is signed of an operation is nowhere that can be asked, neither in a block nor waiting, and nobody is at work who would send it again. Silence is no answer. */
export async function isForgotten(
  ground: Ground,
  { id, wallet, legs, steps }: Pick<Operation, 'id' | 'wallet' | 'legs' | 'steps'>,
): Promise<boolean> {
  const { journal } = ground
  const step = steps.find(isInTheAir)
  if (!step || step.nonce === null) return false
  const { chainId } = step.transaction
  const rpc = ground.rpc(chainId)
  const counts = await ifAnswered(within(countsOf({ journal, rpc, chainId, wallet })))
  if (!counts || counts.latest > step.nonce || counts.pending > step.nonce) return false
  const shown = await Promise.all(
    [rpc, ...rpc.peers].flatMap((node) =>
      journal
        .attempts(id, step.index)
        .map(({ hash }) => ifAnswered(within(node.request('eth_getTransactionByHash', [hash])))),
    ),
  )
  const chains = legs.map((leg) => leg.chainId)
  return shown.every((one) => one === null) && !(await isAtWork(ground, wallet, chains))
}
