import type { Action } from '../../api/action.ts'
import type { Hex } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { type EngineContext, isChainInScope } from '../context.ts'
import { actionOf } from './action.ts'
import { takeClientReport } from './client-reports.ts'
import { findOperation } from './tracking.ts'

/** What a client tells. Without a hash nothing of it can be looked at. */
type ClientReport = {
  actionId: string
  event: 'SIGNED' | 'TX_FAILED'
  txHash?: Hex | undefined
  chainId?: number | undefined
}

/**
 * Takes a client's word for which transaction is its own, after looking at the transaction itself: one that does something else is
 * refused, and one that no node has seen yet is remembered, to be looked at later. How it went, also after TX_FAILED, only the chain says.
 */
export async function ingest(
  context: EngineContext,
  { actionId, txHash, chainId }: ClientReport,
): Promise<Action> {
  if (chainId !== undefined && !isChainInScope(context, chainId))
    throw invalidField('chainId', 'is not a network that is served')
  const found = await findOperation(context, actionId)
  if (!found) throw new AppError('ACTION_NOT_FOUND', `There is no action "${actionId}"`)
  if (txHash) await takeClientReport(context, found, txHash.toLowerCase() as Hex, chainId)
  return actionOf(context, actionId)
}

const invalidField = (path: string, message: string): AppError =>
  new AppError('VALIDATION_ERROR', `${path} ${message}`, { details: { errors: [{ path, message }] } })
