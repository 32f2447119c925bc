import { type Address, type Hex, sameAddress } from '../../../domain/address.ts'
import type { LogFilter } from '../../../protocols/market-logs.ts'

/** A log as a node gives it. */
export type RpcLog = {
  address: Address
  topics: Hex[]
  data: Hex
  transactionHash: Hex
  blockNumber: Hex
  blockHash: Hex
  logIndex: Hex
  blockTimestamp?: Hex
  removed?: boolean
}

/** What `eth_getLogs` is asked for, but for the blocks. */
export type LogQuery = { address: Address[]; topics: (Hex[] | null)[] }

/**
 * Filters of many contracts as few queries: those that look for the same in the same places share one, for every name and every
 * contract among them. They may find more than was asked for, so what comes is held against the filters again.
 */
export function queriesOf(filters: readonly LogFilter[]): LogQuery[] {
  const alike = Map.groupBy(filters, ({ topics }) => JSON.stringify(topics.slice(1)))
  return [...alike.values()].map((same) => ({
    address: [...new Set(same.map(({ address }) => address))],
    topics: [
      [...new Set(same.flatMap(({ topics }) => topics.slice(0, 1).filter((name) => name !== null)))],
      ...same[0]!.topics.slice(1).map((topic) => (topic === null ? null : [topic])),
    ],
  }))
}

/** Whether a log is what one of the filters looks for. */
export const matchesFilters = (filters: readonly LogFilter[], log: RpcLog): boolean =>
  filters.some(
    ({ address, topics, isAbout }) =>
      sameAddress(address, log.address) &&
      topics.every((topic, at) => topic === null || topic.toLowerCase() === log.topics[at]?.toLowerCase()) &&
      (isAbout?.(log) ?? true),
  )

/** What filters look for, whoever the owner is: logs that were kept for other filters do not answer these. */
export const filtersKey = (filters: readonly LogFilter[]): string =>
  filters
    .map(({ address, topics }) =>
      [address.toLowerCase(), topics[0]?.slice(0, 10), topics.length - 1].join('/'),
    )
    .join(' ')
