import { hasOtherNodes } from '../../chain/ask-all-nodes.ts'
import { disagreementHint, disagreementText } from '../../chain/finality/quorum.ts'
import { AppError } from '../../domain/errors.ts'
import { networkNamed, rpcVariable } from '../../domain/networks.ts'
import { isUnsigned } from '../../domain/step-state.ts'
import type { Step } from '../../store/journal/operation-types.ts'
import { currentOperation, type Run } from '../run-state.ts'

/** A node is blamed for a timeout only if one answer took at least this share of the time. */
const minBlameShare = 0.1

/** The error for a timeout before anything was signed, naming the slow node if one caused it, and what to do. */
export function timeoutError(run: Run): AppError {
  const { operationId: operation, timeoutMs, networks } = run
  const step = currentOperation(run).steps.find(isUnsigned)
  const rpc = step && run.rpc(step.transaction.chainId)
  const why = 'The time was over before anything was signed'
  const more = 'Give it more time: --timeout 10m'
  const wait = run.answerTimes.longest()
  if (!wait || wait.ms < minBlameShare * timeoutMs || !rpc)
    return new AppError('RPC_UNREACHABLE', why, { details: { operation }, hint: more })
  const { host, ms } = wait
  const variable = rpcVariable(networkNamed(networks, step.transaction.chainId))
  const isOneOfSeveral = hasOtherNodes(rpc)
  return new AppError(
    'RPC_UNREACHABLE',
    `${why}: the node at ${host} took ${(ms / 1000).toFixed(1)} seconds for one answer, or had none by then`,
    {
      details: { operation, host, waitedMs: Math.round(ms) },
      hint: `${more}; or ${isOneOfSeveral ? `leave ${host} out of ${variable} for as long as it is slow` : `name another RPC in ${variable}`}`,
    },
  )
}

/**
 * The error for an interrupt before the journal had a signature. A signer may have signed if it was asked, but
 * nothing was sent.
 */
export const interruptedError = ({ signerState }: Run, details: { operation: string }): AppError =>
  signerState.isAsked
    ? new AppError('INTERRUPTED', 'Stopped while the signer was asked: nothing was sent', {
        details,
        hint: `Reject what it may still show; to go on: sluice action resume ${details.operation}`,
      })
    : new AppError('INTERRUPTED', 'Stopped before anything was signed', { details })

/**
 * Returns why a signed step is not final at the timeout, if its nodes or an earlier nonce are the cause, with a hint;
 * `again` is the command that continues.
 */
export function pendingCause(
  { operationId, networks, nonceConflict, deadlineDispute, precedingNonce, disagreement }: Run,
  { transaction }: Step,
  again: string,
): { why: string; hint: string; details: Record<string, unknown> } | undefined {
  const variable = rpcVariable(networkNamed(networks, transaction.chainId))
  if (nonceConflict) {
    const { nonce, by, blockNumber, unlike } = nonceConflict
    return {
      why: `The nonce ${nonce} that it was signed with was used by ${by}${blockNumber === null ? '' : ` in block ${blockNumber}`}, which is not final yet${unlike ? `, as ${disagreementText(unlike)}` : ''}: once it is, this can never be mined`,
      hint: `${unlike ? `${disagreementHint(unlike, variable)}, then: ` : ''}sluice action resume ${operationId}`,
      details: nonceConflict,
    }
  }
  if (deadlineDispute)
    return {
      why: `Its deadline has passed by the newest block of ${deadlineDispute.by}, and not by that of ${deadlineDispute.host}: until both say so it is neither made dearer nor cancelled`,
      hint: `If it stays so, leave the one that is wrong out of ${variable}, then: ${again}`,
      details: deadlineDispute,
    }
  if (precedingNonce) {
    const { operation: before, nonce } = precedingNonce
    return {
      why: `It is signed, and waits behind nonce ${nonce}, which the chain does not have and the action ${before} does`,
      hint: `sluice action resume ${before}, then: ${again}`,
      details: { before, nonce },
    }
  }
  return (
    disagreement && {
      why: `It is in block ${disagreement.blockNumber}, and not final yet: ${disagreementText(disagreement)}`,
      hint: `${disagreementHint(disagreement, variable)}, then: ${again}`,
      details: disagreement,
    }
  )
}
