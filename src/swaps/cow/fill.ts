import { decodeEventLog, encodeEventTopics, padHex } from 'viem/utils'
import { type Address, type Hex, sameAddress } from '../../domain/address.ts'
import { settlementAbi as abi } from './abi.ts'
import { isSameUid, partsOfUid } from './order.ts'

type Log = { address: Address; topics: Hex[]; data: Hex }

/** Decodes a log of the settlement; `undefined` for other logs. */
function eventIn({ address, topics, data }: Log, settlement: Address) {
  if (!sameAddress(address, settlement)) return undefined
  try {
    return decodeEventLog({ abi, topics: topics as [Hex, ...Hex[]], data })
  } catch {
    return undefined // Another event of the same contract.
  }
}

/** The uid of the order that a transaction pre-signed; `undefined` without one. */
export function preSignedUid(logs: readonly Log[], settlement: Address): Hex | undefined {
  for (const log of logs) {
    const event = eventIn(log, settlement)
    if (event?.eventName === 'PreSignature' && event.args.signed) return event.args.orderUid
  }
  return undefined
}

/** What an order sold and bought in a transaction, in units of its tokens; `undefined` if the order was not filled in it. */
export function tradeIn(logs: readonly Log[], settlement: Address, uid: Hex) {
  for (const log of logs) {
    const event = eventIn(log, settlement)
    if (event?.eventName === 'Trade' && isSameUid(event.args.orderUid, uid)) return event.args
  }
  return undefined
}

/** The amount that an order bought in a transaction, in units of the bought token; `undefined` if the order was not filled in it. */
export const boughtAmount = (logs: readonly Log[], settlement: Address, uid: Hex): bigint | undefined =>
  tradeIn(logs, settlement, uid)?.buyAmount

/** The log filter for all trades of an order's owner, which include its fill. */
export const fillQuery = (settlement: Address, uid: Hex): { address: Address; topics: Hex[] } => ({
  address: settlement,
  topics: [
    ...encodeEventTopics({ abi, eventName: 'Trade' }),
    padHex(partsOfUid(uid)!.owner, { size: 32 }),
  ] as Hex[],
})
