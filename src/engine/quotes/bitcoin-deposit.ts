import { bitcoinNetwork, bitcoinUri } from '../../domain/bitcoin.ts'
import { AppError } from '../../domain/errors.ts'
import type { QuotePayment } from '../../store/engine/quote-payments.ts'
import type { Bitcoin, BitcoinTransaction, DepositTerms } from '../../swaps/deposit-provider.ts'

/**
 * What a quote that begins on Bitcoin keeps of its deposit; `provider` is the provider's own data, which the client checks again.
 * `earlier` are payments with the same address and memo that were there before the quote, and so are for another; `null` is unknown.
 */
export type DepositRaw = {
  deposit: DepositInstructions
  provider: unknown
  earlier: readonly string[] | null
}

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

/** How far the time of a block may be from ours, in ms: a block may be two hours ahead, and is hardly an hour behind. */
export const blockClockMs = 3 * 3_600_000

/** Whether a payment is in a block from before a time. */
export const isBefore = ({ time }: BitcoinTransaction, since: number): boolean =>
  time !== null && time < since - blockClockMs

/**
 * The payments that a new quote would take for its own: the address of a memo is for all, and the same swap has the same memo. An address
 * that is made for one swap has none. `null` where they cannot be read.
 */
export async function earlierPayments(
  bitcoin: Bitcoin,
  { address, memo }: Pick<DepositTerms, 'address' | 'memo'>,
  now: number,
): Promise<string[] | null> {
  if (memo === null) return []
  try {
    const { transactions, isCutOff } = await bitcoin.of(address, (one) => isBefore(one, now))
    return isCutOff ? null : transactions.filter((one) => one.memo === memo).map(({ txid }) => txid)
  } catch (error) {
    // Bitcoin is not needed for a quote: its deposit is then looked up by its hash only.
    if (error instanceof AppError) return null
    throw error
  }
}

/** The outputs of a transaction that pay the deposit address, as payments that may end a quote. */
export const depositPayments = (
  { txid, outputs }: BitcoinTransaction,
  address: string,
): readonly QuotePayment[] =>
  outputs.flatMap((one, idx) =>
    one.address === address
      ? [{ kind: 'deposit', chainId: bitcoinNetwork.chainId, hash: txid, idx } as const]
      : [],
  )
