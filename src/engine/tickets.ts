import type { Address } from '../domain/address.ts'
import { AppError } from '../domain/errors.ts'
import { type BlockRef, type Chain, read } from './chain.ts'
import type { Context } from './context.ts'
import { logsOf } from './logs/scan.ts'
import type { Market } from './markets/market.ts'
import { together } from './reading.ts'
import { balance } from './readings/reserve.ts'

/** The tickets that an owner was ever given, of markets whose contracts do not list them; `null` where the logs cannot be read. Who has none is not searched for. */
export async function ticketsOf(
  context: Context,
  chain: Chain,
  markets: readonly Market[],
  owner: Address,
  head: BlockRef,
): Promise<ReadonlyMap<Market, readonly bigint[] | null>> {
  const unlisted = markets.filter(({ queue }) => queue?.ticket?.unlisted)
  const held = await read(
    chain,
    together(unlisted.map(({ queue }) => balance(queue!.ticket!.address, owner))),
  )
  const searched = unlisted.filter((_, at) => held[at]! > 0n)
  const none = new Map(unlisted.map((market) => [market, [] as readonly bigint[] | null]))
  if (searched.length === 0) return none
  try {
    const logs = await logsOf(context, chain, searched, owner, head)
    for (const market of searched) {
      const { address } = market.queue!.ticket!
      const ids = logs
        .get(market)!
        .filter((log) => log.address.toLowerCase() === address.toLowerCase() && log.topics[3] !== undefined)
      none.set(market, [...new Set(ids.map(({ topics }) => BigInt(topics[3]!)))])
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
