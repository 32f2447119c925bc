import type { Amounts } from '../domain/accepted-amounts.ts'
import { nativeAddress } from '../domain/address.ts'
import type { Transaction } from '../domain/transaction.ts'
import type { Intent } from '../protocols/intent.ts'

/** The recipient of an intent. */
export const intentReceiver = (intent: Intent): Intent['wallet'] =>
  intent.kind === 'swap' || intent.kind === 'transfer' ? intent.recipient : intent.wallet

/** Whether a deposit or withdrawal is an exchange at a moving price. */
export const isPriced = (
  intent: Intent,
): intent is Extract<Intent, { kind: 'deposit' | 'withdraw' }> & { least: bigint } =>
  (intent.kind === 'deposit' || intent.kind === 'withdraw') && intent.least !== undefined

/** The slippage of a swap, as a fraction of the expected amount; `undefined` if unknown or not a swap. */
export function slippageOf(
  intent: Intent,
  { in: expectedIn, out: expectedOut }: { in: { raw: string } | null; out: { raw: string } | null },
): number | undefined {
  if (isPriced(intent))
    return expectedOut ? roundFraction(1 - ratio(intent.least, BigInt(expectedOut.raw))) : undefined
  if (intent.kind !== 'swap') return undefined
  const { tokenIn, tokenOut, amountIn, amountOut } = intent
  const isSameKind = tokenIn.symbol === tokenOut.symbol && tokenIn.decimals === tokenOut.decimals
  if (intent.exact === 'out')
    return expectedIn ? roundFraction(ratio(amountIn, BigInt(expectedIn.raw)) - 1) : undefined
  const bringing = expectedOut ? BigInt(expectedOut.raw) : isSameKind ? amountIn : undefined
  return bringing === undefined ? undefined : roundFraction(1 - ratio(amountOut, bringing))
}

/** How much less than at a price amounts bring, as a fraction; zero if more. */
export const lossShare = (given: Amounts, price: Amounts): number =>
  Math.max(0, roundFraction(1 - ratio(given.amountOut * price.amountIn, given.amountIn * price.amountOut)))

/** Rounds a fraction to the digits that amounts carry. */
const roundFraction = (share: number): number => Math.round(share * 1e9) / 1e9

/** The quotient of two amounts, to twelve digits. */
const ratio = (a: bigint, b: bigint): number => (b === 0n ? 0 : Number((a * 10n ** 12n) / b) / 1e12)

/** A leg, or the rest of one, that has passed the guard. `until` (Unix seconds) is when its calldata expires. */
export type CheckedLeg = {
  chainId: number
  intent: Intent
  transactions: readonly Transaction[]
  until?: number
}

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
