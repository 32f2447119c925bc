import type { Action } from '../../api/action.ts'
import type { Page } from '../../api/page.ts'
import { transferTopic } from '../../chain/erc20.ts'
import { Hash, nativeAddress, sameAddress } from '../../domain/address.ts'
import { type TokenAmount, tokenAmount } from '../../domain/amount.ts'
import { AppError } from '../../domain/errors.ts'
import { networkNamed } from '../../domain/networks.ts'
import { type ActionStatus, actionStatus, isActionEnd, shownState } from '../../domain/swap-outcome.ts'
import { queueOf } from '../../protocols/registry.ts'
import type { ActionTxRow } from '../../store/engine/action-tables.ts'
import { isChainInScope } from '../catalog-lookups.ts'
import type { EngineContext } from '../engine.ts'
import { findIssuedAction, type Tracked } from './issued-actions.ts'
import { refreshAction, type TrackedWithDuplicates } from './refresh-action.ts'

type Receipt = { blockHash?: unknown; logs?: unknown }

type Log = { address: string; topics: string[]; data: string }

/** Whether a log has every field. */
const isCompleteLog = (log: Partial<Log> | null): log is Log =>
  typeof log?.address === 'string' &&
  Array.isArray(log.topics) &&
  log.topics.every((topic) => typeof topic === 'string') &&
  /^0x[0-9a-f]{64}$/i.test(String(log.data))

/**
 * The amount that a full withdrawal paid, read from its receipt, because it was unknown when the transaction was built. `undefined` for
 * other or unfinished actions, for queued withdrawals, for the native coin (which emits no log), and if the chain does not answer, so that
 * the rest of the action is still returned.
 */
async function withdrawnAmount(
  context: EngineContext,
  { action, txs }: Tracked,
): Promise<TokenAmount | undefined> {
  const { type, status, wallet, strategyId } = action
  const entry = context.markets.find((one) => one.entry.id === strategyId)?.entry
  const { hash, blockHash } = txs.findLast(({ kind }) => kind === 'withdraw') ?? { hash: null }
  const isDone = type === 'SAMECHAIN_INVESTMENT_WITHDRAW' && status === 'fulfilled'
  if (!isDone || !entry || hash === null || queueOf(entry) || sameAddress(entry.asset.address, nativeAddress))
    return undefined
  try {
    const { rpc } = context.chain(entry.chainId)
    const receipt = await rpc.request<Receipt | null>('eth_getTransactionReceipt', [hash])
    if (typeof receipt?.blockHash !== 'string' || !sameAddress(receipt.blockHash, blockHash ?? ''))
      return undefined
    const logs: (Partial<Log> | null)[] = Array.isArray(receipt.logs) ? receipt.logs : []
    const received = logs
      .filter(isCompleteLog)
      .filter(({ address }) => sameAddress(address, entry.asset.address))
      .filter(({ topics }) => topics[0] === transferTopic && topics.length === 3)
      .filter(({ topics }) => sameAddress(`0x${topics[2]!.slice(26)}`, wallet))
      .reduce((sum, { data }) => sum + BigInt(data), 0n)
    return received > 0n ? tokenAmount(received, entry.asset) : undefined
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}

const isoOrNull = (at: number | null) => (at === null ? null : new Date(at).toISOString())

/** Returns a tracked action, refreshed from its chains. */
export async function actionOf(context: EngineContext, id: string): Promise<Action> {
  const found = await refreshAction(context, id)
  if (!found) throw new AppError('ACTION_NOT_FOUND', `There is no action "${id}"`)
  return actionOutput(context, found, await actionAmounts(context, found))
}

/**
 * The listed actions of the customer, newest first. `status` selects by the status that was last seen; each action of the page is then
 * refreshed. One whose chain does not answer has its last status, and `missing` names its networks.
 */
export async function listIssuedActions(
  context: EngineContext,
  {
    wallet,
    status,
    id,
    page = 1,
    limit = 10,
  }: {
    wallet?: string | undefined
    status?: ActionStatus | undefined
    id?: string | undefined
    page?: number | undefined
    limit?: number | undefined
  },
): Promise<Page<Action>> {
  const isHash = Hash.safeParse(id).success
  const words = Object.entries(actionStatus).flatMap(([state, shown]) => (shown === status ? [state] : []))
  const { ids, total } = await context.store.actionPage(
    context.customer,
    {
      wallet: wallet ?? null,
      states: status === undefined ? null : words,
      start: isHash ? null : (id ?? null),
      hash: isHash ? id! : null,
      chainIds: context.catalog.networks
        .filter(({ chainId }) => isChainInScope(context, chainId))
        .map(({ chainId }) => chainId),
    },
    { limit, offset: (page - 1) * limit },
  )
  const unread = new Set<string>()
  const items = await Promise.all(
    ids.map((one) => actionOf(context, one).catch((error) => lastSeen(context, one, error, unread))),
  )
  const missing = unread.size > 0 && { missing: [...unread] }
  return { items, page, limit, total, hasMore: page * limit < total, ...missing }
}

/** An action as it was last seen, if its chain does not answer; its networks are added to `unread`. */
async function lastSeen(
  context: EngineContext,
  id: string,
  error: unknown,
  unread: Set<string>,
): Promise<Action> {
  const found = error instanceof AppError ? await findIssuedAction(context, id) : undefined
  if (!found) throw error
  for (const { chainId } of found.txs) unread.add(networkNamed(context.catalog.networks, chainId).name)
  return actionOutput(context, { ...found, duplicates: [] }, JSON.parse(found.action.amounts) as unknown)
}

/** The requested amounts. A failed action paid out nothing; a full withdrawal states the amount from its receipt. */
async function actionAmounts(context: EngineContext, found: TrackedWithDuplicates): Promise<unknown> {
  const requested = JSON.parse(found.action.amounts) as { in: unknown; out: unknown } | null
  if (requested && ['FAILED', 'REFUNDED'].includes(publicStatus(found))) return { ...requested, out: null }
  if (!requested || requested.in !== null || requested.out !== null) return requested
  return { ...requested, out: (await withdrawnAmount(context, found)) ?? null }
}

/** The public status. An action that expired after a part of it was sent, such as an approval, has failed. */
const publicStatus = ({ action, txs }: Tracked): string =>
  actionStatus[
    shownState(
      action.status,
      txs.some(({ succeeded }) => succeeded === 1),
    )
  ]

const actionOutput = (
  context: EngineContext,
  { action, txs, duplicates }: TrackedWithDuplicates,
  amounts: unknown,
): Action => ({
  id: action.id,
  type: action.type,
  status: publicStatus({ action, txs }),
  strategyId: action.strategyId,
  strategySlug: action.strategySlug,
  originAddress: action.wallet,
  receiverAddress: action.receiver,
  amounts,
  transactions: [...txs, ...duplicates].map((tx, index) => transactionOutput(context, tx, index)),
  createdAt: isoOrNull(action.createdAt),
  updatedAt: isoOrNull(action.updatedAt),
  // An expired action whose transaction was never seen may still be sent, so it is not finished.
  finishedAt: isActionEnd(publicStatus({ action, txs })) ? isoOrNull(action.finishedAt) : null,
})

function transactionOutput({ catalog }: EngineContext, tx: ActionTxRow, index: number) {
  const network = networkNamed(catalog.networks, tx.chainId)
  const failed = tx.succeeded === 0
  return {
    index,
    kind: tx.kind,
    chainId: tx.chainId,
    network: network.name,
    to: tx.recipient,
    hash: tx.hash,
    nonce: tx.nonce,
    status: failed ? 'failed' : tx.succeeded === 1 ? 'confirmed' : 'pending',
    blockNumber: tx.blockNumber,
    gasUsed: tx.gasUsed,
    explorerUrl: network.explorer && tx.hash ? `${network.explorer}/tx/${tx.hash}` : null,
    error: failed ? 'reverted' : null,
  }
}
