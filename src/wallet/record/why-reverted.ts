import type { Hex } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import type { Rpc } from '../../net/rpc.ts'
import type { Step } from '../../store/operation.ts'
import { revertReason } from '../chain/revert.ts'

/** Why a step reverted, by trying its call again on the state before its block; `null` where the node no longer has it, or it would pass there. */
export async function whyReverted(
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
