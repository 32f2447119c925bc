import type { Strategy } from '../../api/strategy.ts'
import { type Chain, latestBlock } from '../../chain/chain.ts'
import { AppError } from '../../domain/errors.ts'
import type { Market } from '../../protocols/market.ts'
import type { EngineStore } from '../../store/engine/store.ts'
import type { Detailed, Shown, Standing } from '../context.ts'
import { strategyOf } from '../strategies/market-state.ts'
import { type Inception, inceptionOf, knownInceptions } from './inception.ts'
import { averageDays, day, dayOf, daysAgo, type Point } from './rate-points.ts'
import { withRates } from './realised.ts'
import type { Receipts } from './receipts.ts'
import type { Rewarding } from './rewards.ts'
import { pastDays, ratesOf } from './series.ts'

/** For so long what was read of the past is used, in seconds of the chain. */
const keepFor = 3_600

type Past = { asked: number; begun: Inception | undefined; points: readonly Point[] }

/** Details of the markets of one chain. Its past is asked for once an hour and market; a chain that does not tell costs the past alone. */
export function detailedOn(
  store: EngineStore,
  chain: () => Chain,
  { rewarding, receipts }: { rewarding: Rewarding; receipts: Receipts },
): Detailed {
  const pasts = new Map<Market, Promise<Past>>()
  const told = new WeakMap<Shown, Promise<Strategy>>()
  const pastOf = async (shown: Shown): Promise<Past> => {
    const kept = await pasts.get(shown.market)?.catch(() => undefined)
    const isSameDay = kept && dayOf(shown.at) === dayOf(kept.asked)
    if (isSameDay && shown.at >= kept.asked && shown.at - kept.asked < keepFor) return kept
    const asked = pastNow(store, chain(), shown)
    pasts.set(shown.market, asked)
    asked.catch(() => pasts.delete(shown.market))
    return asked
  }
  const detail = async (shown: Shown): Promise<Strategy> => {
    const { market, state, at } = shown
    const [past, reward, receipt] = await Promise.all([
      pastOf(shown).catch((error: unknown) => {
        if (error instanceof AppError && error.code.startsWith('RPC_')) return undefined
        throw error
      }),
      rewarding(shown),
      receipts(market),
    ])
    const points = past?.points.filter((point) => point.at < at) ?? []
    const series = past && state && points.length > 0 ? [...points, { at, index: state.index }] : []
    const strategy = {
      ...(past ? strategyOf(rated(shown, past.begun, series)) : shown.strategy),
      receipt,
    }
    if (series.length === 0 && !reward) return strategy
    return { ...strategy, rates: ratesOf(market, series, { apy: strategy.apy, reward }) }
  }
  return (shown) => {
    const known = told.get(shown) ?? detail(shown)
    told.set(shown, known)
    known.catch(() => told.delete(shown))
    return known
  }
}

/** With what its past says; what that does not say of an average is what was known of it before. */
function rated(shown: Shown, begun: Inception | undefined, series: readonly Point[]): Standing {
  const said = withRates(shown, begun, daysAgo(series, shown.at, averageDays))
  return { ...said, averageApy: said.averageApy ?? shown.averageApy ?? null }
}

async function pastNow(store: EngineStore, chain: Chain, shown: Shown): Promise<Past> {
  const { market, at } = shown
  const known = (await knownInceptions(store, chain.network.chainId, [market])).get(market)
  // Of what began today there is nothing to tell yet.
  if (known && at - known.at < day / 2) return { asked: at, begun: known, points: [] }
  const head = await latestBlock(chain)
  const begun = await inceptionOf(store, chain, market, head)
  return { asked: at, begun, points: await pastDays(store, chain, { market, since: begun?.at ?? 0 }, head) }
}
