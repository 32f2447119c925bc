import type { ChainClient } from '../../chain/chain-client.ts'
import type { Clock } from '../../chain/rpc/clock.ts'
import { AppError } from '../../domain/errors.ts'
import { isInFlight, isUnsigned } from '../../domain/step-state.ts'
import { advice, sameWith, sluice } from '../../domain/text/next-step.ts'
import type { NonceJournal, OperationJournal, StepJournal } from '../../store/journal/journal-interface.ts'
import type { Step } from '../../store/journal/operation-types.ts'
import { type NonceCounts, readNonceCounts } from './nonce-counts.ts'
import { transactionByNonce } from './nonce-use.ts'

/** The input of the checks on the nonces below that of a step. */
type NonceGapInput = {
  journal: OperationJournal & StepJournal & NonceJournal
  rpc: ChainClient
  step: Step
  clock: Clock
}

/** Reads the nonce counts of a step's wallet. */
export const nonceCountsFor = ({ journal, rpc, step }: Omit<NonceGapInput, 'clock'>): Promise<NonceCounts> =>
  readNonceCounts({ journal, rpc, chainId: step.transaction.chainId, wallet: step.wallet })

/**
 * Refuses to sign above a nonce whose step was settled as repeatable (cancelled, reverted or superseded) and which
 * the chain no longer counts, because that step may still be mined. Applies to pinned nonces too. RPC_INCONSISTENT if
 * the node's count is still that low after a second, so that a node that only lags passes.
 */
export async function refuseUnsettledNonce(
  question: NonceGapInput,
  counted: { nonce: number; latest: number },
): Promise<void> {
  const { journal, rpc, step, clock } = question
  const { chainId } = step.transaction
  let { latest } = counted
  for (let tried = 1; ; tried++) {
    const open = journal.firstRepeatable(chainId, step.wallet, latest, counted.nonce)
    if (!open) return
    if (tried === 20) throw unsettledNonceError(rpc, step, open, latest)
    await clock.sleep(50)
    latest = (await nonceCountsFor(question)).latest
  }
}

/** The error for such a nonce: a mined transaction with the nonce, or its cancellation, decides about the step. */
const unsettledNonceError = (
  { host }: ChainClient,
  { wallet, transaction: { chainId } }: Step,
  open: { operation: string; nonce: number; isLost: boolean },
  latest: number,
): AppError =>
  new AppError(
    'RPC_INCONSISTENT',
    open.isLost
      ? `The node at ${host} reports ${latest} transactions of ${wallet}, but nonce ${open.nonce}, which the action ${open.operation} lost to another transaction, was used before: the node is behind, or a reorganisation removed that transaction, and the signed transaction of the action can still be mined`
      : `The node at ${host} reports ${latest} transactions of ${wallet}, but nonce ${open.nonce} is final in the journal: the node is behind, or a reorganisation removed the action ${open.operation} from the chain`,
    {
      details: {
        latest,
        nonce: open.nonce,
        chainId,
        ...(open.isLost ? { lost: open.operation } : { before: open.operation }),
      },
      next: open.isLost
        ? advice`Wait until nonce ${open.nonce} is used again, or set another RPC. To see the transaction with this nonce: ${sluice('action explain', open.operation)}`
        : advice`Wait for the node, or set another RPC. If this persists: ${sluice('action resume', open.operation)}`,
    },
  )

/**
 * Refuses a nonce unless the node has every nonce below it and nothing at it: otherwise the transaction would wait for a missing
 * one, or compete with a foreign one.
 */
export async function refuseNonceGap(
  question: NonceGapInput,
  counted: { nonce: number; pending: number },
): Promise<void> {
  const { journal, rpc, step, clock } = question
  const { nonce } = counted
  let { pending } = counted
  for (let tried = 1; ; tried++) {
    if (pending === nonce) return
    if (tried < 20) {
      await clock.sleep(50)
      pending = (await nonceCountsFor(question)).pending
      continue
    }
    const { chainId } = step.transaction
    if (pending > nonce) throw await foreignPendingError(question, { nonce, pending })
    const holder = journal.nonceHolder(chainId, step.wallet, pending)
    const held = holder && journal.find(holder.operation)?.steps.find(({ index }) => index === holder.index)
    // A nonce without a holder was superseded, or its pending transaction was forgotten.
    if (!holder || (held && !isInFlight(held) && !isUnsigned(held)))
      throw new AppError(
        'RPC_INCONSISTENT',
        `The node at ${rpc.host} reports ${pending} transactions of ${step.wallet}, but nonce ${pending} is ${holder ? 'final in the journal: the node is behind' : `not free, because a later transaction has nonce ${nonce - 1}: the node is behind, or has dropped pending transactions`}`,
        {
          details: { pending, nonce },
          next: advice`Wait for the node, or set another RPC.${holder ? advice` If a reorganisation removed the action ${holder.operation} from the chain: ${sluice('action resume', holder.operation)}` : advice` To list pending actions: ${sluice('action list', { '--status': 'PENDING' })}`}`,
        },
      )
    throw new AppError(
      'FOREIGN_PENDING',
      `The action ${holder.operation} is signed but has not reached chain ${chainId}: ${step.wallet} can send nothing before it`,
      {
        details: { pending, nonce, before: holder.operation },
        next: sluice('action resume', holder.operation),
      },
    )
  }
}

/** The error for a foreign pending transaction at a nonce, with its hash if the node names it. */
async function foreignPendingError(
  { rpc, step: { wallet, transaction } }: NonceGapInput,
  details: { nonce: number; pending: number },
): Promise<AppError> {
  const hash = (await transactionByNonce(rpc, wallet, details.nonce))?.hash ?? null
  return new AppError(
    'FOREIGN_PENDING',
    `Another transaction of ${wallet}${hash ? `, ${hash},` : ''} is pending on chain ${transaction.chainId}`,
    {
      details: { ...details, hash },
      next: advice`Wait until it is mined, or queue behind it: ${sameWith({ '--queue-behind': true })}`,
    },
  )
}
