import { bitcoinUri } from '../../domain/bitcoin.ts'
import type { DepositTerms } from '../../swaps/deposit-provider.ts'

/**
 * The stored deposit of a quote that begins on Bitcoin; `provider` is the provider's own data, which the client
 * checks again. `earlier` are payments with the same address and memo from before the quote, which belong to other
 * quotes; `null` is unknown.
 */
export type DepositRaw = {
  deposit: DepositInstructions
  provider: unknown
  earlier: readonly string[] | null
}

/** Returns the payment instructions of a deposit with these terms. */
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

/**
 * The payment instructions of a deposit as JSON: `amount` in satoshi, `until` ISO text; `uri` (BIP 21) is `null` if a
 * memo is needed, which a URI cannot carry.
 */
type DepositInstructions = {
  address: string
  amount: string
  memo: string | null
  until: string
  late: string
  /** The provider's fee on a refund, in satoshi; missing in an older quote. */
  refundFee?: string
  uri: string | null
}
