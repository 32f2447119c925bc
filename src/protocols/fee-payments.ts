import type { Address } from '../domain/address.ts'

/** What the collector of a fee is paid, in the smallest unit of a token that is known beside it. */
export type FeePayment = { to: Address; amount: bigint }

export const sumOf = (fees: readonly Pick<FeePayment, 'amount'>[]): bigint =>
  fees.reduce((sum, { amount }) => sum + amount, 0n)
