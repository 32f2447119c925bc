import type { Action } from '../../api/action.ts'
import type { Hex } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { networkNamed } from '../../domain/network.ts'
import type { ActionTxRow } from '../../store/engine-rows.ts'
import type { Context } from '../context.ts'
import { type FoundTx, isWanted } from './find.ts'
import { tracked } from './refresh.ts'
import { actionStatus, type State } from './states.ts'
import { actionRow, type Tracked } from './track.ts'

const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString())

/** A tracked operation, brought up to date with its chains. */
export async function actionOf(context: Context, id: string): Promise<Action> {
  const found = await tracked(context, id)
  if (!found) throw new AppError('ACTION_NOT_FOUND', `There is no action "${id}"`)
  return shown(context, found)
}

const shown = (context: Context, { action, txs }: Tracked): Action => ({
  id: action.id,
  type: action.type,
  // What expired after a part of it was sent, such as an approval, did not do what it was for.
  status:
    action.status === 'expired' && txs.some(({ succeeded }) => succeeded === 1)
      ? 'FAILED'
      : actionStatus[action.status as State],
  strategyId: action.strategyId,
  strategySlug: action.strategySlug,
  originAddress: action.wallet,
  receiverAddress: action.receiver,
  amounts: JSON.parse(action.amounts),
  transactions: txs.map((tx) => transactionOf(context, tx)),
  createdAt: iso(action.createdAt),
  updatedAt: iso(action.updatedAt),
  finishedAt: iso(action.finishedAt),
})

function transactionOf({ catalog }: Context, tx: ActionTxRow) {
  const network = networkNamed(catalog.networks, tx.chainId)
  const failed = tx.succeeded === 0
  return {
    index: tx.idx,
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

/** Takes a client's word for which transaction is its own, after looking at the transaction itself. */
export async function ingest(
  context: Context,
  input: { actionId: string; txHash?: Hex | undefined },
): Promise<Action> {
  const found = await actionRow(context, input.actionId)
  if (!found) throw new AppError('ACTION_NOT_FOUND', `There is no action "${input.actionId}"`)
  if (input.txHash) await bind(context, found, input.txHash)
  return actionOf(context, input.actionId)
}

async function bind(context: Context, { action, txs }: Tracked, hash: Hex): Promise<void> {
  for (const tx of txs.filter((one) => one.hash !== hash)) {
    const sent = await context
      .chain(tx.chainId)
      .rpc.request<FoundTx | null>('eth_getTransactionByHash', [hash])
    const wanted = {
      wallet: action.wallet as Hex,
      to: tx.recipient,
      data: tx.data,
      value: BigInt(tx.value),
      fromBlock: tx.fromBlock,
      fromNonce: tx.fromNonce,
    }
    if (sent && isWanted(sent, wanted))
      return void (await context.store.bindTx(action.id, tx.idx, tx.chainId, hash))
  }
}
