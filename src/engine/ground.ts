import type { Catalog } from '../domain/catalog.ts'
import { networkNamed } from '../domain/network-named.ts'
import { getJson } from '../net/http.ts'
import type { Rpc } from '../net/rpc.ts'
import type { EngineStore } from '../store/engine.ts'
import { type Chain, headOf, openChain, read } from './chain.ts'
import type { Ground } from './context.ts'
import { filledFrom } from './filled-prices.ts'
import type { Crowd } from './fresh.ts'
import { type Grown, grownOn } from './growth.ts'
import { keptMarkets, type Missed } from './kept.ts'
import { lendingOf } from './lending.ts'
import { firstLog } from './logs/first-log.ts'
import { marketsOf } from './markets/catalog.ts'
import { onceEach } from './once-each.ts'
import type { OutsidePrices } from './outside-prices.ts'
import { wrappedOf } from './prices.ts'
import { ratedOn } from './rated.ts'
import { detailedOn } from './rates/detail.ts'
import { keptDaysOn } from './rates/kept-days.ts'
import { realisedOn } from './rates/realised.ts'
import { receiptsOn } from './rates/receipts.ts'
import { rewardingOn } from './rates/reward.ts'
import { cctp } from './swaps/cctp.ts'
import type { SwapProvider } from './swaps/provider.ts'
import { uniswapV3 } from './swaps/uniswap-v3.ts'
import { type Sees, visible } from './visible.ts'

/** The chains and what stands on them, as far as somebody may see them. */
export function groundOf(needs: {
  catalog: Catalog
  rpc: (chainId: number) => Rpc
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
            head: async (chainId) => (await headOf(chain(chainId))).number,
            log: (chainId, sought, fromBlock) => firstLog(kept, chain(chainId), sought, fromBlock),
          }),
        ]
  return [uniswapV3(pools, (chainId, reading) => read(chain(chainId), reading)), ...bridge]
}
