import { type Address, type Hex, sameAddress } from '../../../domain/address.ts'
import type { LogFilter } from '../../../protocols/market-adapter.ts'

/** A log as a node returns it. */
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

/** The parameters of `eth_getLogs`, without the blocks. */
export type LogQuery = { address: Address[]; topics: (Hex[] | null)[] }

/**
 * Combines the filters of many contracts into few queries: filters with the same topics share a query for all their events and contracts. A
 * query may return more logs than wanted, so its results are filtered again.
 */
export function logQueries(filters: readonly LogFilter[]): LogQuery[] {
  const alike = Map.groupBy(filters, ({ topics }) => JSON.stringify(topics.slice(1)))
  return [...alike.values()].map((same) => ({
    address: [...new Set(same.map(({ address }) => address))],
    topics: [
      [...new Set(same.flatMap(({ topics }) => topics.slice(0, 1).filter((name) => name !== null)))],
      ...same[0]!.topics.slice(1).map((topic) => (topic === null ? null : [topic])),
    ],
  }))
}

export const matchesFilters = (filters: readonly LogFilter[], log: RpcLog): boolean =>
  filters.some(
    ({ address, topics, isAbout }) =>
      sameAddress(address, log.address) &&
      topics.every((topic, at) => topic === null || topic.toLowerCase() === log.topics[at]?.toLowerCase()) &&
      (isAbout?.(log) ?? true),
  )

/** The key of filters, independent of the owner. Logs stored for other filters do not answer these. */
export const filtersKey = (filters: readonly LogFilter[]): string =>
  filters
    .map(({ address, topics }) =>
      [address.toLowerCase(), topics[0]?.slice(0, 10), topics.length - 1].join('/'),
    )
    .join(' ')
