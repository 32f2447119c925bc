import { askRounds } from '../../chain/ask.ts'
import type { Chain } from '../../chain/network-client.ts'
import { undefinedIfUnanswered } from '../../chain/rpc/timeouts.ts'
import type { Address } from '../../domain/address.ts'
import type { Catalog } from '../../protocols/catalog-types.ts'
import type { Market } from '../../protocols/market-adapter.ts'
import { priceOf } from '../../protocols/oracle-prices.ts'
import { type Reward, rewardRate } from '../../protocols/shared/market-rewards.ts'
import type { ListedMarket } from '../market-cache.ts'

/**
 * Reads the rewards that a strategy pays in addition to its interest, as a fraction a year; `null` is
 * unknown.
 */
export type RewardReader = (shown: ListedMarket) => Promise<number | null>

/** How long rewards are cached, in seconds of the chain. */
const maxAgeSeconds = 300

type CachedRewards = { at: number; extras: Promise<readonly Reward[] | null> }

/** Reads the rewards of the markets of one chain. If the chain does not answer, they are unknown. */
export function rewardReader(catalog: Catalog, chain: () => Chain): RewardReader {
  const cached = new Map<Market, CachedRewards>()
  return async ({ market, state, price, at }) => {
    const { rewards, entry } = market
    if (!rewards || !state) return null
    const last = cached.get(market)
    const isFresh = last && at >= last.at && at - last.at < maxAgeSeconds
    const now: CachedRewards = isFresh ? last : { at, extras: readExtras(catalog, chain(), market, at) }
    cached.set(market, now)
    const extras = await now.extras
    return rewardRate(extras, { tvl: state.tvl, decimals: entry.asset.decimals, price })
  }
}

async function readExtras(
  catalog: Catalog,
  chain: Chain,
  { rewards, entry: { chainId } }: Market,
  at: number,
): Promise<readonly Reward[] | null> {
  const { symbol, decimals } = chain.network.native
  const priced = (address: Address) => priceOf(catalog, { chainId, address, symbol, name: symbol, decimals })
  const [extras] = (await undefinedIfUnanswered(askRounds(chain, [rewards!(at, priced)]))) ?? []
  return extras ?? null
}
