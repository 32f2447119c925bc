import type { Page } from '../api/page.ts'
import type { Analytics } from '../api/recommendation.ts'
import type { Strategy } from '../api/strategy.ts'
import type { BlockRef, Chain } from '../chain/chain.ts'
import type { Address } from '../domain/address.ts'
import type { ApyBasis } from '../domain/apy.ts'
import { AppError } from '../domain/errors.ts'
import { type Network, networkNamed } from '../domain/networks.ts'
import type { Price } from '../domain/usd.ts'
import type { Catalog, StrategyEntry } from '../protocols/catalog.ts'
import type { Market, MarketState } from '../protocols/market.ts'
import type { Account } from '../protocols/shared/lending-account.ts'
import type { EngineStore } from '../store/engine/store.ts'
import type { SwapProvider } from '../swaps/provider.ts'
import type { AccessScope } from './access-scope.ts'
import type { PageRequest } from './pagination.ts'
/** What stands on the chains, as far as a customer may see it: customers who see the same may share it. */
export type ChainServices = {
  catalog: Catalog
  scope: AccessScope
  markets: readonly Market[]
  /** Their prices from outside, where somebody asked for that. */
  fillPrices: PriceFiller
  /** How they stand, read again only when their chains have moved on. */
  marketCache: MarketCache
  /** The rates of a chain's markets that are only known by growth. */
  rateReader: (chainId: number) => RateReader
  /** One of a chain's strategies with what it paid lately. */
  strategyDetails: (chainId: number) => StrategyDetailReader
  providers: readonly SwapProvider[]
  chain: (chainId: number) => Chain
  /** What a wallet has lent and borrowed on a chain. */
  lendingAccounts: LendingAccountReader
  /** Who is told which chains are left out of an answer. */
  onMissingNetwork: OnMissingNetwork
}

/** Who is told of a quote that is stored and cannot be read, so that a list is without it. */
export type OnUnreadableQuote = (quoteId: string, fault: unknown) => void

/** What every part of the engine works with. `now` is in epoch milliseconds; `newId` makes UUIDs. */
export type EngineContext = ChainServices & {
  store: EngineStore
  customer: string
  /** Who changes settings, for the record: the id of an API key, or `operator`. */
  changedBy: string
  onUnreadableQuote?: OnUnreadableQuote
  now: () => number
  newId: () => string
}

/** The market behind an id or a slug, in any casing. */
export function marketNamed({ markets }: EngineContext, id: string): Market {
  const wanted = id.toLowerCase()
  const found = markets.find(({ entry }) => entry.slug === wanted || entry.id.toLowerCase() === wanted)
  if (found) return found
  throw new AppError('STRATEGY_NOT_FOUND', `There is no strategy "${id}"`, { details: { id } })
}

/** Whether this customer may see a chain. */
export const isChainInScope = ({ catalog }: EngineContext, chainId: number): boolean =>
  catalog.networks.some((network) => network.chainId === chainId)

/** The network of a strategy. */
export const networkOf = ({ catalog }: EngineContext, { chainId }: StrategyEntry): Network =>
  networkNamed(catalog.networks, chainId)

/** The network that somebody names as an end of a way; NO_ROUTE_FOUND where there is none of that name. */
export function routeNetworkNamed(
  { catalog }: Pick<EngineContext, 'catalog'>,
  name: string | number,
): Network {
  try {
    return networkNamed(catalog.networks, name)
  } catch (cause) {
    throw new AppError('NO_ROUTE_FOUND', `There is no network "${name}"`, { cause })
  }
}

/**
 * A market as it stands `at` a time, in Unix seconds; where they were looked up, with when it `begun` and what it really paid, over the last
 * month and since then. `null` is unknown. Without a `basis`, its rate is what is paid now.
 */
export type RatedMarket = MarketReading & {
  at: number
  basis?: ApyBasis
  startedAt?: number | null
  averageApy?: number | null
  inceptionApy?: number | null
}

/** A market as it stands, and as the service shows it. */
export type ListedMarket = RatedMarket & { strategy: Strategy }

/** All strategies at one state of their chains. As long as no chain moves on, each page of it is the same object. */
export type StrategyListing = { page: (ask: PageRequest) => Page<Strategy>; analytics: Analytics }

/** How the markets stand now: those of one chain, of the chains that answer among some, or all of them as lists. */
export type MarketCache = {
  onChain: (chainId: number) => Promise<readonly ListedMarket[]>
  onChains: (chainIds: readonly number[]) => Promise<readonly (readonly ListedMarket[])[]>
  listing: () => Promise<StrategyListing>
  /** Totals need every chain: a sum that lacks a part is none. */
  totals: () => Promise<Analytics>
}

/** Who is told that the rows of a chain are left out, and why; `null` is that they are there again. */
export type OnMissingNetwork = (network: Network, fault: AppError | null) => void

/** Rows of markets of one chain, of which some may have no price. */
type Rows<row> = readonly (row & { market: Market; price: Price })[]

/** Puts in the prices that no contract says. They are shown, and nothing that is signed is decided by them. */
export type PriceFiller = <row>(rows: Rows<row>) => Promise<Rows<row>>

/** Puts in the rates that are only known by how much a market has grown. */
export type RateReader = (standings: readonly RatedMarket[], head: BlockRef) => Promise<RatedMarket[]>

/** A strategy with all that is known of what it paid: the same object as long as its chain stands still. */
export type StrategyDetailReader = (shown: ListedMarket) => Promise<Strategy>

/** An account, and in which market it is. */
export type LendingAccount = Account & {
  chainId: number
  network: string
  protocol: string
  address: Address
}

/** The accounts of a wallet in the Aave v3 and Compound v3 markets of a chain. */
export type LendingAccountReader = (owner: Address, chainId: number) => Promise<LendingAccount[]>

/** What was read of a market: `state` is `undefined` where its contracts did not answer. */
export type MarketReading = { market: Market; state: MarketState | undefined; price: Price }
