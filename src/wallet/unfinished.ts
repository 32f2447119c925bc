import { decodeApprove } from '../calls/erc20.ts'
import { sameAddress } from '../domain/address.ts'
import { AppError } from '../domain/errors.ts'
import type { Transaction } from '../domain/transaction.ts'
import type { Operation } from '../store/operation.ts'
import type { Ground } from './ground.ts'
import type { Checked } from './plan.ts'

/** What a transaction does to an allowance, or what an action may live on: chain, token, spender. */
type Claim = { chainId: number; token: string; spender: string }

const granted = ({ chainId, to, data }: Transaction): Claim[] => {
  const approval = decodeApprove(data)
  return approval ? [{ chainId, token: to, spender: approval.spender }] : []
}

/** The allowances that the steps of an operation still need: given already, and not used up. */
function stillNeeded({ steps }: Operation): Claim[] {
  return steps.flatMap((step) => {
    if (step.role !== 'approve' || step.state === 'PLANNED' || step.state === 'RESERVED') return []
    const action = steps.find((other) => other.leg === step.leg && other.role === 'action')
    return action && action.state !== 'FINAL_OK' && action.state !== 'FINAL_REVERTED'
      ? granted(step.transaction)
      : []
  })
}

/**
 * Refuses a plan that would use up or overwrite the allowance that an unfinished operation of the same wallet still
 * needs: that one could never go on. OPERATION_UNFINISHED, with the way out.
 */
export function refuseConflict({ journal }: Ground, { proposal, steps }: Checked): void {
  const touched = steps.flatMap(({ transaction, role }) =>
    role === 'action'
      ? proposal.legs.flatMap(({ intent }) => spentBy(intent, transaction))
      : granted(transaction),
  )
  const unfinished = journal.list({
    states: ['EXECUTING', 'PARTIAL', 'ATTENTION'],
    wallet: proposal.wallet,
    limit: 1_000,
  })
  const held = unfinished.find((operation) =>
    stillNeeded(operation).some((claim) => touched.some((other) => same(claim, other))),
  )
  if (!held) return
  throw new AppError(
    'OPERATION_UNFINISHED',
    `The action ${held.id} is not finished, and this would take the allowance that it still needs`,
    {
      details: { operation: held.id },
      hint: `sluice action resume ${held.id}, or give it up: sluice action abandon ${held.id}`,
    },
  )
}

const same = (a: Claim, b: Claim) =>
  a.chainId === b.chainId && sameAddress(a.token, b.token) && sameAddress(a.spender, b.spender)

/** What an action pulls from the wallet through an allowance. */
function spentBy(
  intent: Checked['proposal']['legs'][number]['intent'],
  { chainId, to }: Transaction,
): Claim[] {
  if (intent?.kind === 'deposit') return [{ chainId, token: intent.strategy.asset.address, spender: to }]
  if (intent?.kind === 'swap') return [{ chainId, token: intent.tokenIn.address, spender: to }]
  return []
}

/**
 * Gives an operation up whose rest was not signed. Something of it that is on its way, or final to the last step, is
 * not given up: the first goes on by itself, the second is done.
 */
export function abandon({ journal }: Ground, operation: Operation): Operation {
  const inTheAir = operation.steps.find(
    ({ state }) => state === 'SIGNED' || state === 'BROADCAST' || state === 'INCLUDED',
  )
  if (inTheAir)
    throw new AppError(
      'PENDING',
      `Step ${inTheAir.index + 1} is signed and on its way: it cannot be taken back by giving up`,
      {
        details: { operation: operation.id },
        hint: `sluice action resume ${operation.id}`,
      },
    )
  if (
    operation.state !== 'OPEN' &&
    operation.state !== 'EXECUTING' &&
    operation.state !== 'PARTIAL' &&
    operation.state !== 'ATTENTION'
  )
    return operation
  const signed = operation.steps.some(({ index }) => journal.attempts(operation.id, index).length > 0)
  // An operation that is executing passes through PARTIAL; one that was never signed only frees its key.
  journal.settle(operation.id, signed ? 'CANCELLED' : 'DROPPED', 'given up by the person', signed ? 24 : 130)
  return journal.find(operation.id)!
}
