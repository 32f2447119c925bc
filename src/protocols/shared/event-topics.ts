import type { Abi, AbiEvent } from 'viem'
import { getAbiItem, pad, toEventSelector } from 'viem/utils'
import { erc20Abi } from '../../chain/erc20.ts'
import type { Address, Hex } from '../../domain/address.ts'
import type { LogFilter, Market } from '../market.ts'

/** An address as an indexed topic of an event. */
export const topic = (address: Address): Hex => pad(address.toLowerCase() as Hex)

/** The first topic of an event of an ABI. */
export const topicOf = (abi: Abi, eventName: string): Hex =>
  toEventSelector(getAbiItem({ abi, name: eventName }) as AbiEvent)

/** The logs that say which tickets (ERC-721) an owner was given, where the contract of a queue does not list them. */
export const ticketLogs = ({ queue }: Pick<Market, 'queue'>, owner: Address): LogFilter[] =>
  queue?.ticket?.unlisted
    ? [{ address: queue.ticket.address, topics: [topicOf(erc20Abi, 'Transfer'), null, topic(owner)] }]
    : []
