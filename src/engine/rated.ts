import { AppError } from '../domain/errors.ts'
import type { Chain } from './chain.ts'
import type { Grown } from './growth.ts'
import type { Market, Rate } from './markets/market.ts'
import { answered } from './rounds.ts'

/** For so long a rate is kept, in seconds of the chain: it takes several questions, each of which needs the answer to the one before. */
const keepFor = 60

type Kept = { at: number; rates: ReadonlyMap<Market, Rate | null> }

/**
 * Puts in the rates of the markets of one chain that follow from what they stand on, asked side by side. What does not answer stays
 * without one, so that growth may tell.
 */
export function ratedOn(chain: () => Chain): Grown {
  let kept: Kept | undefined
  const ratesOf = async (markets: readonly Market[], now: number): Promise<Kept['rates']> => {
    const isKnown = kept && markets.every((market) => kept?.rates.has(market))
    if (kept && isKnown && now >= kept.at && now - kept.at < keepFor) return kept.rates
    const rates = await asked(chain(), markets)
    kept = { at: now, rates: new Map(markets.map((market, at) => [market, rates[at] ?? null])) }
    return kept.rates
  }
  return async (standings, head) => {
    const unknown = standings.flatMap(({ market, state }) =>
      market.rate && state?.apy === null ? [market] : [],
    )
    if (unknown.length === 0) return [...standings]
    const rates = await ratesOf(unknown, head.timestamp)
    return standings.map((standing) => {
      const { market, state } = standing
      const rate = rates.get(market)
      if (!state || state.apy !== null || !rate || !Number.isFinite(rate.apy)) return standing
      return { ...standing, state: { ...state, ...rate } }
    })
  }
}

async function asked(chain: Chain, markets: readonly Market[]): Promise<readonly (Rate | null)[]> {
  try {
    return await answered(
      chain,
      markets.map((market) => market.rate!()),
    )
  } catch (error) {
    // The markets themselves were read: a rate is no reason to fail.
    if (error instanceof AppError && error.code.startsWith('RPC_')) return []
    throw error
  }
}
