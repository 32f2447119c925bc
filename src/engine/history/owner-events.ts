import type { Chain } from '../../chain/chain.ts'
import type { Address, Hex } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import type { Market } from '../../protocols/market.ts'
import type { MarketEvent } from '../../protocols/market-logs.ts'
import type { EngineStore } from '../../store/engine/store.ts'
import type { RpcLog } from './logs/log-filters.ts'
import { valueAtBlock } from './past-value.ts'

/** Something that an owner did in a market: `amount` is in the smallest unit of the asset, `at` in epoch milliseconds. */
export type OwnerEvent = MarketEvent & {
  amount: bigint
  txHash: Hex
  blockNumber: bigint
  blockHash: Hex
  at: number
}

/**
 * What logs mean for an owner, oldest first. Shares whose worth nobody knows any more are HISTORY_UNREAD. What moved nothing did not
 * happen: a transfer of zero may be sent by anybody, in the name of whoever it is about.
 */
export async function ownerEvents(
  store: EngineStore,
  chain: Chain,
  market: Market,
  owner: Address,
  logs: readonly RpcLog[],
): Promise<OwnerEvent[]> {
  const same = Map.groupBy(logs, ({ transactionHash }) => transactionHash)
  const found = logs.flatMap((log) => {
    const event = market.event(log, owner, same.get(log.transactionHash)!, logs)
    if (!event || movesNothing(event)) return []
    return [
      {
        ...event,
        txHash: log.transactionHash,
        blockNumber: BigInt(log.blockNumber),
        blockHash: log.blockHash,
        at: Number(log.blockTimestamp) * 1000,
      },
    ]
  })
  const happened: OwnerEvent[] = []
  // Anybody may send shares to somebody else, very often: a node is not asked about all of that at once.
  for (let at = 0; at < found.length; at += maxParallelReads)
    happened.push(
      ...(await Promise.all(
        found.slice(at, at + maxParallelReads).map(async (event) => ({
          ...event,
          amount: event.amount ?? (await valueAtBlock(store, chain, market, event)),
        })),
      )),
    )
  return happened
}

/** So many questions about the past are asked side by side. */
export const maxParallelReads = 8

const movesNothing = ({ type, amount, shares }: MarketEvent): boolean =>
  type !== 'claim' && (amount ?? 0n) === 0n && shares.every((moved) => moved === 0n)

/** Whether it brought something into a position. */
export const isIncoming = ({ type }: MarketEvent): boolean => type === 'deposit' || type === 'transfer_in'

/** Work on a chain that may be rearranged meanwhile: then it is done anew, a few times. */
export async function retryAfterReorg<value>(work: () => Promise<value>): Promise<value> {
  for (let tried = 1; ; tried++)
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'RPC_INCONSISTENT') || tried === 3) throw error
    }
}
