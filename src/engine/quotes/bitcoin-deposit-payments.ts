import { bitcoinNetwork } from '../../domain/bitcoin.ts'
import { AppError } from '../../domain/errors.ts'
import type { QuotePayment } from '../../store/engine/quote-payments.ts'
import type { Bitcoin, BitcoinTransaction } from '../../swaps/bitcoin-chain.ts'
import type { DepositTerms } from '../../swaps/deposit-provider.ts'

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
