import { type Address, sameAddress } from '../../domain/address.ts'
import { transferTopic } from '../erc20.ts'
import type { MinedTransaction } from './find-mined-transaction.ts'

/** The amount of a token that a transaction transferred to a recipient, by its receipt from our own node. */
export function receivedTokenAmount(
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
