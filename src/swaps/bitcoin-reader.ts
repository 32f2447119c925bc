/**
 * A Bitcoin transaction, reduced to the fields that swaps need. Amounts are in satoshi. `height` and `time` (epoch ms) are those of its
 * block, `null` while it is unconfirmed. `senders` are the addresses of its inputs.
 */
export type BitcoinTransaction = {
  txid: string
  outputs: readonly { address: string | null; value: bigint }[]
  /** The text of its OP_RETURN output; `null` without one. */
  memo: string | null
  height: number | null
  time: number | null
  senders: readonly string[]
}

/** Reads a Bitcoin chain. */
export type BitcoinReader = {
  /** A transaction by its hash; `undefined` if the chain and the mempool do not have it. */
  transaction: (txid: string) => Promise<BitcoinTransaction | undefined>
  /**
   * The transactions of an address, newest first. Reading stops at the page with a transaction that `isLast`. `isCutOff`: the page limit
   * was reached before such a transaction.
   */
  addressHistory: (address: string, isLast: (one: BitcoinTransaction) => boolean) => Promise<AddressHistory>
  /** The number of confirmations of a transaction; 0 while it is unconfirmed. */
  confirmations: (transaction: BitcoinTransaction) => Promise<number>
}

/** The transactions of an address that were read. */
export type AddressHistory = { transactions: readonly BitcoinTransaction[]; isCutOff: boolean }

/** The amount that a transaction pays to an address, in satoshi. */
export const amountPaidTo = ({ outputs }: BitcoinTransaction, address: string): bigint =>
  outputs.reduce((sum, one) => (one.address === address ? sum + one.value : sum), 0n)

/** The newest transaction that pays to an address, in a block or not; `undefined` if nothing was ever paid to it. */
export async function newestPaymentTo(
  { addressHistory }: Pick<BitcoinReader, 'addressHistory'>,
  address: string,
): Promise<string | undefined> {
  const isPayment = (one: BitcoinTransaction) => amountPaidTo(one, address) > 0n
  const { transactions } = await addressHistory(address, isPayment)
  return transactions.find(isPayment)?.txid
}
