import { toEventSelector } from 'viem/utils'
import { type Address, sameAddress } from '../../domain/address.ts'
import type { MinedTransaction } from './mined-transaction.ts'

/** The first topic of a transfer of an ERC-20 token. */
export const transferTopic = toEventSelector(
  'event Transfer(address indexed from, address indexed to, uint256 value)',
)

/** The amount of a token that a transaction transferred to a recipient, by its receipt from our own node. */
export function tokenReceived(
  found: MinedTransaction,
  { token, recipient }: { token: Address; recipient: Address },
): bigint {
  let sum = 0n
  for (const { address, topics, data } of found.logs) {
    const [event, , to] = topics
    if (event !== transferTopic || to === undefined || !sameAddress(address, token)) continue
    if (sameAddress(`0x${to.slice(26)}`, recipient)) sum += BigInt(data)
  }
  return sum
}
