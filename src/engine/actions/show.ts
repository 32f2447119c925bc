import type { Action } from '../../api/action.ts'
import { AppError } from '../../domain/errors.ts'
import { networkNamed } from '../../domain/network-named.ts'
import type { ActionTxRow } from '../../store/engine-rows.ts'
import type { Context } from '../context.ts'
import { cameOut } from './came-out.ts'
import { type TrackedWhole, tracked } from './refresh.ts'
import { actionStatus, type State } from './states.ts'
import type { Tracked } from './track.ts'

const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString())

/** A tracked operation, brought up to date with its chains. */
export async function actionOf(context: Context, id: string): Promise<Action> {
  const found = await tracked(context, id)
  if (!found) throw new AppError('ACTION_NOT_FOUND', `There is no action "${id}"`)
  return shown(context, found, await amountsOf(context, found))
}

/** What was asked for, of which nothing came out where it failed; what came is said where that was all there is. */
async function amountsOf(context: Context, found: TrackedWhole): Promise<unknown> {
  const asked = JSON.parse(found.action.amounts) as { in: unknown; out: unknown } | null
  if (asked && ['FAILED', 'REFUNDED'].includes(statusOf(found))) return { ...asked, out: null }
  if (!asked || asked.in !== null || asked.out !== null) return asked
  return { ...asked, out: (await cameOut(context, found)) ?? null }
}

/** What expired after a part of it was sent, such as an approval, did not do what it was for. */
const statusOf = ({ action, txs }: Tracked): string =>
  action.status === 'expired' && txs.some(({ succeeded }) => succeeded === 1)
    ? 'FAILED'
    : actionStatus[action.status as State]

const shown = (context: Context, { action, txs, others }: TrackedWhole, amounts: unknown): Action => ({
  id: action.id,
  type: action.type,
  status: statusOf({ action, txs }),
  strategyId: action.strategyId,
  strategySlug: action.strategySlug,
  originAddress: action.wallet,
  receiverAddress: action.receiver,
  amounts,
  transactions: [...txs, ...others].map((tx, index) => transactionOf(context, tx, index)),
  createdAt: iso(action.createdAt),
  updatedAt: iso(action.updatedAt),
  finishedAt: iso(action.finishedAt),
})

function transactionOf({ catalog }: Context, tx: ActionTxRow, index: number) {
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
