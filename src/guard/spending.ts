import { nativeAddress } from '../domain/address.ts'
import type { Amounts } from '../domain/swap-amounts.ts'
import type { Token } from '../domain/token.ts'
import type { Transaction } from '../domain/transaction.ts'
import { placeOf } from '../protocols/bindings.ts'
import type { Intent } from '../protocols/intent.ts'
import { drift } from '../protocols/receipt-units.ts'
import { feesOf, sumOf, withoutFees } from '../protocols/service-fee.ts'

/** So much of a token. */
export type Spend = { token: Token; amount: bigint }

/** What an intent takes out of the wallet, the native coin included. A withdrawal only brings. */
export function intentSpending(intent: Intent): Spend | undefined {
  switch (intent.kind) {
    case 'deposit':
      return { token: intent.strategy.asset, amount: intent.amount }
    case 'swap':
      return { token: intent.tokenIn, amount: intent.amountIn }
    case 'transfer':
      return { token: intent.token, amount: intent.amount + sumOf(feesOf(intent)) }
    case 'withdraw':
    case 'claim':
    case 'revoke':
      return undefined
  }
}

/** What an intent lets a contract take through an allowance: the native coin is sent, and never taken. Some markets take the receipt so. */
export function requiredAllowance(intent: Intent): Spend | undefined {
  if (intent.kind === 'withdraw')
    return placeOf(intent.strategy).takesReceipt
      ? { token: intent.strategy.receipt, amount: intent.shares ?? maxReceiptUnits(intent) }
      : undefined
  const spend = intent.kind === 'transfer' ? undefined : intentSpending(withoutFees(intent))
  return spend?.token.address === nativeAddress ? undefined : spend
}

/** The most of the receipt that a part may cost. */
export const maxReceiptUnits = ({ amount, units }: Extract<Intent, { kind: 'withdraw' }>): bigint =>
  units === undefined ? amount : units + drift(units)

/** What legs take of each asset together, by a name that is stable: `31337:0xabc`. */
export function spendsByAsset(intents: readonly Intent[]): Map<string, Spend> {
  const all = new Map<string, Spend>()
  for (const intent of intents) {
    const spend = intentSpending(intent)
    if (!spend) continue
    const asset = assetName(spend.token)
    all.set(asset, { ...spend, amount: spend.amount + (all.get(asset)?.amount ?? 0n) })
  }
  return all
}

/** The stable name of an asset. */
export const assetName = ({ chainId, address }: Pick<Token, 'chainId' | 'address'>): string =>
  `${chainId}:${address.toLowerCase()}`

/** Whom an intent pays. */
export const intentReceiver = (intent: Intent): Intent['wallet'] =>
  intent.kind === 'swap' || intent.kind === 'transfer' ? intent.recipient : intent.wallet

/** Whether a deposit or a withdrawal is an exchange at a price that moves. */
export const isPriced = (
  intent: Intent,
): intent is Extract<Intent, { kind: 'deposit' | 'withdraw' }> & { least: bigint } =>
  (intent.kind === 'deposit' || intent.kind === 'withdraw') && intent.least !== undefined

/** By how much less than expected a swap may bring, or more it may cost, as a fraction; `undefined` where it is not known or no swap. */
export function slippageOf(
  intent: Intent,
  { in: expectedIn, out: expectedOut }: { in: { raw: string } | null; out: { raw: string } | null },
): number | undefined {
  if (isPriced(intent))
    return expectedOut ? rounded(1 - ratio(intent.least, BigInt(expectedOut.raw))) : undefined
  if (intent.kind !== 'swap') return undefined
  const { tokenIn, tokenOut, amountIn, amountOut } = intent
  const isSameKind = tokenIn.symbol === tokenOut.symbol && tokenIn.decimals === tokenOut.decimals
  if (intent.exact === 'out')
    return expectedIn ? rounded(ratio(amountIn, BigInt(expectedIn.raw)) - 1) : undefined
  const bringing = expectedOut ? BigInt(expectedOut.raw) : isSameKind ? amountIn : undefined
  return bringing === undefined ? undefined : rounded(1 - ratio(amountOut, bringing))
}

/** By how much less than at a price amounts bring, as a fraction; nothing where they bring more. */
export const lossShare = (given: Amounts, price: Amounts): number =>
  Math.max(0, rounded(1 - ratio(given.amountOut * price.amountIn, given.amountIn * price.amountOut)))

/** To the digits that amounts carry, and not those of a difference of floats. */
const rounded = (share: number): number => Math.round(share * 1e9) / 1e9

/** A quotient of amounts, exact to twelve digits. */
const ratio = (a: bigint, b: bigint): number => (b === 0n ? 0 : Number((a * 10n ** 12n) / b) / 1e12)

/** A leg that has passed the guard, or what is left of it. `until`, in Unix seconds, is the latest time at which its calldata still holds. */
export type CheckedLeg = {
  chainId: number
  intent: Intent
  transactions: readonly Transaction[]
  until?: number
}

/** The latest time at which the calldata of a leg still holds: what it says itself, or else what the quote says. */
export function calldataDeadline(
  intent: Intent,
  call: { args: Readonly<Record<string, string>> } | undefined,
): { until?: number } {
  if (intent.kind !== 'swap') return {}
  const own = call?.args.deadline
  return { until: own === undefined ? intent.deadline : Number(own) }
}

/** Whether it is the native coin that is sent: then no contract is called. */
export const isNativeTransfer = (intent: Intent): boolean =>
  intent.kind === 'transfer' && intent.token.address === nativeAddress
