import { nativeAddress } from '../domain/address.ts'
import type { Token } from '../domain/token.ts'
import { sumOf } from '../protocols/fee-payments.ts'
import type { Intent, IntentOf } from '../protocols/intent.ts'
import { calldataRulesOf } from '../protocols/registry.ts'
import { feesOf, insideFeesOf, withoutFees } from '../protocols/service-fees-of-intent.ts'
import { acceptedDrift } from '../protocols/withdrawal-units.ts'

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
    case 'deliver':
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
export const maxReceiptUnits = ({ amount, units }: IntentOf<'withdraw'>): bigint =>
  units === undefined ? amount : units + acceptedDrift(units)

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
