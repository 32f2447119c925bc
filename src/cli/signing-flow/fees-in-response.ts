import { z } from 'zod'
import { ChainId } from '../../api/transaction.ts'
import { type Address, EvmAddress, sameAddress } from '../../domain/address.ts'
import { Units } from '../../domain/amount.ts'
import { AppError } from '../../domain/errors.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import type { ServiceFee } from '../../protocols/intent.ts'
import { mostFees } from '../../protocols/service-fees-of-intent.ts'

const Stated = z.object({
  token: EvmAddress,
  chainId: ChainId,
  amount: Units,
  of: Units,
  to: EvmAddress,
  // A service of an older version does not say it.
  paidBy: z.enum(['action', 'step']).default('step'),
})

/** Whether a fee is paid to a collector; other fees are already in the amounts. */
const isPaid = (fee: unknown): boolean => ((fee ?? {}) as { to?: unknown }).to != null

/** How many fees of a withdrawal are paid, each by a transaction of its own. */
export const paidIn = (fees: readonly unknown[] | null): number => (fees ?? []).filter(isPaid).length

/** The paid fees of a service response, in the expected token; POLICY_SERVICE_FEE for any other. */
export function statedFees(
  fees: readonly unknown[] | null,
  { address, chainId, symbol }: { address: Address; chainId: number; symbol: string },
): ServiceFee[] {
  const no = (why: string) => new AppError('POLICY_SERVICE_FEE', why, { details: {}, next: 'Try again.' })
  const paid = (fees ?? []).filter(isPaid)
  if (paid.length > mostFees)
    throw no(`The service charges ${paid.length} fees; at most ${mostFees} are accepted`)
  return paid.map((one) => {
    const fee = Stated.safeParse(one)
    if (!fee.success) throw no('The service charges a fee, but its description of the fee is invalid')
    const { token, chainId: on, to, amount, of, paidBy } = fee.data
    if (!sameAddress(token, address) || on !== chainId)
      throw no(`The service quotes a fee in ${token}, but its transaction pays ${sanitizeText(symbol)}`)
    return { to, amount, of, ...(paidBy === 'action' && { isInside: true }) }
  })
}

/** The notes about fees that are not charged. */
export const notesOn = (fees: readonly unknown[] | null): string[] =>
  (fees ?? []).flatMap((fee) => {
    const { note } = (fee ?? {}) as { note?: unknown }
    return !isPaid(fee) && typeof note === 'string' ? [sanitizeText(note).slice(0, 200)] : []
  })
