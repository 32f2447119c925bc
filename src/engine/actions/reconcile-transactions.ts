import { readHeader } from '../../chain/head.ts'
import type { Chain } from '../../chain/network-client.ts'
import { hasSucceeded } from '../../chain/receipt-status.ts'
import type { Address, Hex } from '../../domain/address.ts'
import type { ActionRow, ActionTxRow } from '../../store/engine/action-tables.ts'
import type { SubmittedRow } from '../../store/engine/nonce-transactions-cache.ts'
import type { EngineContext } from '../engine.ts'
import { oncePerChain } from '../once-per-chain.ts'
import { callHash } from './call-hash.ts'
import type { Tracked } from './issued-actions.ts'
import { type SubmittedTransactions, submittedSince } from './nonce-transactions.ts'
import { readWalletProgress } from './wallet-block-reader.ts'

/** The transactions that the wallet of an action has sent since the action was issued, read once a chain for all its transactions. */
type SubmittedSearch = {
  onChain: (chainId: number) => Promise<SubmittedTransactions>
  isComplete: () => boolean
}

/** Searches when first asked; `isComplete` says whether every chain that was asked was searched completely. */
export function submittedSearch(context: EngineContext, { action, txs }: Tracked): SubmittedSearch {
  const incomplete = new Set<number>()
  const onChain = oncePerChain(async (chainId) => {
    const chain = context.chain(chainId)
    const wallet = action.wallet as Address
    const { fromBlock, fromNonce } = txs.find((tx) => tx.chainId === chainId)!
    const cost = action.status === 'failed' ? 'little' : 'whole'
    const progress = await readWalletProgress(chain, wallet)
    const sent = await submittedSince(context, chain, wallet, { fromBlock, fromNonce }, progress, cost)
    if (!sent.isComplete) incomplete.add(chainId)
    return sent
  })
  return { onChain, isComplete: () => incomplete.size === 0 }
}

type Receipt = { status: Hex; blockNumber: Hex; blockHash: Hex; gasUsed: Hex }

/** Locates a transaction: its receipt if its block is canonical, and its nonce if the node knows the transaction. */
export async function locateTransaction(
  { rpc }: Chain,
  hash: Hex,
): Promise<{ receipt?: Receipt; nonce?: number }> {
  const [receipt, sent] = (await rpc.batch([
    ['eth_getTransactionReceipt', [hash]],
    ['eth_getTransactionByHash', [hash]],
  ])) as [Receipt | null, { nonce: Hex } | null]
  const block = receipt && (await readHeader(rpc, receipt.blockNumber))
  const isThere = receipt?.blockHash && block?.hash?.toLowerCase() === receipt.blockHash.toLowerCase()
  return {
    ...(isThere && { receipt: { ...receipt, status: (await hasSucceeded(rpc, receipt)) ? '0x1' : '0x0' } }),
    ...(sent && { nonce: Number(sent.nonce) }),
  }
}

/** Refreshes one transaction from the chain: found, still included, replaced, sent again after a revert, or lost in a reorganisation. */
export async function refreshTransaction(
  context: EngineContext,
  action: ActionRow,
  tx: ActionTxRow,
  earlierTxs: readonly ActionTxRow[],
  search: SubmittedSearch,
): Promise<ActionTxRow> {
  const chain = context.chain(tx.chainId)
  const located = tx.hash === null ? {} : await locateTransaction(chain, tx.hash as Hex)
  // A transaction in no block may have been replaced, or sent again after it was lost. In a failed action, only a transaction that left the
  // chain is searched for.
  const isSettled = located.receipt !== undefined || (action.status === 'failed' && tx.hash === null)
  const found = isSettled ? undefined : await findSubmitted(context, search, tx, earlierTxs, located.nonce)
  const first = found ?? (tx.hash as Hex | null)
  if (first === null) return tx
  const { hash, receipt, nonce } = await followResends(context, search, tx, earlierTxs, {
    hash: first,
    nonce: tx.nonce,
    ...(found === undefined ? located : await locateTransaction(chain, found)),
  })
  const now = { ...tx, hash, nonce, ...inclusionFields(receipt) }
  if (JSON.stringify(now) !== JSON.stringify(tx)) await context.store.saveTx(now)
  return now
}

/** The fields of a receipt that are stored. */
export const inclusionFields = (receipt: Receipt | undefined) =>
  receipt
    ? {
        blockNumber: Number(receipt.blockNumber),
        blockHash: receipt.blockHash,
        succeeded: Number(receipt.status),
        gasUsed: BigInt(receipt.gasUsed).toString(),
      }
    : { blockNumber: null, blockHash: null, succeeded: null, gasUsed: null }

type LocatedTransaction = { hash: Hex; nonce: number | null; receipt?: Receipt }

/**
 * Follows a reverted transaction that was sent more than once. A successful send counts, whether earlier or later; otherwise the last one
 * counts.
 */
async function followResends(
  context: EngineContext,
  search: SubmittedSearch,
  tx: ActionTxRow,
  earlierTxs: readonly ActionTxRow[],
  first: LocatedTransaction,
): Promise<LocatedTransaction> {
  for (let current = first; ; ) {
    const { receipt, nonce, hash } = current
    if (!receipt || Number(receipt.status) === 1 || nonce === null) return current
    // A later send may belong to an action with the same call; earlier ones are searched separately.
    const resend = { ...tx, hash, fromNonce: nonce + 1 }
    const next = (await context.store.hasTwin(tx))
      ? undefined
      : await findSubmitted(context, search, resend, [])
    if (next === undefined)
      return (await earlierSuccess(context, search, { ...tx, hash, nonce }, earlierTxs)) ?? current
    current = { hash: next, nonce: null, ...(await locateTransaction(context.chain(tx.chainId), next)) }
  }
}

/**
 * Finds a successful send before a reverted one, as when a client reports an accidental second send; the reported one is then a duplicate.
 * It is not taken if another action with the same call has no transaction yet, because it may belong to that one.
 */
async function earlierSuccess(
  { store, customer, chain, now }: EngineContext,
  search: SubmittedSearch,
  tx: ActionTxRow & { hash: Hex; nonce: number },
  earlierTxs: readonly ActionTxRow[],
): Promise<LocatedTransaction | undefined> {
  const { actionId, idx, chainId, hash } = tx
  const last = previousNonce(tx, earlierTxs)
  for (const found of await submittedCalls(search, tx)) {
    if (found.nonce <= last || found.nonce >= tx.nonce) continue
    const at = await locateTransaction(chain(chainId), found.hash as Hex)
    if (Number(at.receipt?.status) !== 1) continue
    if (await store.hasOpenTwin(tx, found.nonce)) return undefined
    if ((await store.claim(tx, found.hash, found.nonce)) !== found.hash) continue
    await store.saveClientReport(customer, { actionId, hash, chainId, idx, toldAt: now() })
    return { hash: found.hash as Hex, nonce: found.nonce, ...at }
  }
  return undefined
}

/**
 * Finds the hash of an unreported transaction by sender, nonce and calldata, unless another action has it. With a nonce, only the
 * transaction with that nonce.
 */
async function findSubmitted(
  { store }: EngineContext,
  search: SubmittedSearch,
  tx: ActionTxRow,
  earlierTxs: readonly ActionTxRow[],
  nonce?: number,
): Promise<Hex | undefined> {
  const last = previousNonce(tx, earlierTxs)
  for (const found of await submittedCalls(search, tx)) {
    if (nonce === undefined ? found.nonce <= last : found.nonce !== nonce) continue
    const claimed = (await store.claim(tx, found.hash, found.nonce)) as Hex | null
    if (claimed !== null && claimed !== tx.hash) return claimed
  }
  return undefined
}

/** The transactions of the wallet that make a call. */
async function submittedCalls(
  search: SubmittedSearch,
  { chainId, recipient, data, value }: ActionTxRow,
): Promise<SubmittedRow[]> {
  const { rows } = await search.onChain(chainId)
  if (rows.length === 0) return []
  const wanted = callHash({ to: recipient, data, value: BigInt(value) })
  return rows.filter(({ call }) => call === wanted)
}

/**
 * The nonce before a transaction: that of the wallet when the action was issued, or that of an earlier transaction of the action on the
 * chain.
 */
const previousNonce = ({ fromNonce, chainId }: ActionTxRow, earlierTxs: readonly ActionTxRow[]): number =>
  Math.max(
    fromNonce - 1,
    ...earlierTxs.filter((earlier) => earlier.chainId === chainId).map(({ nonce }) => nonce ?? -1),
  )
