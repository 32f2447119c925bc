import { revertReason } from '../chain/reverts/reason.ts'
import type { Rpc } from '../chain/rpc/rpc.ts'
import type { Hex } from '../domain/address.ts'
import { AppError } from '../domain/errors.ts'
import type { Attempt, Step } from '../store/journal/operation.ts'
import type { MinedTransaction } from '../transactions/confirmation/find-transaction.ts'

/** Why a step reverted, by trying its call again on the state before its block; `null` where the node no longer has it, or it would pass there. */
export async function revertCause(
  rpc: Rpc,
  { wallet, transaction, inclusion }: Step,
): Promise<string | null> {
  if (!inclusion) return null
  const { to, data, value } = transaction
  const call = { from: wallet, to, data, value: `0x${value.toString(16)}` }
  try {
    await rpc.request('eth_call', [call, `0x${(inclusion.blockNumber - 1).toString(16)}`])
    return null
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'RPC_ERROR') return null
    const { data: returned, message } = error.details as { data: unknown; message: string }
    return revertReason(typeof returned === 'string' ? (returned as Hex) : undefined, message)
  }
}

type Trace = { error?: string; output?: Hex }

/**
 * Why a transaction in a block reverted: by a trace of it where the node makes one, which sees what came before it in its
 * block, else by trying its call again on the state before that block.
 */
export async function minedRevertReason(
  rpc: Rpc,
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

/** Not every node traces; one that does not says so with an error. */
const traceOf = (rpc: Rpc, hash: Hex): Promise<Trace | null> =>
  rpc
    .request<Trace | null>('debug_traceTransaction', [hash, { tracer: 'callTracer' }])
    .catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'RPC_ERROR') return null
      throw error
    })
