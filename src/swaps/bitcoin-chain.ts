/**
 * A transaction of Bitcoin, as far as it is read here. Amounts are in satoshi; `height` and `time` (epoch ms) are those of its block, `null`
 * while it waits. `senders` are the addresses that it spends from.
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

/** What is asked of a Bitcoin chain. */
export type Bitcoin = {
  /** A transaction by its hash; `undefined` if the chain and the mempool do not have it. */
  transaction: (txid: string) => Promise<BitcoinTransaction | undefined>
  /**
   * The transactions of an address, newest first: those that wait, and those in blocks until one of them `isLast`. `isCutOff`: it has
   * more than are read, and none of those that were read is the last.
   */
  of: (address: string, isLast: (one: BitcoinTransaction) => boolean) => Promise<AddressHistory>
  /** How many blocks a transaction is deep, its own included; 0 while it waits. */
  confirmations: (transaction: BitcoinTransaction) => Promise<number>
}

/** The transactions of an address as far as they were read. */
export type AddressHistory = { transactions: readonly BitcoinTransaction[]; isCutOff: boolean }

/** What a transaction pays to an address, in satoshi. */
export const paidTo = ({ outputs }: BitcoinTransaction, address: string): bigint =>
  outputs.reduce((sum, one) => (one.address === address ? sum + one.value : sum), 0n)
