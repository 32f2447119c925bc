import { nativeAddress } from '../domain/address.ts'
import type { Intent } from '../protocols/intent.ts'

/** The recipient of an intent. */
export const intentReceiver = (intent: Intent): Intent['wallet'] =>
  intent.kind === 'swap' || intent.kind === 'transfer' ? intent.recipient : intent.wallet

/** When a leg's calldata expires: by its own deadline, otherwise by the quote. */
export function calldataDeadline(
  intent: Intent,
  call: { args: Readonly<Record<string, string>> } | undefined,
): { until?: number } {
  if (intent.kind !== 'swap') return {}
  const own = call?.args.deadline
  return { until: own === undefined ? intent.deadline : Number(own) }
}

/** Whether the native coin is transferred, so that no contract is called. */
export const isNativeTransfer = (intent: Intent): boolean =>
  intent.kind === 'transfer' && intent.token.address === nativeAddress
