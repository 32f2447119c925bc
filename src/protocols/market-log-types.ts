import type { Address, Hex } from '../domain/address.ts'

/**
 * The meaning of a log of a market for one owner. An `amount` is `null` until the shares are priced. `shares` are units of the receipt that do
 * not rebase, one number for each way in which the contract may have rounded; empty if the log does not contain them.
 */
export type MarketEvent = {
  type: 'deposit' | 'withdraw' | 'transfer_in' | 'transfer_out' | 'claim'
  amount: bigint | null
  shares: readonly bigint[]
}

/** One filter of `eth_getLogs`: topics by position. If no topic names the owner, all logs of the event are read, and `isAbout` selects the owner's. */
export type LogFilter = { address: Address; topics: (Hex | null)[]; isAbout?: (log: Log) => boolean }
/** The parts of a log that give its meaning. */
export type Log = { address: Address; topics: Hex[]; data: Hex }
/** A log with its transaction. */
export type SentLog = Log & { transactionHash: Hex }
