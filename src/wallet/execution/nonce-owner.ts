import { sameAddress } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { networkNamed } from '../../domain/network-named.ts'
import type { Rpc } from '../../net/rpc.ts'
import type { Attempt, Step } from '../../store/operation.ts'
import { ifAnswered, within } from '../chain/within.ts'
import { agreeMs } from './agreement.ts'
import { deepBlock } from './deep.ts'
import { isNonceLost, wantedOf } from './finality.ts'
import { followLater } from './finish-step.ts'
import { latestNonce, type NonceUse, unnamed, whoUsed } from './nonce-use.ts'
import { allowanceLeft } from './outcome.ts'
import { current, isClosed, type Run, stepAt } from './run.ts'
import { isNeedless } from './standing.ts'
import { takenWords } from './taken.ts'
import { findStep } from './watch.ts'

/**
 * Looks whether the nonce of a step that is in no block is used; gives whether it is. What is not an attempt of this journal and has it for good
 * is SUPERSEDED, as soon as what came after the step is followed to its end by `follow`; unless what the step was to prepare has happened all
 * the same: then the step is only left behind. An attempt of the step is found by the next look.
 */
export async function settleNonce(
  run: Run,
  index: number,
  rpc: Rpc,
  follow: (index: number) => Promise<void>,
): Promise<boolean> {
  const step = stepAt(run, index)
  const { wallet, nonce, transaction } = step
  if (nonce === null) return false
  const { journal, operationId } = run
  forgetTaken(run, step)
  const look = () => whoUsed(rpc, wallet, nonce)
  const use = await look()
  if (use.is === 'free') return false
  const attempts = journal.attempts(operationId, index)
  const hash = use.is === 'used' ? use.hash : null
  if (hash && attempts.some((attempt) => sameAddress(attempt.hash, hash))) return true
  const owner = hash ?? unnamed
  const { deep, unlike } = await lostBy(run, rpc, step, attempts, use)
  run.taken = { nonce, by: owner, blockNumber: use.is === 'used' ? use.at : null, ...(unlike && { unlike }) }
  // What is for good is looked at twice, like what is final.
  if (!deep || !isSameUse(use, await look())) return true
  if (!hash && !(await lostBy(run, rpc, step, attempts, use)).deep) return true
  await followLater(run, index, follow).catch((error: unknown) => {
    // What came after it may have lost its nonce as well: both are written down, or neither could be planned anew.
    if (!(error instanceof AppError && error.code === 'SUPERSEDED')) throw error
  })
  if (stepAt(run, index).state === 'SIGNED') journal.sent(attempts.at(-1)!.hash, 'nonce used by another')
  if (isNeedless(current(run), stepAt(run, index)) || isClosed(current(run))) {
    journal.move(operationId, index, 'SUPERSEDED', owner)
    return true
  }
  journal.supersede(operationId, index, owner, `nonce ${nonce} was used by ${owner}`)
  const left = await allowanceLeft(rpc, current(run), stepAt(run, index))
  const taken = takenWords(run, transaction.chainId, left)
  throw new AppError(
    'SUPERSEDED',
    `Nonce ${nonce} of ${wallet} was used by ${hash ? `another transaction, ${hash}` : `${owner}, and no endpoint has a receipt of this one`}${taken}`,
    {
      details: { operation: operationId, hash, nonce, allowance: left ?? null },
      hint: `See what it did${hash ? `: sluice action explain ${hash}` : ''}; then a new plan: sluice action replan ${operationId}`,
    },
  )
}

const isSameUse = (a: NonceUse, b: NonceUse): boolean =>
  a.is === 'used' ? b.is === 'used' && a.hash === b.hash && a.at === b.at : a.is === b.is

/**
 * Whether a nonce is used for good: by a named transaction in a final block; or, where none is named, by what all endpoints that answer count in
 * their final blocks, while none of them has a receipt of the step.
 */
async function lostBy(
  { networks }: Run,
  rpc: Rpc,
  { wallet, nonce, transaction }: Step,
  attempts: readonly Attempt[],
  use: NonceUse,
): Promise<Pick<Awaited<ReturnType<typeof isNonceLost>>, 'deep' | 'unlike'>> {
  const { depth } = networkNamed(networks, transaction.chainId)
  if (use.is === 'used') return isNonceLost(rpc, { at: use.at, hash: use.hash, by: rpc.host }, depth, agreeMs)
  const { wanted, usual } = wantedOf(depth, undefined)
  const isLost = async (node: Rpc): Promise<boolean> =>
    (await latestNonce(node, wallet, await deepBlock(node, wanted, usual))) > nonce! &&
    !(await findStep(node, { wallet }, attempts))
  const said = await Promise.all([rpc, ...rpc.peers].map((node) => ifAnswered(within(isLost(node), agreeMs))))
  return { deep: said.includes(true) && !said.includes(false) }
}

/** What has the nonce of a step is not told any more: it is the step itself, or gone. */
export function forgetTaken(run: Run, { nonce }: Step): void {
  if (run.taken?.nonce === nonce) run.taken = undefined
}
