import { type Chain, latestBlock, openChain, read } from '../chain/chain.ts'
import type { ChainClient } from '../chain/client.ts'
import { networkNamed } from '../domain/networks.ts'
import { getJson } from '../http/client.ts'
import type { Catalog } from '../protocols/catalog.ts'
import { wrappedOf } from '../protocols/prices.ts'
import { marketsOf } from '../protocols/registry.ts'
import type { EngineStore } from '../store/engine/store.ts'
import { cctp } from '../swaps/cctp-v2/provider.ts'
import type { SwapProvider } from '../swaps/provider.ts'
import { uniswapV3 } from '../swaps/uniswap-v3/provider.ts'
import { type Sees, visible } from './access-scope.ts'
import type { Ground, Grown, Missed } from './context.ts'
import { firstLog } from './history/logs/first-log.ts'
import { keptMarkets } from './market-cache.ts'
import { lendingOf } from './positions/lending-accounts.ts'
import { filledFrom, type OutsidePrices } from './prices/external-prices.ts'
import { ratedOn } from './rates/current-rates.ts'
import { keptDaysOn } from './rates/daily-snapshots.ts'
import { realisedOn } from './rates/realised.ts'
import { receiptsOn } from './rates/receipts.ts'
import { rewardingOn } from './rates/rewards.ts'
import { grownOn } from './rates/share-price-growth.ts'
import { detailedOn } from './rates/strategy-detail.ts'
import { type Crowd, onceEach } from './shared-answers.ts'

/** The chains and what stands on them, as far as somebody may see them. */
export function groundOf(needs: {
  catalog: Catalog
  rpc: (chainId: number) => ChainClient
  sees: Sees
  missed?: Missed | undefined
  store: EngineStore
  now: () => number
  outside?: OutsidePrices | undefined
  crowd?: Crowd | undefined
}): Ground {
  const { rpc, sees, store, missed = () => undefined, now, outside, crowd } = needs
  const catalog = visible(needs.catalog, sees)
  const markets = marketsOf(catalog)
  const chain = onceEach((chainId) => {
    const network = networkNamed(catalog.networks, chainId)
    const wrapped = wrappedOf(catalog, { chainId, symbol: network.native.symbol })
    return openChain(network, rpc(chainId), wrapped?.address)
  })
  const grown = onceEach((chainId) => ratesOn(store, () => chain(chainId)))
  const days = onceEach((chainId) => keptDaysOn(store, chainId))
  const filled = filledFrom(outside, markets)
  return {
    catalog,
    sees,
    markets,
    filled,
    grown,
    detailed: onceEach((chainId) =>
      detailedOn(store, () => chain(chainId), {
        rewarding: rewardingOn(catalog, () => chain(chainId)),
        receipts: receiptsOn(() => chain(chainId)),
      }),
    ),
    kept: keptMarkets(catalog, markets, chain, { missed, now, grown, days, filled, crowd }),
    providers: providersOf(catalog, chain, { store, now }),
    chain,
    lending: lendingOf(catalog, chain),
    missed,
  }
}

/** Rates that follow from what markets stand on, those that are only known by growth, and then what all really paid. */
function ratesOn(store: EngineStore, chain: () => Chain): Grown {
  const steps = [ratedOn(chain), grownOn(chain), realisedOn(store, chain)]
  return async (standings, head) => {
    let rows: Awaited<ReturnType<Grown>> = [...standings]
    for (const step of steps) rows = await step(rows, head)
    return rows
  }
}

/** Every swap provider that the catalogue has contracts for. */
function providersOf(
  { uniswapV3: pools, cctpV2, attestation }: Catalog,
  chain: (chainId: number) => Chain,
  kept: { store: EngineStore; now: () => number },
): SwapProvider[] {
  const served = cctpV2.flatMap((end) => {
    const url = end.attestation ?? attestation
    return url === null ? [] : [{ ...end, attestation: url }]
  })
  const bridge =
    served.length === 0
      ? []
      : [
          cctp(served, {
            attestation: (url, signal) => getJson(url, signal ? { signal } : {}),
            head: async (chainId) => (await latestBlock(chain(chainId))).number,
            log: (chainId, sought, fromBlock) => firstLog(kept, chain(chainId), sought, fromBlock),
          }),
        ]
  return [uniswapV3(pools, (chainId, reading) => read(chain(chainId), reading)), ...bridge]
}
