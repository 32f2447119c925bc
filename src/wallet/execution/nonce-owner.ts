import { sameAddress } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { networkNamed } from '../../domain/network-named.ts'
import type { Rpc } from '../../net/rpc.ts'
import type { Step } from '../../store/operation.ts'
import { agreeMs } from './agreement.ts'
import { isNonceLost } from './finality.ts'
import { followLater } from './finish-step.ts'
import { asStep, type Holder, otherOwner, takeIn } from './foreign/signed-elsewhere.ts'
import { byAuthorisation, seenIfSaid, whoUsed } from './nonce-use.ts'
import { allowanceLeft } from './outcome.ts'
import { current, isClosed, type Run, stepAt } from './run.ts'
import { isNeedless } from './standing.ts'
import { takenWords } from './taken.ts'
import type { Signed } from './verify.ts'

/**
 * Looks who has used the nonce of a step that is in no block; gives whether anybody has. What is the step itself is taken into the
 * journal, and found there by the next look. Another one that has it for good is SUPERSEDED, as soon as what came after it is followed to its
 * end by `follow`; unless what the step was to prepare has happened all the same: then the step is only left behind.
 */
export async function settleNonce(
  run: Run,
  index: number,
  rpc: Rpc,
  follow: (index: number) => Promise<void>,
): Promise<boolean> {
  const { wallet, nonce, fromBlock, transaction } = stepAt(run, index)
  if (nonce === null) return false
  const { journal, operationId } = run
  const use = await whoUsed(rpc, wallet, nonce, { from: fromBlock ?? 0 })
  const by = rpc.host
  forgetTaken(run, stepAt(run, index))
  if (use.is === 'free') return false
  // A node that does not show what has the nonce proves nothing.
  if (use.is === 'unknown') return true
  const hash = use.is === 'used' ? use.transaction.hash : null
  if (hash && (await takeInIfOurs(run, index, rpc, { hash, blockNumber: use.at })) !== 'another') return true
  const { depth } = networkNamed(run.networks, transaction.chainId)
  const owner = hash ?? byAuthorisation(use.at)
  const { deep, unlike } = await isNonceLost(rpc, { at: use.at, hash, by }, depth, agreeMs)
  run.taken = { nonce, by: owner, blockNumber: use.at, ...(unlike && { unlike }) }
  if (!deep) return true
  // What is for good is looked at twice, like what is final.
  const again = await whoUsed(rpc, wallet, nonce, { from: fromBlock ?? 0 })
  const isSame = again.is === use.is && again.at === use.at
  if (!isSame || (again.is === 'used' && again.transaction.hash !== hash)) return true
  await followLater(run, index, follow).catch((error: unknown) => {
    // What came after it may have lost its nonce as well: both are written down, or neither could be planned anew.
    if (!(error instanceof AppError && error.code === 'SUPERSEDED')) throw error
  })
  if (stepAt(run, index).state === 'SIGNED')
    journal.sent(journal.attempts(operationId, index).at(-1)!.hash, 'nonce used by another')
  const why = `nonce ${nonce} was used by ${owner}`
  if (isNeedless(current(run), stepAt(run, index)) || isClosed(current(run))) {
    journal.move(operationId, index, 'SUPERSEDED', owner)
    return true
  }
  journal.supersede(operationId, index, owner, why)
  const left = await allowanceLeft(rpc, current(run), stepAt(run, index))
  const taken = takenWords(run, transaction.chainId, left)
  throw new AppError(
    'SUPERSEDED',
    `Nonce ${nonce} of ${wallet} was used by ${hash ? `another transaction, ${hash}` : owner}${taken}`,
    {
      details: { operation: operationId, hash, nonce, allowance: left ?? null },
      hint: `See what it was; then a new plan: sluice action replan ${operationId}`,
    },
  )
}

/** What has the nonce of a step is not told any more: it is the step itself, or gone. */
export function forgetTaken(run: Run, { nonce }: Step): void {
  if (run.taken?.nonce === nonce) run.taken = undefined
}

/** Takes into the journal what waits in the place of a step and is the step itself: a replacement must cost more than that. */
export async function noteWaiting(run: Run, index: number, rpc: Rpc): Promise<void> {
  const { wallet, nonce } = stepAt(run, index)
  const seen = nonce === null ? undefined : await seenIfSaid(rpc, wallet, nonce)
  if (seen?.hash && !seen.blockNumber)
    await takeInIfOurs(run, index, rpc, { hash: seen.hash, blockNumber: null })
}

/** Takes a transaction under the nonce of a step into the journal, where it is the step itself and no attempt that is known; whose it is. */
async function takeInIfOurs(
  run: Run,
  index: number,
  rpc: Rpc,
  holder: Holder,
): Promise<'ours' | 'another' | undefined> {
  const { journal, operationId } = run
  if (journal.attempts(operationId, index).some(({ hash }) => sameAddress(hash, holder.hash))) return 'ours'
  // To what was given up nothing is added.
  if (isClosed(current(run)) || otherOwner(journal, operationId, holder.hash) !== undefined) return 'another'
  const attempt = await asStep(rpc, stepAt(run, index), holder)
  if (attempt === undefined || attempt === 'another') return attempt
  takeIn(journal, operationId, stepAt(run, index), attempt)
  run.onProgress?.({ kind: 'adopted', step: stepAt(run, index), hash: attempt.hash })
  return 'ours'
}

/** What was mined in the place of a step and is the step itself, where none of its attempts is known by it. */
export async function minedElsewhere(
  rpc: Rpc,
  step: Step,
  attempts: readonly Pick<Signed, 'hash'>[],
): Promise<Signed | undefined> {
  const { wallet, nonce, fromBlock } = step
  if (nonce === null) return undefined
  const use = await whoUsed(rpc, wallet, nonce, { from: fromBlock ?? 0 })
  if (use.is !== 'used') return undefined
  const { hash } = use.transaction
  if (attempts.some((one) => sameAddress(one.hash, hash))) return undefined
  const attempt = await asStep(rpc, step, { hash, blockNumber: use.at })
  return attempt === 'another' ? undefined : attempt
}
