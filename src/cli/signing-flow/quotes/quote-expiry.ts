import { AppError, adviceOf } from '../../../domain/errors.ts'
import { quoteExpiredError } from '../../../domain/used-order-and-expired-quote-errors.ts'
import type { Proposal } from '../../../planning/proposal.ts'
import { sameCommandHint } from './quote-matches-request.ts'

/** The least life that a quote needs for each transaction that comes before the one that uses it, in ms. */
const perStep = 2_000

/** Refuses a quote that has expired, or will before its transactions are sent. Nothing is signed. `isFixed`: it is of a plan file. */
export function refuseExpiredQuote(
  { expiresAt, legs }: Proposal,
  now: number,
  { isFixed = false } = {},
): void {
  if (expiresAt === null) return
  const left = Date.parse(expiresAt) - now
  if (left > perStep * (legs[0]?.transactions.length ?? 1)) return
  const next = isFixed ? adviceOf('POLICY_TAMPER')! : sameCommandHint
  if (left <= 0) throw quoteExpiredError(Date.parse(expiresAt), { isUnsigned: true, next })
  throw new AppError(
    'QUOTE_EXPIRED',
    `The quote expires in ${Math.floor(left / 1000)} s, too soon for its transactions`,
    { nothing: 'signed', next },
  )
}
