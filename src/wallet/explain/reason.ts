import type { Hex } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import type { Rpc } from '../../net/rpc.ts'
import type { Attempt, Step } from '../../store/operation.ts'
import { revertReason } from '../chain/revert.ts'
import type { Found } from '../execution/watch.ts'
import { whyReverted } from '../record/why-reverted.ts'

type Trace = { error?: string; output?: Hex }

/**
 * Why a transaction in a block reverted: by a trace of it where the node makes one, which sees what came before it in its
 * block, else by trying its call again on the state before that block.
 */
export async function reasonOf(
  rpc: Rpc,
  step: Step,
  found: Found,
  { gas }: Attempt,
): Promise<{ reason: string | null; isOutOfGas: boolean }> {
  if (found.ok) return { reason: null, isOutOfGas: false }
  const trace = await traceOf(rpc, found.hash)
  const isOutOfGas = /out.?of.?gas/i.test(trace?.error ?? '') || found.gasUsed >= gas
  if (isOutOfGas) return { reason: 'it ran out of gas', isOutOfGas }
  if (trace?.output !== undefined && trace.output !== '0x')
    return { reason: revertReason(trace.output), isOutOfGas }
  return { reason: await whyReverted(rpc, { ...step, inclusion: found }), isOutOfGas }
}

/** Not every node traces; one that does not says so with an error. */
const traceOf = (rpc: Rpc, hash: Hex): Promise<Trace | null> =>
  rpc
    .request<Trace | null>('debug_traceTransaction', [hash, { tracer: 'callTracer' }])
    .catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'RPC_ERROR') return null
      throw error
    })
