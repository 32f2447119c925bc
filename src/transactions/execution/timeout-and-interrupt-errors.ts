import { hasOtherNodes } from '../../chain/ask-all-nodes.ts'
import { disagreementHint, disagreementText } from '../../chain/finality/quorum.ts'
import { sameAddress } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { networkNamed, rpcVariable } from '../../domain/networks.ts'
import { isInFlight, isUnsigned } from '../../domain/step-state.ts'
import { type Advice, advice, type Next, sameWith, sluice } from '../../domain/text/next-step.ts'
import type { Operation, Step } from '../../store/journal/operation-types.ts'
import { unnamedTransaction } from '../nonces/nonce-use.ts'
import type { Run } from '../run.ts'
import type { On } from './execute-operation.ts'
import type { Look } from './state.ts'

/** A node is blamed for a timeout only if one answer took at least this share of the time. */
const minBlameShare = 0.1

/** The error for a timeout before anything was signed, naming the slow node if one caused it, and what to do. */
export function timeoutError(run: Run, { steps }: Operation): AppError {
  const { operationId: operation, timeoutMs, networks } = run
  const step = steps.find(isUnsigned)
  const rpc = step && run.rpc(step.transaction.chainId)
  const why = 'The time limit was reached before anything was signed'
  const more = advice`Allow more time: ${sameWith({ '--timeout': '10m' })}`
  const wait = run.answerTimes.longest()
  if (!wait || wait.ms < minBlameShare * timeoutMs || !rpc)
    return new AppError('RPC_UNREACHABLE', why, { details: { operation }, next: more })
  const { host, ms } = wait
  const variable = rpcVariable(networkNamed(networks, step.transaction.chainId))
  const isOneOfSeveral = hasOtherNodes(rpc)
  return new AppError(
    'RPC_UNREACHABLE',
    `${why}: the node at ${host} took ${(ms / 1000).toFixed(1)} seconds for one answer, or did not answer`,
    {
      details: { operation, host, waitedMs: Math.round(ms) },
      next: advice`${isOneOfSeveral ? `Remove ${host} from ${variable} while it is slow` : `Set another RPC in ${variable}`}. ${more}`,
    },
  )
}

/**
 * The error for an interrupt before the journal had a signature. A signer may have signed if it was asked, but
 * nothing was sent.
 */
export const interruptedError = ({ signerState }: Run, details: { operation: string }): AppError =>
  signerState.isAsked
    ? new AppError('INTERRUPTED', 'Interrupted while waiting for the signer: nothing was sent', {
        details,
        next: advice`Reject the request if the signer still shows it. To continue: ${sluice('action resume', details.operation)}`,
      })
    : new AppError('INTERRUPTED', 'Interrupted before anything was signed', { details })

/**
 * Returns why a signed step is not final at the timeout, if its nodes or an earlier nonce are the cause, with a hint;
 * `again` is the command that continues.
 */
export function pendingCause(
  {
    run: { operationId, networks, journal },
    operation,
    seen: { look },
  }: Pick<On, 'run' | 'operation' | 'seen'>,
  { transaction, nonce: ownNonce, wallet }: Step,
  again: Next,
): { why: string; next: Advice; details: Record<string, unknown> } | undefined {
  const nonceConflict = look ? conflictOf(operation, look) : undefined
  const deadlineDispute = look?.deadlineDispute
  const disagreement = [...(look?.unlike.values() ?? [])].find((one) => one !== undefined)
  const counted = look?.wallet?.count
  const holder =
    counted !== undefined && ownNonce !== null && counted < ownNonce
      ? journal.nonceHolder(transaction.chainId, wallet, counted)
      : undefined
  const precedingNonce =
    counted === undefined || holder === undefined || holder.operation === operationId
      ? undefined
      : { operation: holder.operation, nonce: counted }
  const variable = rpcVariable(networkNamed(networks, transaction.chainId))
  if (nonceConflict) {
    const { nonce, by, blockNumber, unlike } = nonceConflict
    return {
      why: `Its nonce ${nonce} was used by ${by}${blockNumber === null ? '' : ` in block ${blockNumber}`}, which is not final yet${unlike ? `, as ${disagreementText(unlike)}` : ''}: once that is final, this transaction can never be mined`,
      next: advice`${unlike ? `${disagreementHint(unlike, variable)}, then: ` : ''}${sluice('action resume', operationId)}`,
      details: nonceConflict,
    }
  }
  if (deadlineDispute)
    return {
      why: `Its deadline has passed by the newest block of ${deadlineDispute.by}, but not by that of ${deadlineDispute.host}: until both agree, its fee is not raised and it is not cancelled`,
      next: advice`If this persists, remove the wrong one from ${variable}, then: ${again}`,
      details: deadlineDispute,
    }
  if (precedingNonce) {
    const { operation: before, nonce } = precedingNonce
    return {
      why: `The transaction is signed, but pending behind nonce ${nonce}, which belongs to the action ${before} and is not on the chain yet`,
      next: advice`${sluice('action resume', before)}, then: ${again}`,
      details: { before, nonce },
    }
  }
  return (
    disagreement && {
      why: `The transaction is in block ${disagreement.blockNumber} but not final yet: ${disagreementText(disagreement)}`,
      next: advice`${disagreementHint(disagreement, variable)}, then: ${again}`,
      details: disagreement,
    }
  )
}

/** The transaction that used the nonce of a step in flight and is not final yet. */
function conflictOf({ steps }: Operation, { missing }: Look) {
  for (const { index, nonce, attempts } of steps.filter(isInFlight)) {
    const { use, unlike } = missing.get(index)?.owner ?? {}
    const hash = use?.is === 'used' ? use.hash : null
    if (!use || nonce === null || attempts.some((one) => hash && sameAddress(one.hash, hash))) continue
    return {
      ...{ nonce, by: hash ?? unnamedTransaction, blockNumber: use.is === 'used' ? use.at : null },
      ...(unlike && { unlike }),
    }
  }
  return undefined
}
