import type { Amounts } from '../domain/accepted-amounts.ts'
import { nativeAddress } from '../domain/address.ts'
import type { Token } from '../domain/token.ts'
import type { Transaction } from '../domain/transaction.ts'
import { sumOf } from '../protocols/fee-amounts.ts'
import type { Intent } from '../protocols/intent.ts'
import { drift } from '../protocols/receipt-units.ts'
import { calldataRulesOf } from '../protocols/registry.ts'
import { feesOf, insideFeesOf, withoutFees } from '../protocols/service-fees-of-intent.ts'

/** An amount of a token. */
export type Spend = { token: Token; amount: bigint }

/** What an intent spends from the wallet, the native coin included. A withdrawal spends nothing. */
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

/** What an intent spends through an allowance; the native coin needs none. Some markets take the receipt this way. */
export function requiredAllowance(intent: Intent): Spend | undefined {
  if (intent.kind === 'withdraw')
    return calldataRulesOf(intent.strategy).takesReceipt
      ? { token: intent.strategy.receipt, amount: intent.shares ?? maxReceiptUnits(intent) }
      : undefined
  const spend = intent.kind === 'transfer' ? undefined : intentSpending(withoutFees(intent))
  if (!spend || spend.token.address === nativeAddress) return undefined
  return { ...spend, amount: spend.amount + sumOf(insideFeesOf(intent)) }
}

/** The most receipt units that a partial withdrawal may cost. */
export const maxReceiptUnits = ({ amount, units }: Extract<Intent, { kind: 'withdraw' }>): bigint =>
  units === undefined ? amount : units + drift(units)

/** What intents spend of each asset in total, by a stable name: `31337:0xabc`. */
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
