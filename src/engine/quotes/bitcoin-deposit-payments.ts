import { bitcoinNetwork } from '../../domain/bitcoin.ts'
import { AppError } from '../../domain/errors.ts'
import type { QuotePayment } from '../../store/engine/quote-payments.ts'
import type { BitcoinReader, BitcoinTransaction } from '../../swaps/bitcoin-reader.ts'
import type { DepositTerms } from '../../swaps/deposit-provider.ts'

/**
 * Maximum difference between a block time and this clock, in ms: a block may be two hours ahead, and is hardly an
 * hour behind.
 */
export const blockClockMs = 3 * 3_600_000

/** Whether a payment is in a block that is certainly older than a time. */
export const isBefore = ({ time }: BitcoinTransaction, since: number): boolean =>
  time !== null && time < since - blockClockMs

/**
 * Returns a payment to the address of a new deposit that is made for one swap (without a memo), so that it is none;
 * `undefined` if there is none, or Bitcoin cannot be read. `isIt` says which payments count.
 */
export async function usedBefore(
  bitcoin: BitcoinReader,
  { address, memo }: Pick<DepositTerms, 'address' | 'memo'>,
  isIt: (payment: BitcoinTransaction) => boolean,
): Promise<string | undefined> {
  if (memo !== null) return undefined
  try {
    const { transactions } = await bitcoin.addressHistory(address, isIt)
    return transactions.find(isIt)?.txid
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}

/**
 * Returns the payments that a new quote could mistake for its own: an address with a memo is shared, and an equal
 * swap has the same memo. An address made for one swap has none. `null` if they cannot be read.
 */
export async function earlierPayments(
  bitcoin: BitcoinReader,
  { address, memo }: Pick<DepositTerms, 'address' | 'memo'>,
  now: number,
): Promise<string[] | null> {
  if (memo === null) return []
  try {
    const { transactions, isCutOff } = await bitcoin.addressHistory(address, (one) => isBefore(one, now))
    return isCutOff ? null : transactions.filter((one) => one.memo === memo).map(({ txid }) => txid)
  } catch (error) {
    // A quote does not need Bitcoin; without it, the deposit can later be looked up only by its hash.
    if (error instanceof AppError) return null
    throw error
  }
}

/** Returns the outputs of a transaction to the deposit address, as payments that may be recorded for a quote. */
export const depositPayments = (
  { txid, outputs }: BitcoinTransaction,
  address: string,
): readonly QuotePayment[] =>
  outputs.flatMap((one, idx) =>
    one.address === address
      ? [{ kind: 'deposit', chainId: bitcoinNetwork.chainId, hash: txid, idx } as const]
      : [],
  )
