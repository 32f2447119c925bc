import { toEventSelector } from 'viem/utils'

import { sameAddress } from '../../domain/address.ts'
import type { Arrival } from '../../store/operation.ts'
import type { Found } from './watch.ts'

const transferTopic = toEventSelector(
  'event Transfer(address indexed from, address indexed to, uint256 value)',
)

/** How much of a token a transaction brought to a recipient, by its receipt on our own node. */
export function amountArrived(found: Found, { token, recipient }: Omit<Arrival, 'minimum' | 'hash'>): bigint {
  let sum = 0n
  for (const { address, topics, data } of found.logs) {
    const [event, , to] = topics
    if (event !== transferTopic || to === undefined || !sameAddress(address, token)) continue
    if (sameAddress(`0x${to.slice(26)}`, recipient)) sum += BigInt(data)
  }
  return sum
}
