import type { ChainClient } from '../../chain/chain-client.ts'
import { readNonceCount } from '../../chain/nonce-count.ts'
import { AppError } from '../../domain/errors.ts'
import { displayNetwork } from '../../domain/networks.ts'
import { sameWith, sluice } from '../../domain/text/next-step.ts'
import type { ExecutionContext } from '../../planning/execution-context-types.ts'
import type { Proposal } from '../../planning/proposal.ts'
import { type NonceCounts, readNonceCounts } from './nonce-counts.ts'
import { findNonceUse, unnamedTransaction } from './nonce-use.ts'

/** Refuses a plan whose pinned nonce is used: at most one transaction is ever mined with it, from any signer. NONCE_USED. */
export async function refuseUsedNonce(
  { rpc, journal }: ExecutionContext,
  { wallet, nonce, legs, id }: Proposal,
): Promise<void> {
  const [leg] = legs
  if (nonce === null || !leg || journal.find(id)) return
  const node = rpc(leg.chainId)
  const latest = await readNonceCount(node, wallet)
  if (nonce >= latest) return
  const { chainId } = leg
  const holder = journal.nonceHolder(chainId, wallet, nonce)
  throw holder
    ? heldNonceError({ wallet, nonce, holder }, { nonce, next: latest, chainId })
    : await nonceUsedError(node, { wallet, nonce, latest, chainId })
}

/** The error for a pinned nonce that an action of this journal has. */
export const heldNonceError = (
  { wallet, nonce, holder }: { wallet: Proposal['wallet']; nonce: number; holder: { operation: string } },
  details: Record<string, unknown>,
): AppError =>
  new AppError('NONCE_USED', `Nonce ${nonce} of ${wallet} belongs to the action ${holder.operation}`, {
    details: { ...details, operation: holder.operation },
    next: sluice('action show', holder.operation),
  })

/**
 * The error for a used pinned nonce, with the transaction if the node names it. That may be this plan, sent from
 * another machine.
 */
export async function nonceUsedError(
  rpc: ChainClient,
  {
    wallet,
    nonce,
    latest,
    chainId,
  }: { wallet: Proposal['wallet']; nonce: number; latest: number; chainId: number },
): Promise<AppError> {
  const use = await findNonceUse(rpc, wallet, nonce, latest)
  const hash = use.is === 'used' ? use.hash : null
  return new AppError(
    'NONCE_USED',
    `Nonce ${nonce} of ${wallet} was used by ${hash ?? unnamedTransaction}, which is not in this journal. It may be this one, sent from another machine`,
    {
      details: { nonce, next: latest, chainId, hash },
      next: hash
        ? sluice('action explain', hash)
        : `Look for the transaction with nonce ${nonce} of ${wallet} in an explorer of the network: it may be this payment`,
    },
  )
}

/**
 * Refuses a plan whose pinned nonce leaves a gap, because its transaction would stay pending. With `isPlanned` (a dry
 * run) it returns a warning instead, since a plan may be signed later. With `isMade`, the plan exists and keeps its
 * nonce. `counts` were just read.
 */
export async function refuseEarlyNonce(
  { rpc, journal, catalog }: ExecutionContext,
  { wallet, nonce, legs }: Proposal,
  { isPlanned, isMade, counts }: { isPlanned: boolean; isMade: boolean; counts?: NonceCounts | undefined },
): Promise<string | undefined> {
  const [leg] = legs
  if (nonce === null || !leg) return undefined
  const { chainId } = leg
  const { latest, pending } =
    counts ?? (await readNonceCounts({ journal, rpc: rpc(chainId), chainId, wallet }))
  const next = Math.max(latest, pending)
  if (isPlanned && nonce < latest)
    return `Nonce ${nonce} of ${wallet} is used already: nothing new can be sent with this plan.`
  if (nonce <= next) return undefined
  const why = `Nonce ${nonce} is too high: the next nonce of ${wallet} is ${next}`
  if (isPlanned) return `${why}.`
  throw new AppError('NONCE_GAP', why, {
    details: { nonce, next: latest, pending, chainId },
    next: isMade
      ? 'Send the transactions before it first. A new plan uses the next nonce'
      : sameWith(
          { '--nonce': next },
          { flag: '--nonce', value: String(nonce) },
          { flag: '--nonce', value: `${displayNetwork(catalog.networks, chainId).name}=${nonce}` },
        ),
  })
}
