import { erc20Abi } from '../../chain/erc20.ts'
import type { MinedTransaction } from '../../chain/finality/find-mined-transaction.ts'
import { quantity } from '../../chain/rpc/quantities.ts'
import { type Address, type Hex, sameAddress } from '../../domain/address.ts'
import { addressTopic, eventTopic } from '../../protocols/shared/encode-topics.ts'

/** A payment direction: token, desk and recipient. */
type Way = { token: Address; desk: Address; to: Address }

/** The log filter for payments of a desk to a wallet. */
export const paymentQuery = ({ token, desk, to }: Way): { address: Address; topics: Hex[] } => ({
  address: token,
  topics: [eventTopic(erc20Abi, 'Transfer'), addressTopic(desk), addressTopic(to)],
})

/** The amounts that a transaction moved from a desk to a wallet, one per event, in the smallest unit. */
export function paymentsIn(logs: MinedTransaction['logs'], way: Way): bigint[] {
  const { address, topics } = paymentQuery(way)
  return logs.flatMap((log) =>
    sameAddress(log.address, address) && topics.every((one, at) => sameAddress(one, log.topics[at] ?? ''))
      ? [quantity(log.data, 'an amount that was paid')]
      : [],
  )
}
