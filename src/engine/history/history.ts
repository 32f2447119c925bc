import type { History } from '../../api/history.ts'
import { type Chain, latestBlock, read } from '../../chain/chain.ts'
import type { Reading } from '../../chain/reading.ts'
import { isUnknownBlock } from '../../chain/rpc/errors.ts'
import type { Address } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { rpcVariable } from '../../domain/networks.ts'
import type { Market } from '../../protocols/market.ts'
import { type Context, marketNamed } from '../context.ts'
import { paged } from '../pagination.ts'
import { noteSearched } from '../positions/withdrawal-ticket-search.ts'
import { addsUp } from './completeness.ts'
import { eventsIn, type Happened, steadily } from './events.ts'
import type { RpcLog } from './logs/filters.ts'
import { readAgain } from './logs/rescan.ts'
import { logsOf } from './logs/scan.ts'

/**
 * What a wallet did in one strategy, newest first. Where that does not account for what is held there, it is not whole: some logs are missing, or
 * never said whose the shares are, as of fees and of what was moved by other contracts. Nothing at all is HISTORY_UNREAD then.
 */
export async function historyOf(
  context: Context,
  input: { address: Address; strategyId: string; page?: number | undefined; limit?: number | undefined },
): Promise<History> {
  const market = marketNamed(context, input.strategyId)
  const chain = context.chain(market.entry.chainId)
  const { logs, events, isWhole } = await whole(context, chain, market, input.address)
  const { logged } = market.queue ?? {}
  if (logged)
    await noteSearched(context, market, input.address, { tickets: logged(input.address, logs), isWhole })
  if (!isWhole && events.length === 0) throw notAll(chain, market, input.address)
  const items = events.reverse().map(({ txHash, at, type, amount }) => ({
    txHash,
    timestamp: new Date(at).toISOString(),
    type,
    amount,
    status: 'confirmed',
  }))
  return { ...paged(items, input), isWhole }
}

type Told = { logs: RpcLog[]; events: Happened[]; isWhole: boolean }

/** All that happened; logs that leave out some of it are read anew, where that was not just done. */
async function whole(context: Context, chain: Chain, market: Market, owner: Address): Promise<Told> {
  const first = await steadily(() => told(context, chain, market, owner))
  if (first.isWhole) return first
  const isAnew = await readAgain(context, chain, market, owner)
  return isAnew ? steadily(() => told(context, chain, market, owner)) : first
}

async function told(context: Context, chain: Chain, market: Market, owner: Address): Promise<Told> {
  const head = await latestBlock(chain)
  const [found, units] = await Promise.all([
    logsOf(context, chain, [market], owner, head),
    read(chain, unitsOf(market, owner), head.number).catch((error: unknown) => {
      throw isUnknownBlock(error) ? behind(chain, error) : error
    }),
  ])
  const logs = found.get(market)!
  const events = await eventsIn(context.store, chain, market, owner, logs)
  // Contracts that do not say what is held leave the logs alone to go by.
  const isWhole = units === null || (await addsUp(context.store, chain, market, events, units))
  return { logs, events, isWhole }
}

/** What is held in units of the events, which do not grow; `null` is not known. */
function unitsOf(market: Market, owner: Address): Reading<bigint | null> {
  if (market.counted) return market.counted(owner)
  const { reads, parse } = market.shares(owner)
  return { reads, parse: (answers) => parse(answers) ?? null }
}

/** Where several nodes answer, another one may not have the newest block yet. */
const behind = ({ rpc, network }: Chain, cause: unknown): AppError =>
  new AppError(
    'RPC_INCONSISTENT',
    `The node at ${rpc.host} does not know the newest block: it may be behind`,
    {
      details: { host: rpc.host, network: network.name },
      cause,
    },
  )

const notAll = ({ rpc, network }: Chain, { entry }: Market, owner: Address): AppError =>
  new AppError(
    'HISTORY_UNREAD',
    `What ${owner} holds of ${entry.slug} does not come out of the logs that the node at ${rpc.host} gives of it: some are missing, or none says so`,
    {
      details: { network: network.name, strategy: entry.slug },
      hint: `They are read anew after a while. If it stays, name another RPC in ${rpcVariable(network)}.`,
    },
  )
