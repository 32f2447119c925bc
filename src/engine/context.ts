import type { Chain } from '../chain/chain.ts'
import { AppError } from '../domain/errors.ts'
import { type Network, networkNamed } from '../domain/networks.ts'
import type { Catalog, StrategyEntry } from '../protocols/catalog.ts'
import type { Market } from '../protocols/market.ts'
import type { EngineStore } from '../store/engine/store.ts'
import type { SwapProvider } from '../swaps/provider.ts'
import type { Sees } from './access-scope.ts'
import type { Kept, Missed } from './market-cache.ts'
import type { Lending } from './positions/lending-accounts.ts'
import type { Filled } from './prices/external-prices.ts'
import type { Grown } from './rates/share-price-growth.ts'
import type { Detailed } from './rates/strategy-detail.ts'

/** What stands on the chains, as far as a customer may see it: customers who see the same may share it. */
export type Ground = {
  catalog: Catalog
  sees: Sees
  markets: readonly Market[]
  /** Their prices from outside, where somebody asked for that. */
  filled: Filled
  /** How they stand, read again only when their chains have moved on. */
  kept: Kept
  /** The rates of a chain's markets that are only known by growth. */
  grown: (chainId: number) => Grown
  /** One of a chain's strategies with what it paid lately. */
  detailed: (chainId: number) => Detailed
  providers: readonly SwapProvider[]
  chain: (chainId: number) => Chain
  /** What a wallet has lent and borrowed on a chain. */
  lending: Lending
  /** Who is told which chains are left out of an answer. */
  missed: Missed
}

/** Who is told of a quote that is stored and cannot be read, so that a list is without it. */
export type Unread = (quoteId: string, fault: unknown) => void

/** What every part of the engine works with. `now` is in epoch milliseconds; `newId` makes UUIDs. */
export type Context = Ground & {
  store: EngineStore
  customer: string
  /** Who changes settings, for the record: the id of an API key, or `operator`. */
  by: string
  unread?: Unread
  now: () => number
  newId: () => string
}

/** The market behind an id or a slug, in any casing. */
export function marketNamed({ markets }: Context, id: string): Market {
  const wanted = id.toLowerCase()
  const found = markets.find(({ entry }) => entry.slug === wanted || entry.id.toLowerCase() === wanted)
  if (found) return found
  throw new AppError('STRATEGY_NOT_FOUND', `There is no strategy "${id}"`, { details: { id } })
}

/** Whether this customer may see a chain. */
export const seesChain = ({ catalog }: Context, chainId: number): boolean =>
  catalog.networks.some((network) => network.chainId === chainId)

/** The network of a strategy. */
export const networkOf = ({ catalog }: Context, { chainId }: StrategyEntry): Network =>
  networkNamed(catalog.networks, chainId)

/** The network that somebody names as an end of a way; NO_ROUTE_FOUND where there is none of that name. */
export function endNamed({ catalog }: Pick<Context, 'catalog'>, name: string | number): Network {
  try {
    return networkNamed(catalog.networks, name)
  } catch (cause) {
    throw new AppError('NO_ROUTE_FOUND', `There is no network "${name}"`, { cause })
  }
}
