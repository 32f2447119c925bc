import type { Action } from '../../api/action.ts'
import type { Address, Hex } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import type { ActionTxRow } from '../../store/engine-rows.ts'
import { type Context, seesChain } from '../context.ts'
import { type FoundTx, isWanted } from './find.ts'
import { actionOf } from './show.ts'
import { actionRow, type Tracked, waysOf } from './track.ts'

/** What a client tells. Without a hash nothing of it can be looked at. */
type Told = {
  actionId: string
  event: 'SIGNED' | 'TX_FAILED'
  txHash?: Hex | undefined
  chainId?: number | undefined
}

/**
 * Takes a client's word for which transaction is its own, after looking at the transaction itself: one that does something else is
 * refused, and one that no node has seen yet is nobody's. How it went, also after TX_FAILED, only the chain says.
 */
export async function ingest(context: Context, { actionId, txHash, chainId }: Told): Promise<Action> {
  if (chainId !== undefined && !seesChain(context, chainId))
    throw refused('chainId', 'is not a network that is served')
  const found = await actionRow(context, actionId)
  if (!found) throw new AppError('ACTION_NOT_FOUND', `There is no action "${actionId}"`)
  if (txHash) await bind(context, found, txHash.toLowerCase() as Hex, chainId)
  return actionOf(context, actionId)
}

const refused = (path: string, message: string): AppError =>
  new AppError('VALIDATION_ERROR', `${path} ${message}`, { details: { errors: [{ path, message }] } })

async function bind(context: Context, found: Tracked, hash: Hex, only?: number): Promise<void> {
  const handedOut = (await waysOf(context, found)).flatMap(({ action, txs }) =>
    txs.map((tx) => ({ ...tx, wallet: action.wallet as Address })),
  )
  const here = handedOut.filter(({ chainId }) => only === undefined || chainId === only)
  if (here.some((tx) => tx.hash === hash)) return
  for (const chainId of new Set(here.map((tx) => tx.chainId))) {
    const { rpc } = context.chain(chainId)
    const sent = await rpc.request<FoundTx | null>('eth_getTransactionByHash', [hash])
    if (!sent) continue
    const mine = here.find((tx) => tx.chainId === chainId && isOf(sent, tx.wallet, tx))
    if (mine) return void (await context.store.bindTx(context.customer, mine, hash))
    throw new AppError('BAD_REQUEST', `${hash} is not a transaction of this action`, {
      details: { actionId: found.action.id, txHash: hash },
    })
  }
}

/** Whether it makes the call that was asked for, and was not sent before that was asked for. */
const isOf = (sent: FoundTx, wallet: Address, tx: ActionTxRow): boolean =>
  Number(sent.nonce) >= tx.fromNonce &&
  isWanted(sent, { wallet, to: tx.recipient, data: tx.data, value: BigInt(tx.value) })
