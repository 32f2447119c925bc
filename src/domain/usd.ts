import { formatUnits } from 'viem/utils'

/** The price of one whole token in USD with 8 decimals; `null` if unknown. */
export type Price = bigint | null

/** Returns the value of an amount as a decimal string with at most 8 decimals; `null` without a price. */
export const usd = (
  amount: bigint | null,
  { decimals }: { decimals: number },
  price: Price,
): string | null =>
  amount === null || price === null ? null : formatUnits((amount * price) / 10n ** BigInt(decimals), 8)

/** Sums amounts in USD; unknown amounts count as zero. */
export const sumUsd = (values: readonly (string | null)[]): string =>
  formatUnits(
    values.reduce((sum, value) => sum + (value === null ? 0n : toUnits(value)), 0n),
    8,
  )

function toUnits(value: string): bigint {
  const [, sign, whole, fraction = ''] = /^(-?)([0-9]+)(?:\.([0-9]+))?$/.exec(value)!
  const units = BigInt(whole + fraction.slice(0, 8).padEnd(8, '0'))
  return sign ? -units : units
}
