import type { Chain } from '../../chain/chain.ts'
import type { Address, Hex } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import type { ActionTxRow } from '../../store/engine/migrations.ts'
import type { EngineContext } from '../context.ts'
import { hashesOf } from '../history/logs/block-ranges.ts'
import { inclusionFields, locateTransaction } from './chain-evidence.ts'
import { issuedVersions, type Tracked } from './tracking.ts'
import { makesCall, type RpcTransaction } from './wallet-blocks.ts'

/** Takes a hash that a client reported for an action. A transaction with another call is BAD_REQUEST. */
export async function takeClientReport(
  context: EngineContext,
  found: Tracked,
  hash: Hex,
  only?: number,
): Promise<void> {
  const { store, customer, now } = context
  const told = { actionId: found.action.id, hash, chainId: only ?? null, idx: null, toldAt: now() }
  const taken = await applyReport(context, await issuedVersions(context, found), told)
  if (taken === 'unknown') await store.saveClientReport(customer, told)
  if (taken === 'none')
    throw new AppError('BAD_REQUEST', `${hash} is not a transaction of this action`, {
      details: { actionId: found.action.id, txHash: hash },
    })
}

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/**
 * Checks again the reports that no node knew, and the duplicates of a transaction that the action has lost. Returns whether a transaction
 * has a new hash. When the whole action is done, a report can only be a duplicate, and is checked for one more hour, because it may still
 * be pending.
 */
export async function retryClientReports(
  context: EngineContext,
  id: string,
  ways: readonly Tracked[],
): Promise<boolean> {
  const { store, now } = context
  const isOpen = ways.some(({ txs }) => txs.some(({ hash }) => hash === null))
  const isDone = ways.every(({ action }) => action.status === 'fulfilled')
  // A payment to the service may be sent after its action, and is reported with it.
  const isWhole = isDone && !isOpen
  const doneAt = isWhole ? Math.max(...ways.map(({ action }) => action.finishedAt ?? 0)) : 0
  let isNew = false
  for (const one of await store.clientReports(id)) {
    const waitedMs = now() - Math.max(one.toldAt, doneAt)
    if (one.idx === null && waitedMs > (isWhole ? hourMs : dayMs)) {
      if (isWhole) await store.deleteClientReport(one)
      continue
    }
    if (one.idx !== null && (isDone || !isOpen)) continue
    const taken = await applyReport(context, ways, one)
    if (taken === 'bound' || taken === 'none') await store.deleteClientReport(one)
    if (taken === 'bound') isNew = true
  }
  return isNew
}

/** Reads the duplicates of an action's transactions from the chain. */
export async function duplicateSends(
  context: EngineContext,
  id: string,
  ways: readonly Tracked[],
): Promise<ActionTxRow[]> {
  const rows: ActionTxRow[] = []
  for (const { hash, idx, chainId } of await context.store.clientReports(id)) {
    const tx = ways.flatMap(({ txs }) => txs).find((one) => one.idx === idx && one.chainId === chainId)
    if (!tx || tx.hash === hash) continue
    const { receipt, nonce } = await locateTransaction(context.chain(tx.chainId), hash as Hex)
    rows.push({ ...tx, hash, nonce: nonce ?? null, ...inclusionFields(receipt) })
  }
  return rows
}

/** The result of a report: the hash of a transaction now, a duplicate of one that succeeded, not of this action, or unknown to the node. */
type ReportOutcome = 'bound' | 'beside' | 'none' | 'unknown'

async function applyReport(
  context: EngineContext,
  ways: readonly Tracked[],
  {
    actionId,
    hash,
    chainId: only,
    toldAt,
  }: { actionId: string; hash: string; chainId: number | null; toldAt: number },
): Promise<ReportOutcome> {
  const { store, customer } = context
  const here = ways
    .flatMap(({ action, txs }) => txs.map((tx) => ({ ...tx, wallet: action.wallet as Address })))
    .filter(({ chainId }) => only === null || chainId === only)
  if (here.some((tx) => tx.hash === hash)) return 'bound'
  for (const chainId of new Set(here.map((tx) => tx.chainId))) {
    const chain = context.chain(chainId)
    const sent = await chain.rpc.request<RpcTransaction | null>('eth_getTransactionByHash', [hash])
    if (!sent) continue
    const its = here.filter((tx) => tx.chainId === chainId && makesCallOf(sent, tx.wallet, tx))
    const mine = its.find(({ succeeded }) => succeeded !== 1) ?? its[0]
    if (!mine) return 'none'
    const { blockNumber, idx } = mine
    const number = BigInt(blockNumber ?? -1)
    // A successful transaction stays while its block is canonical, even if it was not refreshed since.
    const now = mine.succeeded === 1 ? (await hashesOf(chain, [number])).get(number) : undefined
    const isLost = now !== undefined && now !== mine.blockHash
    if (mine.succeeded === 1 ? !isLost : await hasSucceededNow(chain, mine)) {
      await store.saveClientReport(customer, { actionId, hash, chainId, idx, toldAt })
      return 'beside'
    }
    return (await store.bindTx(customer, mine, hash, isLost)) ? 'bound' : 'unknown'
  }
  return 'unknown'
}

/** Whether the transaction of a row has succeeded meanwhile. */
const hasSucceededNow = async (chain: Chain, { hash }: ActionTxRow): Promise<boolean> =>
  hash !== null && Number((await locateTransaction(chain, hash as Hex)).receipt?.status) === 1

/** Whether a transaction makes the issued call, and was not sent before the action was issued. */
const makesCallOf = (sent: RpcTransaction, wallet: Address, tx: ActionTxRow): boolean =>
  Number(sent.nonce) >= tx.fromNonce &&
  makesCall(sent, { wallet, to: tx.recipient, data: tx.data, value: BigInt(tx.value) })
