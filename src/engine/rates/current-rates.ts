import type { BlockRef, Chain } from '../../chain/chain.ts'
import { answerRounds } from '../../chain/query-rounds.ts'
import { AppError } from '../../domain/errors.ts'
import type { Market, Moment, Rate } from '../../protocols/market.ts'
import type { RateReader } from '../context.ts'
import { pastBlocks } from './past-states.ts'

/** For so long a rate is kept, in seconds of the chain: it takes several questions, each of which needs the answer to the one before. */
const maxAgeSeconds = 60

type CachedRates = { at: number; rates: ReadonlyMap<Market, Rate | null> }

/**
 * Puts in the rates of the markets of one chain that follow from what they stand on, asked side by side. What does not answer stays
 * without one, so that growth may tell.
 */
export function currentRateReader(chain: () => Chain): RateReader {
  let kept: CachedRates | undefined
  const ratesOf = async (markets: readonly Market[], head: BlockRef): Promise<CachedRates['rates']> => {
    const now = head.timestamp
    const isKnown = kept && markets.every((market) => kept?.rates.has(market))
    if (kept && isKnown && now >= kept.at && now - kept.at < maxAgeSeconds) return kept.rates
    const rates = await readRates(chain(), markets, head)
    kept = { at: now, rates: new Map(markets.map((market, at) => [market, rates[at] ?? null])) }
    return kept.rates
  }
  return async (standings, head) => {
    const unknown = standings.flatMap(({ market, state }) =>
      market.rate && state?.apy === null ? [market] : [],
    )
    if (unknown.length === 0) return [...standings]
    const rates = await ratesOf(unknown, head)
    return standings.map((standing) => {
      const { market, state } = standing
      const rate = rates.get(market)
      if (!state || state.apy !== null || !rate || !Number.isFinite(rate.apy)) return standing
      return { ...standing, state: { ...state, ...rate } }
    })
  }
}

async function readRates(
  chain: Chain,
  markets: readonly Market[],
  head: BlockRef,
): Promise<readonly (Rate | null)[]> {
  try {
    const secondsABlock = markets.some(({ isPaidByBlock }) => isPaidByBlock)
      ? await blockSpacing(chain, head)
      : undefined
    const at: Moment = { now: head.timestamp, secondsABlock }
    return await answerRounds(
      chain,
      markets.map((market) => market.rate!(at)),
    )
  } catch (error) {
    // The markets themselves were read: a rate is no reason to fail.
    if (error instanceof AppError && error.code.startsWith('RPC_')) return []
    throw error
  }
}

/** So many blocks back it is looked, in one exchange; the fewest that took long enough say how far apart the newest are. */
const probeDistances = [10n, 100n, 1_000n, 10_000n]
/** Long enough, in seconds: times are whole seconds, and a chain that changed its pace must be seen soon. */
const minSpanSeconds = 600

/** How many seconds the newest blocks are apart, on average; `undefined` where there are too few, or the node does not tell. */
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
