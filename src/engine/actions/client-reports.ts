import type { Chain } from '../../chain/chain.ts'
import type { Address, Hex } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import type { ActionTxRow } from '../../store/engine/migrations.ts'
import type { EngineContext } from '../context.ts'
import { hashesOf } from '../history/logs/block-ranges.ts'
import { inclusionFields, locateTransaction } from './chain-evidence.ts'
import { issuedVersions, type Tracked } from './tracking.ts'
import { makesCall, type RpcTransaction } from './wallet-blocks.ts'

/** Takes a hash that a client told of an operation. A transaction that does something else is BAD_REQUEST. */
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
 * Looks anew at what was told of an operation before any node knew it, and at what was sent beside a transaction that it does not have
 * any more. Says whether a transaction has another hash now. Once all of an operation is done, what was told can only stand beside it, and is
 * looked for an hour longer, as what waits may be.
 */
export async function retryClientReports(
  context: EngineContext,
  id: string,
  ways: readonly Tracked[],
): Promise<boolean> {
  const { store, now } = context
  const isOpen = ways.some(({ txs }) => txs.some(({ hash }) => hash === null))
  const isDone = ways.every(({ action }) => action.status === 'fulfilled')
  // A payment of the service may come later than what it is for, and is told with it.
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

/** What was sent a second time beside what an operation did, as the chain shows it. */
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

/** What a hash is: one of its transactions now, a second send of one that was carried out, of something else, or not known yet. */
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
    // What was carried out stays so, as long as its block is there, also where nobody has looked since.
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

/** Whether the transaction that a row has was carried out meanwhile. */
const hasSucceededNow = async (chain: Chain, { hash }: ActionTxRow): Promise<boolean> =>
  hash !== null && Number((await locateTransaction(chain, hash as Hex)).receipt?.status) === 1

/** Whether it makes the call that was asked for, and was not sent before that was asked for. */
const makesCallOf = (sent: RpcTransaction, wallet: Address, tx: ActionTxRow): boolean =>
  Number(sent.nonce) >= tx.fromNonce &&
  makesCall(sent, { wallet, to: tx.recipient, data: tx.data, value: BigInt(tx.value) })
