import type { Intent } from './intent.ts'

/** What a part costs in units of the token, by its rate: as many as are worth no less. */
export const unitsAt = (rate: bigint, amount: bigint): bigint =>
  rate === 0n ? 0n : (amount * 10n ** 18n) / rate + 1n

type Withdrawal = Extract<Intent, { kind: 'withdraw' }>

/** By how much what a part costs of the receipt may differ between two readings of its price: a ten thousandth. */
export const drift = (units: bigint): bigint => units / 10_000n + 1n

/** Whether so many units of the receipt are those of a withdrawal: exactly all of them, or what a part costs by our own reading. */
export function isUnits(given: bigint, { shares, units }: Pick<Withdrawal, 'shares' | 'units'>): boolean {
  if (shares !== undefined) return given === shares
  if (units === undefined) return false
  return given <= units + drift(units) && given >= units - drift(units)
}
