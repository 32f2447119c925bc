import type { Address } from '../domain/address.ts'
import { AppError } from '../domain/errors.ts'
import type { EngineStore } from '../store/engine.ts'
import { type BlockRef, type Chain, read } from './chain.ts'
import type { Context } from './context.ts'
import type { RpcLog } from './logs/filters.ts'
import { logsOf } from './logs/scan.ts'
import type { Market } from './markets/market.ts'
import { together } from './reading.ts'
import { balance } from './readings/reserve.ts'

/**
 * The tickets that an owner was ever given, of markets whose contracts do not list them; `null` where the logs cannot be read. Who has
 * none is not searched for: where no token stands for a request, who holds nothing and was never seen to ask, unless `isMeant`. That
 * is said, as they may have asked elsewhere.
 */
export async function ticketsOf(
  context: Context,
  chain: Chain,
  markets: readonly Market[],
  owner: Address,
  { head, isMeant }: { head: BlockRef; isMeant: boolean },
): Promise<ReadonlyMap<Market, readonly bigint[] | null>> {
  const { store } = context
  const unlisted = markets.filter(({ queue }) => queue?.ticket?.unlisted || queue?.logged)
  const held = await read(
    chain,
    together(
      unlisted.map(({ queue, shares }) =>
        queue!.ticket ? balance(queue!.ticket.address, owner) : shares(owner),
      ),
    ),
  )
  const asked = await Promise.all(
    unlisted.map((market) => market.queue!.logged && (isMeant || wasSeen(store, market, owner))),
  )
  const searched = unlisted.filter((_, at) => held[at]! > 0n || asked[at])
  const others = unlisted.filter((market) => market.queue!.logged && !searched.includes(market))
  await tellUnlooked(context, chain, others, owner)
  const none = new Map(unlisted.map((market) => [market, [] as readonly bigint[] | null]))
  if (searched.length === 0) return none
  try {
    const logs = await logsOf(context, chain, searched, owner, head)
    for (const market of searched) {
      const tickets = ticketsIn(market, owner, logs.get(market)!)
      if (market.queue!.logged) await noteLooked(context, market, owner, tickets)
      // Whoever holds something may ask for all of it elsewhere: from now on that is looked for.
      if (market.queue!.logged && held[unlisted.indexOf(market)]! > 0n) await noteSeen(store, market, owner)
      none.set(market, tickets)
    }
  } catch (error) {
    if (
      !(error instanceof AppError && ['HISTORY_UNREAD', 'RPC_ERROR', 'RPC_INCONSISTENT'].includes(error.code))
    )
      throw error
    for (const market of searched) none.set(market, null)
  }
  return none
}

function ticketsIn({ queue }: Market, owner: Address, logs: readonly RpcLog[]): readonly bigint[] {
  if (queue!.logged) return queue!.logged(owner, logs)
  const { address } = queue!.ticket!
  const ids = logs.filter(
    (log) => log.address.toLowerCase() === address.toLowerCase() && log.topics[3] !== undefined,
  )
  return [...new Set(ids.map(({ topics }) => BigInt(topics[3]!)))]
}

/** For so long nobody is told again of one market and one owner, in ms: 30 days. */
const restMs = 30 * 86_400_000

/** Says which markets are not looked into for an owner, who may have asked there: an address that never sent anything on a chain has not. */
async function tellUnlooked(
  { store, now, unlooked }: Context,
  { rpc }: Chain,
  markets: readonly Market[],
  owner: Address,
): Promise<void> {
  if (!unlooked) return
  const last = await Promise.all(
    markets.map((market) => store.fact(market.entry.chainId, lookedName(market, owner))),
  )
  const due = markets.filter((_, at) => now() - Number(last[at] ?? Number.NEGATIVE_INFINITY) >= restMs)
  if (due.length === 0) return
  if (BigInt(await rpc.request<string>('eth_getTransactionCount', [owner, 'latest'])) === 0n) return
  for (const market of due) {
    unlooked(market.entry, owner)
    await store.keepFact(market.entry.chainId, lookedName(market, owner), String(now()))
  }
}

const lookedName = ({ entry }: Market, owner: Address): string =>
  `looked ${entry.receipt.address.toLowerCase()} ${owner.toLowerCase()}`

/** Notes that the logs of a market were searched for what an owner asked for, and whether there was anything. */
export async function noteLooked(
  { store, now }: Pick<Context, 'store' | 'now'>,
  market: Market,
  owner: Address,
  tickets: readonly bigint[],
): Promise<void> {
  await store.keepFact(market.entry.chainId, lookedName(market, owner), String(now()))
  if (tickets.length > 0) await noteSeen(store, market, owner)
}

const seenName = ({ entry }: Market, owner: Address): string =>
  `asked ${entry.receipt.address.toLowerCase()} ${owner.toLowerCase()}`

const wasSeen = async (store: EngineStore, market: Market, owner: Address): Promise<boolean> =>
  (await store.fact(market.entry.chainId, seenName(market, owner))) !== undefined

/** Notes that an owner asked a market for a withdrawal, so that it is looked for when nothing else is left there. */
export const noteSeen = (store: EngineStore, market: Market, owner: Address) =>
  store.keepFact(market.entry.chainId, seenName(market, owner), '1')
