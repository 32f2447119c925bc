import type { ChainClient } from '../../chain/chain-client.ts'
import { refuseStaleHead } from '../../chain/finality/refuse-inconsistent-heads.ts'
import type { Head } from '../../chain/head.ts'
import type { Clock } from '../../chain/rpc/clock.ts'
import { AppError } from '../../domain/errors.ts'
import { advice, sluice } from '../../domain/text/next-step.ts'
import type { Journal } from '../../store/journal/journal-interface.ts'
import type { Step } from '../../store/journal/operation-types.ts'
import type { NonceCounts } from './nonce-counts.ts'
import { transactionByNonce } from './nonce-use.ts'
import { heldNonceError, nonceUsedError } from './pinned-nonce-check.ts'
import { refuseNonceGap, refuseUnsettledNonce } from './unsafe-nonce-check.ts'

/** The newest block, the lowest of the newest blocks of all nodes (or their disagreement), and the nonce counts of a wallet. */
export type NonceView = { head: Head; lowest: Promise<Head>; counts: NonceCounts }

/** The input for allocating a nonce. `pinned` is the nonce that it must be. */
type AllocationInput = {
  journal: Journal
  operationId: string
  step: Step
  rpc: ChainClient
  pinned: number | undefined
  queueBehind: boolean | undefined
  headMaxAgeMs: number | undefined
  clock: Clock
  /** The view of the wallet that was just read. */
  seen: NonceView
}

/** Maximum number of pending transactions to queue behind; a higher count of a node is not believed. */
const maxPending = 64

/**
 * Allocates a nonce to a step and records it. Call under the wallet's lock. Refuses a
 * node on another chain, a head that went back, and nodes that disagree, before anything is signed.
 */
export async function allocateNonce(question: AllocationInput): Promise<void> {
  const { journal, operationId, step, rpc, pinned, clock } = question
  const { chainId } = step.transaction
  const { head, lowest: comparing, counts: counted } = question.seen
  refuseStaleHead(rpc, head, journal.highestHead(chainId), question.headMaxAgeMs, clock.wall())
  const lowest = await comparing
  const { latest, pending } = counted
  if (pinned !== undefined) return allocatePinnedNonce(question, lowest, { latest, pending })
  const ours = Math.max(latest, journal.nextNonce(chainId, step.wallet))
  const nonce = question.queueBehind ? Math.max(ours, pending) : ours
  if (nonce > ours + maxPending) throw tooManyPendingError(rpc, step.wallet, { latest, pending })
  await refuseUnsettledNonce(question, { nonce, latest })
  await refuseNonceGap(question, { nonce, pending })
  journal.recordHead(chainId, Number(lowest.number), lowest.hash)
  journal.reserveNonce(operationId, step.index, nonce, Number(lowest.number))
}

/**
 * Allocates a pinned nonce. The step never gets another nonce, whether this one is free or used, and none above a
 * step that may still be mined.
 */
async function allocatePinnedNonce(
  question: AllocationInput,
  lowest: Head,
  { latest, pending }: NonceCounts,
): Promise<void> {
  const { journal, operationId, step, rpc } = question
  const nonce = question.pinned!
  const { chainId } = step.transaction
  const details = { nonce, next: latest, pending, chainId }
  const holder = journal.nonceHolder(chainId, step.wallet, nonce)
  if (holder && !(holder.operation === operationId && holder.index === step.index))
    throw heldNonceError({ wallet: step.wallet, nonce, holder }, details)
  if (nonce < latest) throw await nonceUsedError(rpc, { wallet: step.wallet, nonce, latest, chainId })
  if (nonce < pending) {
    const hash = (await transactionByNonce(rpc, step.wallet, nonce))?.hash ?? null
    throw new AppError(
      'FOREIGN_PENDING',
      `A transaction of ${step.wallet}${hash ? `, ${hash},` : ''} that this journal does not know is pending with nonce ${nonce}. It may be this one, sent from another machine`,
      { details: { ...details, hash } },
    )
  }
  if (nonce > pending)
    throw new AppError(
      'NONCE_GAP',
      `Nonce ${nonce} is too high: the next nonce of ${step.wallet} is ${pending}`,
      {
        details,
        next: advice`Once the transactions before it are sent: ${sluice('action resume', operationId)}. To drop it: ${sluice('action abandon', operationId)}`,
      },
    )
  await refuseUnsettledNonce(question, { nonce, latest })
  journal.recordHead(chainId, Number(lowest.number), lowest.hash)
  journal.reserveNonce(operationId, step.index, nonce, Number(lowest.number))
}

const tooManyPendingError = (
  { host }: ChainClient,
  wallet: string,
  { latest, pending }: { latest: number; pending: number },
): AppError =>
  new AppError(
    'RPC_INCONSISTENT',
    `The node at ${host} reports ${pending - latest} pending transactions of ${wallet}, which is not plausible: nothing is signed behind more than ${maxPending} foreign transactions`,
    {
      details: { host, latest, pending, most: maxPending },
      next: 'Set another RPC endpoint. If they are really pending, wait until fewer are',
    },
  )
