import { AsyncLocalStorage } from 'node:async_hooks'
import type { ChainClient } from '../../chain/chain-client.ts'
import { headerRequest } from '../../chain/head.ts'
import { AppError } from '../../domain/errors.ts'
import type { DeliveryWatch } from '../../store/engine/chain-tracking.ts'
import type { OnAwaitedLog } from '../../swaps/provider-dependencies.ts'

type Topics = readonly (string | readonly string[] | null)[]
type Filter = { address?: string | readonly string[]; topics?: Topics }
type Log = { address: string; topics: readonly string[] }

/** The logs that a piece of work waits for, by chain and filter. */
type Awaited = Map<string, { chainId: number; filter: string }>

/** Records which logs the swap providers wait for in a piece of work, on whichever chain. */
export function deliveryRecorder(): {
  awaited: OnAwaitedLog
  record: <T>(work: () => Promise<T>) => Promise<{ value: T; filters: { chainId: number; filter: string }[] }>
} {
  const recording = new AsyncLocalStorage<Awaited>()
  return {
    awaited: (chainId, query) => {
      const filter = JSON.stringify(query).toLowerCase()
      recording.getStore()?.set(`${chainId} ${filter}`, { chainId, filter })
    },
    record: async (work) => {
      const all: Awaited = new Map()
      const value = await recording.run(all, work)
      return { value, filters: [...all.values()] }
    },
  }
}

/** The most filters that one `eth_getLogs` joins. */
const filtersPerQuery = 500

/**
 * The actions whose watched logs are in these blocks, read in one exchange for all watches. None if the node does not answer: such an action is read at its
 * next time.
 */
export async function deliveredIn(
  rpc: ChainClient,
  watches: readonly DeliveryWatch[],
  { from, to }: { from: number; to: number },
): Promise<string[]> {
  if (watches.length === 0 || from > to) return []
  const parsed = watches.map(({ actionId, filter }) => ({ actionId, ...(JSON.parse(filter) as Filter) }))
  const [fromBlock, toBlock] = [`0x${from.toString(16)}`, `0x${to.toString(16)}`]
  const queries = joined(parsed).map(
    (filter) => ['eth_getLogs', [{ ...filter, fromBlock, toBlock }]] as const,
  )
  try {
    // The block shows that the node has it.
    const [, ...answers] = await rpc.batch([headerRequest(toBlock), ...queries])
    const logs = (answers as unknown[][]).flat().filter(isLog)
    return [
      ...new Set(
        parsed.flatMap(({ actionId, ...filter }) =>
          logs.some((log) => matches(log, filter)) ? [actionId] : [],
        ),
      ),
    ]
  } catch (error) {
    if (error instanceof AppError) return []
    throw error
  }
}

const isLog = (log: unknown): log is Log => {
  const { address, topics } = (log ?? {}) as Partial<Log>
  return typeof address === 'string' && Array.isArray(topics)
}

const listOf = (one: string | readonly string[] | null | undefined): readonly string[] | undefined =>
  one === null || one === undefined ? undefined : typeof one === 'string' ? [one] : one

const matches = ({ address, topics }: Log, filter: Filter): boolean => {
  const isIn = (list: readonly string[] | undefined, value: string | undefined) =>
    list === undefined || (value !== undefined && list.includes(value.toLowerCase()))
  return (
    isIn(listOf(filter.address), address) &&
    (filter.topics ?? []).every((topic, at) => isIn(listOf(topic), topics[at]))
  )
}

/** Joins filters of the same contracts, event and form into one each: a topic is then any of theirs. */
function joined(filters: readonly Filter[]): Filter[] {
  const groups = new Map<string, Filter[]>()
  for (const filter of filters) {
    const [event, ...others] = (filter.topics ?? []).map(listOf)
    const form = JSON.stringify([listOf(filter.address), event, others.map((one) => one !== undefined)])
    groups.set(form, [...(groups.get(form) ?? []), filter])
  }
  return [...groups.values()].flatMap((group) =>
    Array.from({ length: Math.ceil(group.length / filtersPerQuery) }, (_, at) => {
      const some = group.slice(at * filtersPerQuery, (at + 1) * filtersPerQuery)
      const [first] = some
      const topics = (first!.topics ?? []).map((_topic, index) => {
        const any = some.map(({ topics: own }) => listOf(own![index]))
        return any.includes(undefined) ? null : [...new Set(any.flatMap((one) => one!))]
      })
      return { ...(first!.address !== undefined && { address: first!.address }), topics }
    }),
  )
}
