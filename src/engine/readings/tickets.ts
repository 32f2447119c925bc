import { erc20Abi } from '../../calls/erc20.ts'
import type { Address } from '../../domain/address.ts'
import type { LogFilter, Market } from '../markets/market.ts'
import { topic, topicOf } from './topics.ts'

/** The logs that say which tickets (ERC-721) an owner was given, where the contract of a queue does not list them. */
export const ticketLogs = ({ queue }: Pick<Market, 'queue'>, owner: Address): LogFilter[] =>
  queue?.ticket?.unlisted
    ? [{ address: queue.ticket.address, topics: [topicOf(erc20Abi, 'Transfer'), null, topic(owner)] }]
    : []
