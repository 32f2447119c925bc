import type { IntentOf } from './intent.ts'

/** The fewest units of the token that are worth an amount, by its rate (1e18), plus one. */
export const leastUnitsFor = (rate: bigint, amount: bigint): bigint =>
  rate === 0n ? 0n : (amount * 10n ** 18n) / rate + 1n

type Withdrawal = IntentOf<'withdraw'>

/** The accepted difference between two readings of a cost in units of the receipt: 0.01 %. */
export const acceptedDrift = (units: bigint): bigint => units / 10_000n + 1n

/** Whether units of the receipt match a withdrawal: exactly all of them, or the cost of a part by our own reading. */
export function matchesWithdrawal(
  given: bigint,
  { shares, units }: Pick<Withdrawal, 'shares' | 'units'>,
): boolean {
  if (shares !== undefined) return given === shares
  if (units === undefined) return false
  return given <= units + acceptedDrift(units) && given >= units - acceptedDrift(units)
}
