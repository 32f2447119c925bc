import { AppError } from '../../../domain/errors.ts'
import type { Proposal } from '../../../planning/proposal-types.ts'

/** The least life that a quote needs for each transaction that comes before the one that uses it, in ms. */
const perStep = 2_000

/** Refuses a quote that has expired, or will before its transactions are sent. Nothing is signed. */
export function refuseExpired({ expiresAt, legs }: Proposal, now: number): void {
  if (expiresAt === null) return
  const left = Date.parse(expiresAt) - now
  if (left > perStep * (legs[0]?.transactions.length ?? 1)) return
  throw new AppError(
    'QUOTE_EXPIRED',
    left <= 0
      ? `The quote expired at ${expiresAt}. Nothing was signed.`
      : `The quote expires in ${Math.floor(left / 1000)} s, too soon for its transactions. Nothing was signed.`,
  )
}
