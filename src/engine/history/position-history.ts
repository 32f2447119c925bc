import { pageOf } from '../../api/page.ts'
import type { History } from '../../api/position-history.ts'
import { ask } from '../../chain/ask.ts'
import type { Reading } from '../../chain/call.ts'
import { latestBlock } from '../../chain/head.ts'
import type { Chain } from '../../chain/network-client.ts'
import { isUnknownBlock } from '../../chain/rpc/errors.ts'
import type { Address, Hex } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { rpcVariable } from '../../domain/networks.ts'
import { sluice } from '../../domain/text/next-step.ts'
import type { Market } from '../../protocols/market-adapter.ts'
import { marketNamed } from '../catalog-lookups.ts'
import type { EngineContext } from '../engine.ts'
import { storeSearch } from '../positions/withdrawal-ticket-search.ts'
import { isCompleteHistory } from './events-match-holding.ts'
import type { RpcLog } from './logs/log-filters.ts'
import { discardIncompleteLogs, readOwnerLogs } from './logs/owner-logs.ts'
import { type OwnerEvent, ownerEvents, retryAfterReorg } from './owner-events.ts'

/**
 * Returns the events of a wallet in one strategy, newest first. If they do not account for the position, the history
 * is not whole: logs are missing, or do not name the owner, as with fees or movements by other contracts. Then a
 * history without any event is HISTORY_UNREAD.
 */
export async function historyOf(
  context: EngineContext,
  input: { address: Address; strategyId: string; page?: number | undefined; limit?: number | undefined },
): Promise<History> {
  const market = marketNamed(context, input.strategyId)
  const chain = context.chain(market.entry.chainId)
  const { logs, events, isWhole } = await readWholeHistory(context, chain, market, input.address)
  const { logged } = market.queue ?? {}
  if (logged)
    await storeSearch(context, market, input.address, { tickets: logged(input.address, logs), isWhole })
  if (!isWhole && events.length === 0) throw incompleteHistory(chain, market, input.address)
  if (events.length === 0) await refuseMissingContract(context, market)
  const items = events.reverse().map(({ txHash, at, type, amount }) => ({
    txHash,
    timestamp: new Date(at).toISOString(),
    type,
    amount,
    status: 'confirmed',
  }))
  return { ...pageOf(items, input), isWhole }
}

type HistoryReading = { logs: RpcLog[]; events: OwnerEvent[]; isWhole: boolean }

/** Reads the whole history. If logs are missing, they are read again, unless that was done recently. */
async function readWholeHistory(
  context: EngineContext,
  chain: Chain,
  market: Market,
  owner: Address,
): Promise<HistoryReading> {
  const first = await retryAfterReorg(() => readHistory(context, chain, market, owner))
  if (first.isWhole) return first
  const isAnew = await discardIncompleteLogs(context, chain, market, owner)
  return isAnew ? retryAfterReorg(() => readHistory(context, chain, market, owner)) : first
}

async function readHistory(
  context: EngineContext,
  chain: Chain,
  market: Market,
  owner: Address,
): Promise<HistoryReading> {
  const head = await latestBlock(chain)
  const [logsByMarket, units] = await Promise.all([
    readOwnerLogs(context, chain, [market], owner, head),
    ask(chain, heldUnits(market, owner), head.number).catch((error: unknown) => {
      throw isUnknownBlock(error) ? nodeBehind(chain, error) : error
    }),
  ])
  const logs = logsByMarket.get(market)!
  const events = await ownerEvents(context.store, chain, market, owner, logs)
  // If a contract does not state the position, the logs alone are used.
  const isWhole = units === null || (await isCompleteHistory(context.store, chain, market, events, units))
  return { logs, events, isWhole }
}

/** The position in the units of the events, which do not grow; `null` is unknown. */
function heldUnits(market: Market, owner: Address): Reading<bigint | null> {
  if (market.counted) return market.counted(owner)
  const { reads, parse } = market.shares(owner)
  return { reads, parse: (answers) => parse(answers) ?? null }
}

/** Another node behind the same address may lack the newest block. */
const nodeBehind = ({ rpc, network }: Chain, cause: unknown): AppError =>
  new AppError(
    'RPC_INCONSISTENT',
    `The node at ${rpc.host} does not know the newest block; it may lag behind`,
    {
      details: { host: rpc.host, network: network.name },
      cause,
    },
  )

const incompleteHistory = ({ rpc, network }: Chain, { entry }: Market, owner: Address): AppError =>
  new AppError(
    'HISTORY_UNREAD',
    `The logs from the node at ${rpc.host} do not account for the position of ${owner} in ${entry.slug}: some are missing, or do not name the owner`,
    {
      details: { network: network.name, strategy: entry.slug },
      next: `The logs are read again later. If the error persists, set another RPC in ${rpcVariable(network)}.`,
    },
  )

/** Refuses an empty history if the strategy has no contract on its chain. */
async function refuseMissingContract(context: EngineContext, { entry }: Market): Promise<void> {
  const { slug, network, receipt, chainId } = entry
  const code = await context.chain(chainId).rpc.request<Hex>('eth_getCode', [receipt.address, 'latest'])
  if (code !== '0x') return
  throw new AppError(
    'STRATEGY_NOT_FOUND',
    `The chain configured as ${network} has no contract for ${slug} at ${receipt.address}`,
    { details: { strategy: slug, address: receipt.address }, next: sluice('doctor') },
  )
}
