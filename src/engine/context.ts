import type { Page, PageRequest } from '../api/page.ts'
import type { Analytics } from '../api/recommendation.ts'
import type { Strategy } from '../api/strategy.ts'
import type { Chain } from '../chain/chain.ts'
import type { BlockRef } from '../chain/contract-reads.ts'
import type { Address } from '../domain/address.ts'
import type { ApyBasis } from '../domain/apy-basis.ts'
import { AppError } from '../domain/errors.ts'
import { type Network, networkNamed } from '../domain/networks.ts'
import type { Price } from '../domain/usd.ts'
import type { Catalog, StrategyEntry } from '../protocols/catalog-types.ts'
import type { Market, MarketState } from '../protocols/market-adapter.ts'
import type { Account } from '../protocols/shared/lending-account.ts'
import type { EngineStore } from '../store/engine/store.ts'
import type { Bitcoin, DepositProvider } from '../swaps/deposit-provider.ts'
import type { SwapProvider } from '../swaps/provider.ts'
import type { SwapDependencies } from '../swaps/provider-dependencies.ts'
import type { AccessScope } from './catalog-scope.ts'
/** The services that read the chains in one access scope. Customers with the same scope may share them. */
export type ChainServices = {
  catalog: Catalog
  scope: AccessScope
  markets: readonly Market[]
  /** Fills in prices from an external source, if one is configured. */
  fillPrices: PriceFiller
  /** Cached market states; refreshed when their chain has a new block. */
  marketCache: MarketCache
  /** Reads the rates that the markets of a chain do not state themselves. */
  rateReader: (chainId: number) => RateReader
  /** Adds recent rates to a strategy of a chain. */
  strategyDetails: (chainId: number) => StrategyDetailReader
  providers: readonly SwapProvider[]
  /** The providers of swaps that begin on Bitcoin, and what reads it; `null` where the catalogue has no services for it. */
  deposits: { providers: readonly DepositProvider[]; bitcoin: Bitcoin } | null
  /** How long a swap provider may take for a quote, in ms. */
  quoteDeadlineMs: number
  chain: (chainId: number) => Chain
  /** Reads what a wallet has lent and borrowed on a chain. */
  lendingAccounts: LendingAccountReader
  /** Called when a chain is left out of an answer. */
  onMissingNetwork: OnMissingNetwork
}

/** The swap providers that are asked, by name, and how long one may take for a quote, in ms. */
export type SwapSettings = {
  providers?: readonly string[]
  quoteDeadlineMs?: number
  /** Reads the file with the keys for the service of a provider. */
  secretAt?: SwapDependencies['secretAt'] | undefined
}

/** Called when a stored quote cannot be read and is left out of a list. */
export type OnUnreadableQuote = (quoteId: string, fault: unknown) => void

/** The dependencies of every part of the engine. `now` returns epoch milliseconds; `newId` creates UUIDs. */
export type EngineContext = ChainServices & {
  store: EngineStore
  customer: string
  /** The author of setting changes, for the record: the id of an API key, or `operator`. */
  changedBy: string
  onUnreadableQuote?: OnUnreadableQuote
  /** Whether the engine answers over HTTP, where an answer has room for one approval. */
  isServed?: boolean
  now: () => number
  newId: () => string
}

/** Finds a market by id or slug, in any casing. An unknown one is STRATEGY_NOT_FOUND. */
export function marketNamed({ markets }: EngineContext, id: string): Market {
  const wanted = id.toLowerCase()
  const found = markets.find(({ entry }) => entry.slug === wanted || entry.id.toLowerCase() === wanted)
  if (found) return found
  throw new AppError('STRATEGY_NOT_FOUND', `There is no strategy "${id}"`, { details: { id } })
}

/** Whether a chain is in the scope of this customer. */
export const isChainInScope = ({ catalog }: EngineContext, chainId: number): boolean =>
  catalog.networks.some((network) => network.chainId === chainId)

/** The network of a strategy. */
export const networkOf = ({ catalog }: EngineContext, { chainId }: StrategyEntry): Network =>
  networkNamed(catalog.networks, chainId)

/** Finds the network at one end of a route, by name or chain id. An unknown one is NO_ROUTE_FOUND. */
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
 * A market with its rates at time `at`, in Unix seconds. `startedAt` is when the market began, `averageApy`
 * its realised rate over the last 30 days, `inceptionApy` over its whole life; `null` is unknown. Without a
 * `basis`, the rate is the current one.
 */
export type RatedMarket = MarketReading & {
  at: number
  basis?: ApyBasis
  startedAt?: number | null
  averageApy?: number | null
  inceptionApy?: number | null
}

/** A rated market with the strategy that the service returns for it. */
export type ListedMarket = RatedMarket & { strategy: Strategy }

/**
 * All strategies at one state of their chains. Until a chain has a new block, each page is the same object.
 */
export type StrategyListing = { page: (ask: PageRequest) => Page<Strategy>; analytics: Analytics }

/** The current markets: of one chain, of several chains (those that answer), or of all chains as a list. */
export type MarketCache = {
  onChain: (chainId: number) => Promise<readonly ListedMarket[]>
  onChains: (chainIds: readonly number[]) => Promise<readonly (readonly ListedMarket[])[]>
  listing: () => Promise<StrategyListing>
  /** Totals over all chains. They fail if a chain does not answer, because a partial sum would be wrong. */
  totals: () => Promise<Analytics>
}

/** Called when the rows of a chain are left out, with the reason, and with `null` when they are back. */
export type OnMissingNetwork = (network: Network, fault: AppError | null) => void

/** Rows of markets of one chain. Some may lack a price. */
type Rows<row> = readonly (row & { market: Market; price: Price })[]

/** Fills in prices that no contract provides. They are only displayed: no signed amount depends on them. */
export type PriceFiller = <row>(rows: Rows<row>) => Promise<Rows<row>>

/** Adds rates to markets whose state lacks them. */
export type RateReader = (rows: readonly RatedMarket[], head: BlockRef) => Promise<RatedMarket[]>

/** Adds every known rate to a strategy. The result is the same object until its chain has a new block. */
export type StrategyDetailReader = (shown: ListedMarket) => Promise<Strategy>

/** A lending account with the market it belongs to. */
export type LendingAccount = Account & {
  chainId: number
  network: string
  protocol: string
  address: Address
}

/** Reads the accounts of a wallet in the Aave v3 and Compound v3 markets of a chain. */
export type LendingAccountReader = (owner: Address, chainId: number) => Promise<LendingAccount[]>

/** The result of reading a market. `state` is `undefined` if its contracts did not answer. */
export type MarketReading = { market: Market; state: MarketState | undefined; price: Price }
