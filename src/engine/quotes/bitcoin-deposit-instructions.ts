import { bitcoinUri } from '../../domain/bitcoin.ts'
import type { DepositTerms } from '../../swaps/deposit-provider.ts'

/**
 * What a quote that begins on Bitcoin keeps of its deposit; `provider` is the provider's own data, which the client checks again.
 * `earlier` are payments with the same address and memo that were there before the quote, and so are for another; `null` is unknown.
 */
export type DepositRaw = {
  deposit: DepositInstructions
  provider: unknown
  earlier: readonly string[] | null
}

/** How a deposit with these terms is paid. */
export const instructionsOf = ({
  address,
  amount,
  memo,
  until,
  late,
  refundFee,
}: DepositTerms): DepositInstructions => ({
  address,
  amount: String(amount),
  memo,
  until: new Date(until).toISOString(),
  late,
  refundFee: String(refundFee),
  uri: memo === null ? bitcoinUri(address, amount) : null,
})

/** How a deposit is paid, as JSON: `amount` in satoshi, `until` ISO text; `uri` (BIP 21) is `null` where a memo is needed, which a URI cannot carry. */
type DepositInstructions = {
  address: string
  amount: string
  memo: string | null
  until: string
  late: string
  /** What the provider keeps of a refund, in satoshi; an older quote has none. */
  refundFee?: string
  uri: string | null
}
