import { z } from 'zod'
import { ChainId } from '../../api/transaction.ts'
import { type Address, EvmAddress, sameAddress } from '../../domain/address.ts'
import { Units } from '../../domain/amount.ts'
import { AppError } from '../../domain/errors.ts'
import { plain } from '../../domain/text.ts'
import type { ServiceFee } from '../../protocols/intent.ts'
import { mostFees } from '../../protocols/intent-fees.ts'

const Stated = z.object({ token: EvmAddress, chainId: ChainId, amount: Units, of: Units, to: EvmAddress })

/** Whether a fee is one that somebody is paid by a transaction of its own; others are inside the amounts already. */
const isPaid = (fee: unknown): boolean => ((fee ?? {}) as { to?: unknown }).to != null

/** How many fees are paid by transactions of their own. */
export const paidIn = (fees: readonly unknown[] | null): number => (fees ?? []).filter(isPaid).length

/** The fees that a service says are paid, in the token that they may be paid in; another statement is POLICY_SERVICE_FEE. */
export function statedFees(
  fees: readonly unknown[] | null,
  { address, chainId, symbol }: { address: Address; chainId: number; symbol: string },
): ServiceFee[] {
  const no = (why: string) => new AppError('POLICY_SERVICE_FEE', why, { details: {}, hint: 'Try again.' })
  const paid = (fees ?? []).filter(isPaid)
  if (paid.length > mostFees)
    throw no(`The service charges ${paid.length} fees; at most ${mostFees} are accepted`)
  return paid.map((one) => {
    const fee = Stated.safeParse(one)
    if (!fee.success) throw no('The service charges a fee, but its description of the fee is invalid')
    const { token, chainId: on, to, amount, of } = fee.data
    if (!sameAddress(token, address) || on !== chainId)
      throw no(`The service quotes a fee in ${token}, but its transaction pays ${plain(symbol)}`)
    return { to, amount, of }
  })
}

/** What a service says of fees that it does not charge, such as why. */
export const notesOn = (fees: readonly unknown[] | null): string[] =>
  (fees ?? []).flatMap((fee) => {
    const { note } = (fee ?? {}) as { note?: unknown }
    return !isPaid(fee) && typeof note === 'string' ? [plain(note).slice(0, 200)] : []
  })
