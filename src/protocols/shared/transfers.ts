import { decodeEventLog } from 'viem/utils'
import { erc20Abi, transferTopic } from '../../chain/erc20.ts'
import { type Address, sameAddress } from '../../domain/address.ts'
import type { Log, LogFilter, MarketEvent } from '../market-adapter.ts'
import { addressTopic } from './encode-topics.ts'

/** The transfers of a token from and to an owner. */
export const transferLogs = (address: Address, owner: Address): LogFilter[] => [
  { address, topics: [transferTopic, addressTopic(owner)] },
  { address, topics: [transferTopic, null, addressTopic(owner)] },
]

/** A `Transfer` as an owner sees it: `other` is the opposite side. */
export type Movement = { from: Address; to: Address; value: bigint; isIncoming: boolean; other: Address }

/** What a log moved for an owner; `undefined` where it is no `Transfer`, or one from an address to itself. */
export function movementOf({ topics, data }: Log, owner: Address): Movement | undefined {
  if (topics[0] !== transferTopic) return undefined
  const { args } = decodeEventLog({ abi: erc20Abi, eventName: 'Transfer', topics: topics as never, data })
  const { from, to, value } = args as unknown as { from: Address; to: Address; value: bigint }
  if (sameAddress(from, to)) return undefined
  const isIncoming = sameAddress(to, owner)
  return { from, to, value, isIncoming, other: isIncoming ? from : to }
}

/** The event of a movement between two owners. Its worth is read at its block. */
export const transferEvent = ({
  isIncoming,
  value,
}: Pick<Movement, 'isIncoming' | 'value'>): MarketEvent => ({
  type: isIncoming ? 'transfer_in' : 'transfer_out',
  amount: null,
  shares: [value],
})
