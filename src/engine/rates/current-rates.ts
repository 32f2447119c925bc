import { askRounds } from '../../chain/ask.ts'
import type { BlockRef } from '../../chain/head.ts'
import type { Chain } from '../../chain/network-client.ts'
import { undefinedIfUnanswered } from '../../chain/rpc/timeouts.ts'
import type { Market, Moment, Rate } from '../../protocols/market-adapter.ts'
import type { RatedMarket } from '../market-cache.ts'
import { pastBlocks } from './historical-snapshots.ts'

/** Adds rates to markets whose state lacks them. */
export type RateReader = (rows: readonly RatedMarket[], head: BlockRef) => Promise<RatedMarket[]>

/** Reads something about the past of markets beside their rates. */
export type PastRateReader = (rows: readonly RatedMarket[], head: BlockRef) => Promise<void>

/** How long rates are cached, in seconds of the chain. Reading them takes several dependent rounds. */
const maxAgeSeconds = 60

type CachedRates = { at: number; rates: ReadonlyMap<Market, Rate | null> }

/**
 * Reads the rates of markets of one chain that follow from other contracts, in parallel. A market without an answer
 * gets no rate here; share-price growth may provide it.
 */
export function currentRateReader(chain: () => Chain): RateReader {
  let cached: CachedRates | undefined
  const ratesOf = async (markets: readonly Market[], head: BlockRef): Promise<CachedRates['rates']> => {
    const now = head.timestamp
    const isKnown = cached && markets.every((market) => cached?.rates.has(market))
    if (cached && isKnown && now >= cached.at && now - cached.at < maxAgeSeconds) return cached.rates
    // The markets themselves were read, so a missing rate does not fail the request.
    const rates = (await undefinedIfUnanswered(readRates(chain(), markets, head))) ?? []
    cached = { at: now, rates: new Map(markets.map((market, at) => [market, rates[at] ?? null])) }
    return cached.rates
  }
  return async (rows, head) => {
    const unknown = rows.flatMap(({ market, state }) => (market.rate && state?.apy === null ? [market] : []))
    if (unknown.length === 0) return [...rows]
    const rates = await ratesOf(unknown, head)
    return rows.map((row) => {
      const { market, state } = row
      const rate = rates.get(market)
      if (!state || state.apy !== null || !rate || !Number.isFinite(rate.apy)) return row
      return { ...row, state: { ...state, ...rate } }
    })
  }
}

async function readRates(
  chain: Chain,
  markets: readonly Market[],
  head: BlockRef,
): Promise<readonly (Rate | null)[]> {
  const secondsABlock = markets.some(({ isPaidByBlock }) => isPaidByBlock)
    ? await blockSpacing(chain, head)
    : undefined
  const at: Moment = { now: head.timestamp, secondsABlock }
  return askRounds(
    chain,
    markets.map((market) => market.rate!(at)),
  )
}

/**
 * The distances of the blocks probed in one exchange. The nearest one that spans enough time gives the block
 * spacing.
 */
const probeDistances = [10n, 100n, 1_000n, 10_000n]
/** The minimum span, in seconds: block times are whole seconds, and a change of pace must show soon. */
const minSpanSeconds = 600

/**
 * The average spacing of the newest blocks, in seconds; `undefined` if there are too few blocks or the node
 * does not return them.
 */
async function blockSpacing(chain: Chain, { number, timestamp }: BlockRef): Promise<number | undefined> {
  const numbers = probeDistances.map((back) => number - back).filter((at) => at > 0n)
  if (numbers.length === 0) return undefined
  const spans = (await pastBlocks(chain, numbers, timestamp)).map((then) => ({
    seconds: timestamp - then.timestamp,
    blocks: Number(number - then.number),
  }))
  const span = spans.find(({ seconds }) => seconds >= minSpanSeconds) ?? spans.at(-1)
  return span && span.seconds > 0 ? span.seconds / span.blocks : undefined
}
