import type { Action } from '../../api/action.ts'
import type { Hex } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { isChainInScope } from '../catalog-lookups.ts'
import type { EngineContext } from '../engine.ts'
import { fieldError } from '../field-error.ts'
import { takeClientReport } from './client-reports.ts'
import { actionOf } from './get-action.ts'
import { findIssuedAction } from './issued-actions.ts'

/** The report of a client. Without a hash there is nothing to check. */
type ClientReport = {
  actionId: string
  event: 'SIGNED' | 'TX_FAILED' | 'CANCELLED'
  txHash?: Hex | undefined
  chainId?: number | undefined
}

/**
 * Takes a client's report of the hash of its transaction and checks it. A transaction with another call is refused; one that no node knows
 * yet is stored and checked later. Whether it succeeded is read from the chain only, also after TX_FAILED. After CANCELLED an action ends
 * as failed, once its chains show none of its transactions pending.
 */
export async function ingest(
  context: EngineContext,
  { actionId, event, txHash, chainId }: ClientReport,
): Promise<Action> {
  if (chainId !== undefined && !isChainInScope(context, chainId))
    throw fieldError('chainId', 'is not a network of this service')
  const found = await findIssuedAction(context, actionId)
  if (!found) throw new AppError('ACTION_NOT_FOUND', `There is no action "${actionId}"`)
  if (event === 'SIGNED') await context.store.listAction(context.customer, actionId)
  if (event === 'CANCELLED') {
    // The hash is that of the transaction in its place, which has another call.
    await context.store.endAction(context.customer, actionId, context.now())
    return actionOf(context, actionId)
  }
  if (txHash) await takeClientReport(context, found, txHash.toLowerCase() as Hex, chainId)
  return actionOf(context, actionId)
}
