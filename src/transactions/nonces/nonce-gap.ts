import type { Rpc } from '../../chain/rpc/rpc.ts'
import type { Clock } from '../../chain/rpc/timeouts.ts'
import { AppError } from '../../domain/errors.ts'
import type { Step } from '../../store/journal/operation.ts'
import type { NonceJournal, OperationJournal, StepJournal } from '../../store/journal/types.ts'
import { isInFlight, isUnsigned } from '../run.ts'
import { type NonceCounts, readNonceCounts } from './nonce-counts.ts'
import { transactionByNonce } from './nonce-use.ts'

/** What is asked about the nonces before the one that a step is to have. */
type Behind = { journal: OperationJournal & StepJournal & NonceJournal; rpc: Rpc; step: Step; clock: Clock }

/** What a node counts of the wallet of a step. */
export const nonceCountsFor = ({ journal, rpc, step }: Omit<Behind, 'clock'>): Promise<NonceCounts> =>
  readNonceCounts({ journal, rpc, chainId: step.transaction.chainId, wallet: step.wallet })

/**
 * What was settled so that the same may be done again, cancelled, reverted or lost to another transaction, and whose nonce the chain does not count any
 * more, may still be mined: behind it nothing is signed before that is decided, be its own nonce pinned or not. RPC_INCONSISTENT where a node
 * counts so after a second, as one that is only behind does not.
 */
export async function refuseUnsettledNonce(
  question: Behind,
  counted: { nonce: number; latest: number },
): Promise<void> {
  const { journal, rpc, step, clock } = question
  const { chainId } = step.transaction
  let { latest } = counted
  for (let tried = 1; ; tried++) {
    const open = journal.firstRepeatable(chainId, step.wallet, latest, counted.nonce)
    if (!open) return
    if (tried === 20) throw openAgain(rpc, step, open, latest)
    await clock.sleep(50)
    latest = (await nonceCountsFor(question)).latest
  }
}

/** What was lost is not gone on with as it is: whatever is mined with its nonce decides, or a cancel of it. */
const openAgain = (
  { host }: Rpc,
  { wallet, transaction: { chainId } }: Step,
  open: { operation: string; nonce: number; isLost: boolean },
  latest: number,
): AppError =>
  new AppError(
    'RPC_INCONSISTENT',
    open.isLost
      ? `The node at ${host} counts ${latest} transactions of ${wallet}, and nonce ${open.nonce}, which the action ${open.operation} lost to another one, was used by then: the node is behind, or a reorganisation took that off the chain, and what is signed of the action may still be mined`
      : `The node at ${host} counts ${latest} transactions of ${wallet}, and nonce ${open.nonce} is used for good by the journal: the node is behind, or a reorganisation took the action ${open.operation} off the chain`,
    {
      details: {
        latest,
        nonce: open.nonce,
        chainId,
        ...(open.isLost ? { lost: open.operation } : { before: open.operation }),
      },
      hint: open.isLost
        ? `Wait until nonce ${open.nonce} is used again, or name another RPC; what waits with it: sluice action explain ${open.operation}`
        : `Wait for the node, or name another RPC; if it stays so: sluice action resume ${open.operation}`,
    },
  )

/**
 * A nonce is only taken when the node has everything before it and nothing at it: else the transaction would hang
 * behind one that is missing, or fight one that is not ours.
 */
export async function refuseNonceGap(
  question: Behind,
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
    if (pending > nonce) throw await foreignPending(question, { nonce, pending })
    const holder = journal.nonceHolder(chainId, step.wallet, pending)
    const held = holder && journal.find(holder.operation)?.steps.find(({ index }) => index === holder.index)
    // What nobody holds was lost to another transaction, or waited there and was forgotten.
    if (!holder || (held && !isInFlight(held) && !isUnsigned(held)))
      throw new AppError(
        'RPC_INCONSISTENT',
        `The node at ${rpc.host} counts ${pending} transactions of ${step.wallet}, and nonce ${pending} is ${holder ? 'used for good by the journal: the node is behind' : `not free, as what has nonce ${nonce - 1} came after it: the node is behind, or forgot what waited`}`,
        {
          details: { pending, nonce },
          hint: `Wait for the node, or name another RPC.${holder ? ` Where a reorganisation took the action ${holder.operation} off the chain: sluice action resume ${holder.operation}` : ' What is signed and waits: sluice action list --status PENDING'}`,
        },
      )
    throw new AppError(
      'FOREIGN_PENDING',
      `The action ${holder.operation} is signed and has not reached chain ${chainId}: nothing of ${step.wallet} can go before it`,
      {
        details: { pending, nonce, before: holder.operation },
        hint: `sluice action resume ${holder.operation}`,
      },
    )
  }
}

/** That something else of the wallet waits with a nonce, named where a node names it. */
async function foreignPending(
  { rpc, step: { wallet, transaction } }: Behind,
  details: { nonce: number; pending: number },
): Promise<AppError> {
  const hash = (await transactionByNonce(rpc, wallet, details.nonce))?.hash ?? null
  return new AppError(
    'FOREIGN_PENDING',
    `Another transaction of ${wallet}${hash ? `, ${hash},` : ''} is waiting on chain ${transaction.chainId}`,
    {
      details: { ...details, hash },
      hint: 'Wait until it is mined, or go behind it: --queue-behind',
    },
  )
}
