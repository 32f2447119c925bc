import type { ChainClient } from '../chain/chain-client.ts'
import { callAt } from '../chain/eth-call.ts'
import type { MinedTransaction } from '../chain/finality/find-mined-transaction.ts'
import { revertReason } from '../chain/reverts/reason.ts'
import { isNodeError } from '../chain/rpc/errors.ts'
import { hexQuantity } from '../chain/rpc/quantities.ts'
import type { Hex } from '../domain/address.ts'
import { AppError } from '../domain/errors.ts'
import type { Attempt, Inclusion, Step } from '../store/journal/operation-types.ts'

/**
 * The cause of a step's revert, by calling it again on the state before its block; `null` if the node lacks that state, or the call
 * succeeds there.
 */
export async function revertCause(
  rpc: ChainClient,
  {
    wallet,
    transaction,
    inclusion,
  }: Pick<Step, 'wallet' | 'transaction'> & { inclusion: Pick<Inclusion, 'blockNumber'> | null },
): Promise<string | null> {
  if (!inclusion) return null
  const { to, data, value } = transaction
  const call = { from: wallet, to, data, value: hexQuantity(value) }
  try {
    await callAt(rpc, call, inclusion.blockNumber - 1)
    return null
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'RPC_ERROR') return null
    const { data: returned, message } = error.details as { data: unknown; message: string }
    return revertReason(typeof returned === 'string' ? (returned as Hex) : undefined, message)
  }
}

type Trace = { error?: string; output?: Hex }

/**
 * The cause of a mined revert: by a trace if the node supports it, which includes earlier transactions of the block, otherwise by
 * calling it again on the state before the block.
 */
export async function minedRevertReason(
  rpc: ChainClient,
  step: Step,
  found: MinedTransaction,
  { gas }: Attempt,
): Promise<{ reason: string | null; isOutOfGas: boolean }> {
  if (found.ok) return { reason: null, isOutOfGas: false }
  const trace = await traceOf(rpc, found.hash)
  const isOutOfGas = /out.?of.?gas/i.test(trace?.error ?? '') || found.gasUsed >= gas
  if (isOutOfGas) return { reason: 'it ran out of gas', isOutOfGas }
  if (trace?.output !== undefined && trace.output !== '0x')
    return { reason: revertReason(trace.output), isOutOfGas }
  return { reason: await revertCause(rpc, { ...step, inclusion: found }), isOutOfGas }
}

/** The trace of a transaction; `null` from a node without tracing. */
const traceOf = (rpc: ChainClient, hash: Hex): Promise<Trace | null> =>
  rpc
    .request<Trace | null>('debug_traceTransaction', [hash, { tracer: 'callTracer' }])
    .catch((error: unknown) => {
      if (isNodeError(error)) return null
      throw error
    })
