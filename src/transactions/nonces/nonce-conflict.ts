import type { ChainClient } from '../../chain/chain-client.ts'
import { checkNonceLost, latestFinalBlock, requiredDepth } from '../../chain/finality/finality.ts'
import { findAttempt } from '../../chain/finality/find-mined-transaction.ts'
import { allNodesConfirm, quorumTimeoutMs } from '../../chain/finality/quorum.ts'
import { readNonceCount } from '../../chain/nonce-count.ts'
import { type Hex, sameAddress } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { networkNamed } from '../../domain/networks.ts'
import { isUnsigned } from '../../domain/step-state.ts'
import { sluice } from '../../domain/text/next-step.ts'
import type { StoredPlan } from '../../guard/stored-plan-types.ts'
import type { ExecutionContext } from '../../planning/execution-context-types.ts'
import type { Attempt, JournalEvent, Operation, Step } from '../../store/journal/operation-types.ts'
import { activeSteps, isObsolete } from '../operations/active-steps.ts'
import { remainingAllowance, remainingAllowanceText } from '../outcome/left-allowance.ts'
import { outcomeOf } from '../outcome/outcome.ts'
import { confirmLaterSteps, currentOperation, isClosed, type Run, stepAt } from '../run-state.ts'
import { findNonceUse, type NonceUse, unnamedTransaction } from './nonce-use.ts'

/**
 * Refuses to continue if a foreign transaction used the nonce of an active step and no new plan was made since: the rest was
 * planned for a step that never happened. The operation needs a decision again.
 */
export function refuseNonceConflict(run: Run): void {
  const events = run.journal.events(run.operationId)
  const planned = events.findLast(({ kind }) => kind === 'planned' || kind === 'replanned')?.seq ?? 0
  const counts = new Set(
    activeSteps(currentOperation(run)).flatMap(({ state, index }) => (state === 'SUPERSEDED' ? [index] : [])),
  )
  const lost = events.findLast(
    ({ seq, becomes, index }) =>
      becomes === 'SUPERSEDED' && index !== null && seq > planned && counts.has(index),
  )
  if (!lost) return
  run.journal.settle(run.operationId, 'ATTENTION', `its nonce was used by ${lost.why}`, 23)
  outcomeOf(currentOperation(run))
}

/** Returns the transaction that used the nonce of a step, by the audit trail; `undefined` if none was named. */
export function supersedingHash(
  events: readonly JournalEvent[],
  { index, state }: Pick<Step, 'index' | 'state'>,
): Hex | undefined {
  const lost = events.findLast((event) => event.index === index && event.kind === 'superseded')
  return state === 'SUPERSEDED' && lost?.ref ? (lost.ref as Hex) : undefined
}

/** Transactions of a wallet on a chain that the journal does not know. */
type ForeignTransactions = { chainId: number; count: number }

/**
 * Finds the first chain with unsigned steps on which the wallet sent transactions that the journal does not know,
 * beyond those from before the plan: the wallet was used on another machine, or the journal is an older copy.
 */
export async function findForeignTransactions(
  context: ExecutionContext,
  operation: Operation,
): Promise<ForeignTransactions | undefined> {
  const left = activeSteps(operation).filter(
    (step) => step.role === 'action' && (isUnsigned(step) || step.state === 'SUPERSEDED'),
  )
  for (const chainId of new Set(left.map(({ transaction }) => transaction.chainId))) {
    const count = await foreignCount(context, operation, chainId)
    if (count > 0) return { chainId, count }
  }
  return undefined
}

async function foreignCount(
  { rpc, journal }: ExecutionContext,
  { wallet, steps, legs, plan }: Operation,
  chainId: number,
): Promise<number> {
  const planned = legs[0]?.chainId === chainId ? (plan as Partial<StoredPlan> | null)?.walletNonce : undefined
  const next = journal.nextNonce(chainId, wallet)
  // A journal that has signed nothing there, and has no count from planning, cannot know.
  if (next === 0 && planned === undefined) return 0
  const lost = steps.flatMap(({ state, nonce, transaction }) =>
    state === 'SUPERSEDED' && nonce !== null && transaction.chainId === chainId ? [nonce + 1] : [],
  )
  const count = await readNonceCount(rpc(chainId), wallet)
  return Math.max(0, count - Math.max(next, planned ?? 0, ...lost))
}

/**
 * Checks whether the nonce of a step that is in no block is used, and returns that. If a transaction outside this
 * journal used it finally, the step becomes SUPERSEDED, after `follow` has followed the later steps to their end; an
 * obsolete step is superseded without an error. The next look finds the step's own attempts. `mined` is the wallet's
 * nonce count from the last look.
 */
export async function resolveNonceConflict(
  run: Run,
  index: number,
  rpc: ChainClient,
  { follow, mined }: { follow: (index: number) => Promise<void>; mined?: number | undefined },
): Promise<boolean> {
  const step = stepAt(run, index)
  const { wallet, nonce, transaction } = step
  if (nonce === null) return false
  const { journal, operationId } = run
  clearNonceConflict(run, step)
  const use = await findNonceUse(rpc, wallet, nonce, mined)
  if (use.is === 'free') return false
  const attempts = journal.attempts(operationId, index)
  const hash = use.is === 'used' ? use.hash : null
  if (hash && attempts.some((attempt) => sameAddress(attempt.hash, hash))) return true
  const owner = hash ?? unnamedTransaction
  const { deep, unlike } = await checkUseFinality(run, rpc, step, attempts, use)
  run.nonceConflict = {
    nonce,
    by: owner,
    blockNumber: use.is === 'used' ? use.at : null,
    ...(unlike && { unlike }),
  }
  // A final decision takes two equal looks.
  if (!deep || !isSameUse(use, await findNonceUse(rpc, wallet, nonce))) return true
  if (!hash && !(await checkUseFinality(run, rpc, step, attempts, use)).deep) return true
  await confirmLaterSteps(run, index, follow).catch((error: unknown) => {
    // The later step may have lost its nonce too. Both are recorded, or neither could be planned again.
    if (!(error instanceof AppError && error.code === 'SUPERSEDED')) throw error
  })
  if (stepAt(run, index).state === 'SIGNED')
    journal.recordSent(attempts.at(-1)!.hash, 'nonce used by another')
  if (isObsolete(currentOperation(run), stepAt(run, index)) || isClosed(currentOperation(run))) {
    journal.moveStep(operationId, index, 'SUPERSEDED', owner, undefined, hash)
    return true
  }
  journal.supersede(operationId, index, owner, `nonce ${nonce} was used by ${owner}`, hash)
  const left = await remainingAllowance(rpc, currentOperation(run), stepAt(run, index))
  const taken = remainingAllowanceText(run, transaction.chainId, left)
  throw new AppError(
    'SUPERSEDED',
    `Nonce ${nonce} of ${wallet} was used by ${hash ? `another transaction, ${hash}` : `${owner}; no node has a receipt of this one`}${taken}`,
    {
      details: { operation: operationId, hash, nonce, allowance: left ?? null },
      // Another machine may have sent the same payment: what was sent comes first.
      next: hash ? sluice('action explain', hash) : sluice('action explain', operationId),
    },
  )
}

const isSameUse = (a: NonceUse, b: NonceUse): boolean =>
  a.is === 'used' ? b.is === 'used' && a.hash === b.hash && a.at === b.at : a.is === b.is

/**
 * Whether a nonce is finally used: by a named transaction in a final block, or, without a name, by the final nonce counts of all
 * answering nodes while none has a receipt of the step.
 */
async function checkUseFinality(
  { networks }: Run,
  rpc: ChainClient,
  { wallet, nonce, transaction }: Step,
  attempts: readonly Attempt[],
  use: NonceUse,
): Promise<Pick<Awaited<ReturnType<typeof checkNonceLost>>, 'deep' | 'unlike'>> {
  const { depth } = networkNamed(networks, transaction.chainId)
  if (use.is === 'used')
    return checkNonceLost(rpc, { at: use.at, hash: use.hash, by: rpc.host }, depth, quorumTimeoutMs)
  const { wanted, usual } = requiredDepth(depth, undefined)
  const isLost = async (node: ChainClient): Promise<boolean> =>
    (await readNonceCount(node, wallet, await latestFinalBlock(node, wanted, usual))) > nonce! &&
    !(await findAttempt(node, { wallet }, attempts))
  return { deep: await allNodesConfirm(rpc, isLost, quorumTimeoutMs) }
}

/** Clears the recorded nonce conflict of a step: its own transaction has the nonce, or the other one is gone. */
export function clearNonceConflict(run: Run, { nonce }: Step): void {
  if (run.nonceConflict?.nonce === nonce) run.nonceConflict = undefined
}
