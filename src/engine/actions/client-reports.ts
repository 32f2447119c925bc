import type { Chain } from '../../chain/network-client.ts'
import type { Address, Hex } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import type { ActionTxRow } from '../../store/engine/action-tables.ts'
import type { EngineContext } from '../engine.ts'
import { hashesOf } from '../history/logs/ranged-log-reader.ts'
import { makesCall, type RpcTransaction } from './call-hash.ts'
import { issuesOf, type Tracked } from './issued-actions.ts'
import { inclusionFields, locateTransaction } from './reconcile-transactions.ts'

/** Takes a hash that a client reported for an action. A transaction with another call is BAD_REQUEST. */
export async function takeClientReport(
  context: EngineContext,
  found: Tracked,
  hash: Hex,
  onlyChainId?: number,
): Promise<void> {
  const { store, customer, now } = context
  const report = { actionId: found.action.id, hash, chainId: onlyChainId ?? null, idx: null, toldAt: now() }
  const outcome = await applyReport(context, await issuesOf(context, found), report)
  if (outcome === 'unknown') await store.saveClientReport(customer, report)
  if (outcome === 'other')
    throw new AppError('BAD_REQUEST', `${hash} is not a transaction of this action`, {
      details: { actionId: found.action.id, txHash: hash },
    })
}

const hourMs = 3_600_000

const dayMs = 24 * hourMs

/**
 * Checks again the reports that no node knew, and the duplicates of a transaction that the action has lost. Returns
 * whether a transaction has a new hash. When the whole action is done, a report can only be a duplicate, and is
 * checked for one more hour, because it may still be pending.
 */
export async function retryClientReports(
  context: EngineContext,
  id: string,
  issues: readonly Tracked[],
): Promise<boolean> {
  const { store, now } = context
  const isOpen = issues.some(({ txs }) => txs.some(({ hash }) => hash === null))
  const isDone = issues.every(({ action }) => action.status === 'fulfilled')
  // A payment to the service may be sent after its action, and is reported with it.
  const isWhole = isDone && !isOpen
  const doneAt = isWhole ? Math.max(...issues.map(({ action }) => action.finishedAt ?? 0)) : 0
  let isNew = false
  for (const one of await store.clientReports(id)) {
    const waitedMs = now() - Math.max(one.toldAt, doneAt)
    if (one.idx === null && waitedMs > (isWhole ? hourMs : dayMs)) {
      if (isWhole) await store.deleteClientReport(one)
      continue
    }
    if (one.idx !== null && (isDone || !isOpen)) continue
    const outcome = await applyReport(context, issues, one)
    if (outcome === 'bound' || outcome === 'other') await store.deleteClientReport(one)
    if (outcome === 'bound') isNew = true
  }
  return isNew
}

/** Reads the duplicates of an action's transactions from the chain. */
export async function duplicateSends(
  context: EngineContext,
  id: string,
  issues: readonly Tracked[],
): Promise<ActionTxRow[]> {
  const rows: ActionTxRow[] = []
  for (const { hash, idx, chainId } of await context.store.clientReports(id)) {
    const tx = issues.flatMap(({ txs }) => txs).find((one) => one.idx === idx && one.chainId === chainId)
    if (!tx || tx.hash === hash) continue
    const { receipt, nonce } = await locateTransaction(context.chain(tx.chainId), hash as Hex)
    rows.push({ ...tx, hash, nonce: nonce ?? null, ...inclusionFields(receipt) })
  }
  return rows
}

/** The result of a report: the hash of a transaction now, a duplicate of one that succeeded, not of this action, or unknown to the node. */
type ReportOutcome = 'bound' | 'duplicate' | 'other' | 'unknown'

async function applyReport(
  context: EngineContext,
  issues: readonly Tracked[],
  {
    actionId,
    hash,
    chainId: onlyChainId,
    toldAt,
  }: { actionId: string; hash: string; chainId: number | null; toldAt: number },
): Promise<ReportOutcome> {
  const { store, customer } = context
  const candidates = issues
    .flatMap(({ action, txs }) => txs.map((tx) => ({ ...tx, wallet: action.wallet as Address })))
    .filter(({ chainId }) => onlyChainId === null || chainId === onlyChainId)
  if (candidates.some((tx) => tx.hash === hash)) return 'bound'
  for (const chainId of new Set(candidates.map((tx) => tx.chainId))) {
    const chain = context.chain(chainId)
    const transaction = await chain.rpc.request<RpcTransaction | null>('eth_getTransactionByHash', [hash])
    if (!transaction) continue
    const matches = candidates.filter(
      (tx) => tx.chainId === chainId && makesCallOf(transaction, tx.wallet, tx),
    )
    const match = matches.find(({ succeeded }) => succeeded !== 1) ?? matches[0]
    if (!match) return 'other'
    const { blockNumber, idx } = match
    const number = BigInt(blockNumber ?? -1)
    // A successful transaction stays while its block is canonical, even if it was not refreshed since.
    const now = match.succeeded === 1 ? (await hashesOf(chain, [number])).get(number) : undefined
    const isLost = now !== undefined && now !== match.blockHash
    if (match.succeeded === 1 ? !isLost : await hasSucceededNow(chain, match)) {
      await store.saveClientReport(customer, { actionId, hash, chainId, idx, toldAt })
      return 'duplicate'
    }
    return (await store.bindTx(customer, match, hash, isLost)) ? 'bound' : 'unknown'
  }
  return 'unknown'
}

/** Whether the transaction of a row has succeeded meanwhile. */
const hasSucceededNow = async (chain: Chain, { hash }: ActionTxRow): Promise<boolean> =>
  hash !== null && Number((await locateTransaction(chain, hash as Hex)).receipt?.status) === 1

/** Whether a transaction makes the issued call, and was not sent before the action was issued. */
const makesCallOf = (transaction: RpcTransaction, wallet: Address, tx: ActionTxRow): boolean =>
  Number(transaction.nonce) >= tx.fromNonce &&
  makesCall(transaction, { wallet, to: tx.recipient, data: tx.data, value: BigInt(tx.value) })
