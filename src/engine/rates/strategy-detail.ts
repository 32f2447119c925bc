import type { Strategy } from '../../api/strategy.ts'
import { latestBlock } from '../../chain/head.ts'
import type { Chain } from '../../chain/network-client.ts'
import { undefinedIfUnanswered } from '../../chain/rpc/timeouts.ts'
import type { Market } from '../../protocols/market-adapter.ts'
import type { EngineStore } from '../../store/engine/store.ts'
import type { ListedMarket, RatedMarket } from '../market-cache.ts'
import { strategyOf } from '../strategies/strategy-answer.ts'
import { averageDays, dayOf, daySeconds, type IndexPoint, pointDaysAgo } from './annualized-rate.ts'
import { areDaysRead, readPastDays, seriesRates } from './daily-rates.ts'
import { findInception, type Inception, knownInceptions } from './inception.ts'
import { withRealisedRates } from './realised-rates.ts'
import type { ReceiptReader } from './receipt-symbols.ts'
import type { RewardReader } from './reward-rates.ts'

/** Adds every known rate to the strategy of a market, while it is listed. The result is the same object until its chain has a new block. */
export type StrategyDetailReader = (market: Market, listed: Promise<ListedMarket>) => Promise<Strategy>

/** How long the past of a strategy is used, in seconds of the chain. */
const maxAgeSeconds = 3_600

type StrategyPast = { readAt: number; inception: Inception | undefined; points: readonly IndexPoint[] }

/**
 * Reads the details of strategies of one chain. The past of each market is read once an hour, the first time beside the list of
 * markets; if the chain does not answer, only the past is left out.
 */
export function strategyDetailReader(
  store: EngineStore,
  chain: () => Chain,
  { rewards, receipts }: { rewards: RewardReader; receipts: ReceiptReader },
): StrategyDetailReader {
  const pasts = new Map<Market, Promise<StrategyPast>>()
  const answers = new WeakMap<ListedMarket, Promise<Strategy>>()
  const begin = (market: Market, listed: Promise<unknown>): Promise<StrategyPast> => {
    const asked = readPast(store, chain(), market, listed)
    pasts.set(market, asked)
    asked.catch(() => pasts.delete(market))
    return asked
  }
  const pastOf = async (shown: ListedMarket): Promise<StrategyPast> => {
    const cached = await pasts.get(shown.market)?.catch(() => undefined)
    const isSameDay = cached && dayOf(shown.at) === dayOf(cached.readAt)
    if (isSameDay && shown.at >= cached.readAt && shown.at - cached.readAt < maxAgeSeconds) return cached
    return begin(shown.market, Promise.resolve())
  }
  const detail = async (shown: ListedMarket): Promise<Strategy> => {
    const { market, state, at } = shown
    const [past, reward, receipt] = await Promise.all([
      undefinedIfUnanswered(pastOf(shown)),
      rewards(shown),
      receipts(market),
    ])
    const points = past?.points.filter((point) => point.at < at) ?? []
    const series = past && state && points.length > 0 ? [...points, { at, index: state.index }] : []
    const strategy = {
      ...(past ? strategyOf(withPastRates(shown, past.inception, series)) : shown.strategy),
      receipt,
    }
    if (series.length === 0 && !reward) return strategy
    return { ...strategy, rates: seriesRates(market, series, { apy: strategy.apy, reward }) }
  }
  return async (market, listed) => {
    if (!pasts.has(market)) void begin(market, listed)
    const shown = await listed
    const known = answers.get(shown) ?? detail(shown)
    answers.set(shown, known)
    known.catch(() => answers.delete(shown))
    return known
  }
}

/** Adds the rates of the past. If the past gives no average, the earlier average stays. */
function withPastRates(
  shown: ListedMarket,
  begun: Inception | undefined,
  series: readonly IndexPoint[],
): RatedMarket {
  const withRates = withRealisedRates(shown, begun, pointDaysAgo(series, shown.at, averageDays))
  return { ...withRates, averageApy: withRates.averageApy ?? shown.averageApy ?? null }
}

/** Reads the past of a market. Days that are not stored are read after `listed`, because a list of markets stores them too. */
async function readPast(
  store: EngineStore,
  chain: Chain,
  market: Market,
  listed: Promise<unknown>,
): Promise<StrategyPast> {
  const head = await latestBlock(chain)
  const at = head.timestamp
  const known = (await knownInceptions(store, chain.network.chainId, [market])).get(market)
  // A market that began today has no past yet.
  if (known && at - known.at < daySeconds / 2) return { readAt: at, inception: known, points: [] }
  if (!(await areDaysRead(store, chain, market, at))) await listed
  const inception = await findInception(store, chain, market, head)
  return {
    readAt: at,
    inception,
    points: await readPastDays(store, chain, { market, since: inception?.at ?? 0 }, head),
  }
}
