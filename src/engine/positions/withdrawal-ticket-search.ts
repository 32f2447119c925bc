import { ask } from '../../chain/ask.ts'
import { together } from '../../chain/call.ts'
import type { BlockRef } from '../../chain/head.ts'
import type { Chain } from '../../chain/network-client.ts'
import type { Address } from '../../domain/address.ts'
import type { Market } from '../../protocols/market-adapter.ts'
import { balance } from '../../protocols/shared/amount-reads.ts'
import type { EngineStore } from '../../store/engine/store.ts'
import { writeInBackground } from '../best-effort-write.ts'
import type { EngineContext } from '../engine.ts'
import type { RpcLog } from '../history/logs/log-filters.ts'
import { readOwnerLogs } from '../history/logs/owner-logs.ts'
import { isUnread } from '../undefined-if-unread.ts'

/**
 * A market that was not searched for requests made outside this program, with the time of the last search in epoch
 * ms, or `null`.
 */
export type UnsearchedMarket = { market: Market; searchedAt: number | null }

/**
 * Finds the tickets of an owner in markets whose contracts do not list them; `null` if the logs cannot be read. A market is searched if the
 * owner holds its tickets; in a market without ticket tokens, if the owner holds shares or has made a request before, or if `isMeant`.
 * Other markets without ticket tokens are `unsearched`, because requests may have been made elsewhere.
 */
export async function findTickets(
  context: EngineContext,
  chain: Chain,
  markets: readonly Market[],
  owner: Address,
  { head, isMeant }: { head: BlockRef; isMeant: boolean },
): Promise<{
  tickets: ReadonlyMap<Market, readonly bigint[] | null>
  unsearched: readonly UnsearchedMarket[]
}> {
  const { store } = context
  const unlisted = markets.filter(({ queue }) => queue?.ticket?.unlisted || queue?.logged)
  const held = await ask(
    chain,
    together(
      unlisted.map(({ queue, shares }) =>
        queue!.ticket ? balance(queue!.ticket.address, owner) : shares(owner),
      ),
    ),
  )
  const asked = await Promise.all(
    unlisted.map((market) => market.queue!.logged && (isMeant || hasRequested(store, market, owner))),
  )
  const searched = unlisted.filter((_, at) => (held[at] ?? 0n) > 0n || asked[at])
  const others = unlisted.filter((market) => market.queue!.logged && !searched.includes(market))
  const unsearched = await Promise.all(
    others.map(async (market) => ({ market, searchedAt: await lastSearchedAt(store, market, owner) })),
  )
  // If the number of tickets is unknown, there may be some.
  const isSilent = ({ queue }: Market, at: number) => held[at] === undefined && !queue!.logged
  const tickets = new Map<Market, readonly bigint[] | null>(
    unlisted.map((market, at) => [market, isSilent(market, at) ? null : []]),
  )
  if (searched.length === 0) return { tickets, unsearched }
  try {
    const logs = await readOwnerLogs(context, chain, searched, owner, head)
    for (const market of searched) {
      const found = ticketsIn(market, owner, logs.get(market)!)
      if (market.queue!.logged) await storeSearch(context, market, owner, { tickets: found, isWhole: true })
      // An owner of shares may withdraw all of them elsewhere, so this market is searched from now on.
      if (market.queue!.logged && (held[unlisted.indexOf(market)] ?? 0n) > 0n)
        await writeInBackground(storeRequest(store, market, owner))
      tickets.set(market, found)
    }
  } catch (error) {
    if (!isUnread(error)) throw error
    for (const market of searched) tickets.set(market, null)
  }
  return { tickets, unsearched }
}

function ticketsIn({ queue }: Market, owner: Address, logs: readonly RpcLog[]): readonly bigint[] {
  if (queue!.logged) return queue!.logged(owner, logs)
  const { address } = queue!.ticket!
  const ids = logs.filter(
    (log) => log.address.toLowerCase() === address.toLowerCase() && log.topics[3] !== undefined,
  )
  return [...new Set(ids.map(({ topics }) => BigInt(topics[3]!)))]
}

const searchedFact = ({ entry }: Market, owner: Address): string =>
  `searched ${entry.receipt.address.toLowerCase()} ${owner.toLowerCase()}`

const lastSearchedAt = async (store: EngineStore, market: Market, owner: Address): Promise<number | null> => {
  const at = await store.fact(market.entry.chainId, searchedFact(market, owner))
  return at === undefined ? null : Number(at)
}

/** Stores that the logs of a market were searched for an owner's requests, if none are missing, and whether any were found. */
export async function storeSearch(
  { store, now }: Pick<EngineContext, 'store' | 'now'>,
  market: Market,
  owner: Address,
  { tickets, isWhole }: { tickets: readonly bigint[]; isWhole: boolean },
): Promise<void> {
  await writeInBackground(
    Promise.all([
      ...(isWhole ? [store.storeFact(market.entry.chainId, searchedFact(market, owner), String(now()))] : []),
      ...(tickets.length > 0 ? [storeRequest(store, market, owner)] : []),
    ]),
  )
}

const requestFact = ({ entry }: Market, owner: Address): string =>
  `asked ${entry.receipt.address.toLowerCase()} ${owner.toLowerCase()}`

const hasRequested = async (store: EngineStore, market: Market, owner: Address): Promise<boolean> =>
  (await store.fact(market.entry.chainId, requestFact(market, owner))) !== undefined

/** Stores that an owner made a request in a market, so that it is searched even when no shares are left. */
export const storeRequest = (store: EngineStore, market: Market, owner: Address) =>
  store.storeFact(market.entry.chainId, requestFact(market, owner), '1')
