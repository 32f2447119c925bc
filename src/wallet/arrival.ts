import { toEventSelector } from 'viem/utils'

import { sameAddress } from '../domain/address.ts'
import type { Arrival } from '../store/operation.ts'
import type { Found } from './watch.ts'

const transferTopic = toEventSelector(
  'event Transfer(address indexed from, address indexed to, uint256 value)',
)

/** Whether a transaction on our own node brought at least the minimum of the token to the recipient. */
export function arrivedOnChain(found: Found | undefined, { token, minimum, recipient }: Arrival): boolean {
  if (!found?.ok) return false
  let sum = 0n
  for (const { address, topics, data } of found.logs) {
    const [event, , to] = topics
    if (event !== transferTopic || to === undefined || !sameAddress(address, token)) continue
    if (sameAddress(`0x${to.slice(26)}`, recipient)) sum += BigInt(data)
  }
  return sum >= minimum
}
