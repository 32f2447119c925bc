import type { Address, Hex } from '../domain/address.ts'
import { AppError } from '../domain/errors.ts'
import { rpcVariable } from '../domain/network-named.ts'
import type { EngineStore } from '../store/engine.ts'
import { type Chain, read } from './chain.ts'
import { inPassing } from './in-passing.ts'
import type { RpcLog } from './logs/filters.ts'
import type { Market, MarketEvent } from './markets/market.ts'
import type { Reading } from './reading.ts'

/** Something that an owner did in a market: `amount` is in the smallest unit of the asset, `at` in epoch milliseconds. */
export type Happened = MarketEvent & {
  amount: bigint
  txHash: Hex
  blockNumber: bigint
  blockHash: Hex
  at: number
}

/** What logs mean for an owner, oldest first. Shares whose worth nobody knows any more are HISTORY_UNREAD. */
export async function eventsIn(
  store: EngineStore,
  chain: Chain,
  market: Market,
  owner: Address,
  logs: readonly RpcLog[],
): Promise<Happened[]> {
  const same = Map.groupBy(logs, ({ transactionHash }) => transactionHash)
  const found = logs.flatMap((log) => {
    const event = market.event(log, owner, same.get(log.transactionHash)!, logs)
    if (!event) return []
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
  return Promise.all(
    found.map(async (event) => ({
      ...event,
      amount: event.amount ?? (await worthThen(store, chain, market, event)),
    })),
  )
}

type Moment = { blockNumber: bigint; blockHash: Hex }

/** What shares were worth in the block that moved them. */
function worthThen(
  store: EngineStore,
  chain: Chain,
  market: Market,
  event: Pick<MarketEvent, 'shares'> & Moment,
): Promise<bigint> {
  const shares = event.shares[0] ?? 0n
  return readThen(store, chain, event, {
    name: `worth ${market.entry.receipt.address.toLowerCase()} ${shares}`,
    reading: market.worth(shares),
  })
}

/** What an owner held at the end of a block. */
const sharesThen = (
  store: EngineStore,
  chain: Chain,
  market: Market,
  { owner, moment }: { owner: Address; moment: Moment },
): Promise<bigint> =>
  readThen(store, chain, moment, {
    name: `shares ${market.entry.receipt.address.toLowerCase()} ${owner.toLowerCase()}`,
    reading: market.shares(owner),
  })

/** A reading of an old block, asked once: it is kept under the hash of the block, so that it cannot be taken for that of another one. Without that state it is HISTORY_UNREAD. */
export async function readThen(
  store: EngineStore,
  chain: Chain,
  { blockNumber, blockHash }: Moment,
  { name, reading }: { name: string; reading: Reading<bigint | undefined> },
): Promise<bigint> {
  const { chainId } = chain.network
  const known = await store.fact(chainId, `${name} ${blockHash}`)
  if (known !== undefined) return BigInt(known)
  const then = await read(chain, reading, blockNumber).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'RPC_ERROR') throw forgotten(chain, blockNumber, error)
    throw error
  })
  if (then === undefined) throw forgotten(chain, blockNumber)
  await inPassing(store.keepFact(chainId, `${name} ${blockHash}`, then.toString()))
  return then
}

const forgotten = ({ rpc, network }: Chain, blockNumber: bigint, cause?: unknown): AppError =>
  new AppError(
    'HISTORY_UNREAD',
    `The node at ${rpc.host} no longer has the state of block ${blockNumber} of ${network.name}, where shares were moved`,
    {
      details: { network: network.name, block: blockNumber.toString() },
      cause,
      hint: `Name an RPC that keeps old states in ${rpcVariable(network)}.`,
    },
  )

/**
 * What is still owed to the owner: deposits and shares received, less withdrawals and shares given away, counted anew
 * whenever the position was emptied. Below zero means that more came out than ever went in.
 */
export async function netInvested(
  store: EngineStore,
  chain: Chain,
  market: Market,
  owner: Address,
  events: readonly Happened[],
): Promise<bigint> {
  let net = 0n
  let totals: bigint[] = []
  for (const [at, event] of events.entries()) {
    const { type, amount, shares, ...moment } = event
    // What is claimed was counted when it was asked for.
    if (type === 'claim') continue
    const comes = comesBy(event)
    net += comes ? amount : -amount
    totals = added(totals, shares, comes)
    if (comes) continue
    const left = isLeft(totals, shares)
    const isLast = events[at + 1]?.blockNumber !== moment.blockNumber
    if (left === undefined && !isLast) throw forgotten(chain, moment.blockNumber)
    if (left ?? (await sharesThen(store, chain, market, { owner, moment })) > 0n) continue
    net = 0n
    totals = []
  }
  return net
}

/** Whether something came in by it. */
export const comesBy = ({ type }: MarketEvent): boolean => type === 'deposit' || type === 'transfer_in'

/** The totals by each rounding; what was moved by one alone counts for all. */
const added = (totals: readonly bigint[], shares: readonly bigint[], comes: boolean): bigint[] =>
  Array.from({ length: Math.max(totals.length, shares.length) }, (_, at) => {
    const moved = shares[at] ?? shares[0] ?? 0n
    return (totals[at] ?? totals[0] ?? 0n) + (comes ? moved : -moved)
  })

/** Whether anything is left; `undefined` is for the chain to say, where the logs do not tell or the roundings disagree. */
function isLeft(totals: readonly bigint[], shares: readonly bigint[]): boolean | undefined {
  if (shares.length === 0) return undefined
  if (totals.every((total) => total <= 0n)) return false
  return totals.every((total) => total > 0n) ? true : undefined
}
