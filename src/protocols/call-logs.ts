import type { Address, Hex } from '../domain/address.ts'

/** An event of a receipt. */
export type CallLog = { address: Address; topics: readonly Hex[]; data: Hex }

/**
 * What the events of a described contract tell beyond the transfers of tokens: accounts whose funds it moved, and native coin that it paid
 * out, in wei.
 */
export type LogTelling = {
  holders: readonly Address[]
  coins: readonly { to: Address; units: bigint }[]
}
