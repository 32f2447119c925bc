import type { Address, Hex } from '../domain/address.ts'
import { AppError } from '../domain/errors.ts'
import { type Chain, read } from './chain.ts'
import type { Log, LogFilter, Market, MarketEvent } from './markets/market.ts'

/** Something that an owner did in a market: `amount` is in the smallest unit of the asset, `at` in epoch milliseconds. */
export type Happened = MarketEvent & {
  amount: bigint
  txHash: Hex
  blockNumber: bigint
  logIndex: number
  at: number
}

type RpcLog = Log & {
  transactionHash: Hex
  blockNumber: Hex
  logIndex: Hex
  blockTimestamp?: Hex
  removed?: boolean
}

/** What an owner did in a market, oldest first, off the chain's own logs. */
export async function eventsOf(chain: Chain, market: Market, owner: Address): Promise<Happened[]> {
  const logs = await logsOf(chain, market.logs(owner), market.entry.fromBlock)
  const times = await timesOf(chain, logs)
  const same = Map.groupBy(logs, ({ transactionHash }) => transactionHash)
  const found = logs.flatMap((log): (MarketEvent & Omit<Happened, 'amount'>)[] => {
    const event = market.event(log, owner, same.get(log.transactionHash)!)
    return event
      ? [
          {
            ...event,
            txHash: log.transactionHash,
            blockNumber: BigInt(log.blockNumber),
            logIndex: Number(log.logIndex),
            at: times.get(log.blockNumber)!,
          },
        ]
      : []
  })
  return Promise.all(
    found.map(async (event) => ({
      ...event,
      amount: event.amount ?? (await worthAt(chain, market, event.shares, event.blockNumber)),
    })),
  )
}

async function logsOf({ rpc }: Chain, filters: readonly LogFilter[], fromBlock: bigint): Promise<RpcLog[]> {
  const answers = (await rpc.batch(
    filters.map(({ address, topics }) => [
      'eth_getLogs',
      [{ address, topics, fromBlock: `0x${fromBlock.toString(16)}`, toBlock: 'latest' }],
    ]),
  )) as RpcLog[][]
  const unique = new Map(answers.flat().map((log) => [`${log.blockNumber}-${log.logIndex}`, log]))
  return [...unique.values()].sort(
    (a, b) =>
      Number(BigInt(a.blockNumber) - BigInt(b.blockNumber)) || Number(a.logIndex) - Number(b.logIndex),
  )
}

async function timesOf({ rpc }: Chain, logs: readonly RpcLog[]): Promise<Map<Hex, number>> {
  const times = new Map(
    logs.flatMap(({ blockNumber, blockTimestamp }) =>
      blockTimestamp ? [[blockNumber, Number(blockTimestamp) * 1000] as const] : [],
    ),
  )
  const missing = [...new Set(logs.map(({ blockNumber }) => blockNumber))].filter(
    (number) => !times.has(number),
  )
  const blocks = (await rpc.batch(missing.map((number) => ['eth_getBlockByNumber', [number, false]]))) as ({
    timestamp: Hex
  } | null)[]
  for (const [at, block] of blocks.entries()) {
    if (!block)
      throw new AppError(
        'RPC_INCONSISTENT',
        `The node at ${rpc.host} does not know the block of a log it gave`,
      )
    times.set(missing[at]!, Number(block.timestamp) * 1000)
  }
  return times
}

/** What shares were worth in the block that moved them; a node that no longer has that state answers for now. */
async function worthAt(chain: Chain, market: Market, shares: bigint, blockNumber: bigint): Promise<bigint> {
  const then = await read(chain, market.worth(shares), blockNumber).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'RPC_ERROR') return 0n
    throw error
  })
  return then > 0n ? then : read(chain, market.worth(shares))
}

/**
 * What is still owed to the owner: deposits and shares received, less withdrawals and shares given away, counted anew
 * whenever the position was emptied. Below zero means that more came out than ever went in.
 */
export function netInvested(events: readonly Happened[]): bigint {
  let net = 0n
  let shares = 0n
  for (const { type, amount, shares: moved } of events) {
    const comes = type === 'deposit' || type === 'transfer_in'
    net += comes ? amount : -amount
    shares += comes ? moved : -moved
    // Aave rounds scaled balances half up, so an emptied position may be off by a unit an event.
    if (!comes && shares <= BigInt(events.length)) {
      net = 0n
      shares = 0n
    }
  }
  return net
}
