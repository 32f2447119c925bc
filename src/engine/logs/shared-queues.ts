import { noRequests, type Request, type Requests } from '../../calls/queue.ts'
import type { Address } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { headOf } from '../chain.ts'
import type { Context } from '../context.ts'
import type { Market } from '../markets/market.ts'
import { logsOf } from './scan.ts'

type Queued = ReadonlyMap<Market, Requests | null>

/**
 * What is queued, with each request of a queue that several markets share under that one alone that it was made in, by its logs. What these do
 * not tell, or nobody can read, stands under the first of them.
 */
export async function eachOnce(context: Context, queued: Queued, owner: Address): Promise<Queued> {
  const shared = [
    ...Map.groupBy(queued.keys(), ({ entry, queue }) => `${entry.chainId} ${queue!.place}`).values(),
  ]
  const rows = await Promise.all(
    shared.map(async (markets) => {
      const found = queued.get(markets[0]!) ?? null
      const isNone = found !== null && found.pending.length + found.claimable.length === 0
      if (markets.length === 1 || found === null || isNone)
        return markets.map((market, at) => [market, at === 0 ? found : noRequests] as const)
      return apart(markets, found, await requestedIn(context, markets, owner))
    }),
  )
  return new Map(rows.flat())
}

function apart(markets: readonly Market[], found: Requests, made: ReadonlyMap<string, Market>) {
  const isIn = (market: Market) => (request: Request) => (made.get(request.id) ?? markets[0]) === market
  return markets.map(
    (market) =>
      [
        market,
        { pending: found.pending.filter(isIn(market)), claimable: found.claimable.filter(isIn(market)) },
      ] as const,
  )
}

/** In which of some markets the requests of an owner were made, as far as the logs can be read. */
async function requestedIn(
  context: Context,
  markets: readonly Market[],
  owner: Address,
): Promise<ReadonlyMap<string, Market>> {
  const chain = context.chain(markets[0]!.entry.chainId)
  try {
    const logs = await logsOf(context, chain, markets, owner, await headOf(chain))
    return new Map(
      markets.flatMap((market) =>
        (market.requested?.(owner, logs.get(market)!) ?? []).map((id) => [id, market] as const),
      ),
    )
  } catch (error) {
    const costs = ['RPC_ERROR', 'RPC_INCONSISTENT', 'HISTORY_UNREAD']
    if (error instanceof AppError && costs.includes(error.code)) return new Map()
    throw error
  }
}
