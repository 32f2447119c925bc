import { formatUnits } from 'viem/utils'

import { AppError } from '../../domain/errors.ts'
import { currentFees, type Head, roundedUp } from '../chain/fees.ts'
import { refusalOf } from './refused.ts'
import { gasFor } from './replace.ts'
import { type Run, stepAt } from './run.ts'
import { inSendingOrder, replacementFees } from './stuck.ts'

/** That a replacement needs a higher fee than it may have, and what would do: a number that can be pasted, or another policy. */
export async function capped(
  run: Run,
  index: number,
  kind: 'bump' | 'cancel',
  head: Head,
): Promise<AppError> {
  const { operationId: id } = run
  const step = stepAt(run, index)
  const before = run.journal.attempts(id, index)
  const market = await currentFees(run.rpc(step.transaction.chainId), head)
  const refused = refusalOf(inSendingOrder(before)[0])
  const enough = roundedUp(replacementFees(before, market, undefined)!.maxFeePerGas)
  const cap = run.feeCap?.(step, await gasFor(run, index, kind), kind, enough) ?? undefined
  const isPolicy = cap !== undefined && cap < enough
  const again = kind === 'cancel' ? `sluice action cancel ${id} --yes` : `sluice action speed-up ${id}`
  return new AppError(
    'PENDING',
    `A higher fee is needed than ${isPolicy ? 'the policy allows' : 'the plan or --max-fee allows'}; ${refused ? `when what is signed was sent, the node refused it: ${refused.words}` : 'what was sent before still waits'}`,
    {
      details: { operation: id, ...(refused && { refused: refused.words }) },
      hint: isPolicy
        ? `Somebody who may change the policy has to decide; to follow what was sent: sluice action resume ${id}`
        : `${again} --max-fee ${formatUnits(enough, 9)}`,
    },
  )
}
