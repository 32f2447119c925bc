import type { Chain } from '../../chain/network-client.ts'
import type { Address, Hex } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import type { Market, MarketEvent } from '../../protocols/market-adapter.ts'
import type { EngineStore } from '../../store/engine/store.ts'
import type { RpcLog } from './logs/log-filters.ts'
import { valueAtBlock } from './past-value.ts'

/** An event of an owner in a market: `amount` is in the smallest unit of the asset, `at` in epoch milliseconds. */
export type OwnerEvent = MarketEvent & {
  amount: bigint
  txHash: Hex
  blockNumber: bigint
  blockHash: Hex
  at: number
}

/**
 * Converts logs to the events of an owner, oldest first. Shares whose past value is unavailable are HISTORY_UNREAD. Events that moved
 * nothing are dropped: anyone may send a transfer of zero in the name of another wallet.
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
  // Anyone may send shares to another wallet many times, so reads of the past are limited to a few at a time.
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

/** The number of parallel reads of past state. */
export const maxParallelReads = 8

const movesNothing = ({ type, amount, shares }: MarketEvent): boolean =>
  type !== 'claim' && (amount ?? 0n) === 0n && shares.every((moved) => moved === 0n)

/** Whether an event increased a position. */
export const isIncoming = ({ type }: MarketEvent): boolean => type === 'deposit' || type === 'transfer_in'

/** Repeats work that a reorganisation interrupted, a few times. */
export async function retryAfterReorg<value>(work: () => Promise<value>): Promise<value> {
  for (let tried = 1; ; tried++)
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'RPC_INCONSISTENT') || tried === 3) throw error
    }
}
