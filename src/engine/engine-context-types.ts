import type { Chain } from '../chain/network-client.ts'
import type { Catalog } from '../protocols/catalog-types.ts'
import type { Market } from '../protocols/market-adapter.ts'
import type { EngineStore } from '../store/engine/store.ts'
import type { BitcoinReader } from '../swaps/bitcoin-reader-types.ts'
import type { DepositProvider } from '../swaps/deposit-provider.ts'
import type { Choice } from '../swaps/offers/offer-comparison.ts'
import type { SwapProvider } from '../swaps/provider.ts'
import type { SwapDependencies } from '../swaps/provider-dependencies.ts'
import type { ServiceAccess } from '../swaps/service-access.ts'
import type { AccessScope } from './access-scope.ts'
import type {
  LendingAccountReader,
  MarketCache,
  OnMissingNetwork,
  PastRateReader,
  PriceFiller,
  RateReader,
  StrategyDetailReader,
} from './market-types.ts'

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
  /** Reads what the rates of the markets of a chain need of its past. */
  readPastRates: (chainId: number) => PastRateReader
  /** Adds recent rates to a strategy of a chain. */
  strategyDetails: (chainId: number) => StrategyDetailReader
  providers: readonly SwapProvider[]
  /** The providers of swaps that begin on Bitcoin, and its reader; `null` if the catalogue has no services for it. */
  deposits: { providers: readonly DepositProvider[]; bitcoin: BitcoinReader } | null
  /** Time limit of a quote from a swap provider, in ms. */
  quoteDeadlineMs: number
  chain: (chainId: number) => Chain
  /** Reads the loans and debts of a wallet on a chain. */
  lendingAccounts: LendingAccountReader
  /** Called when a chain is left out of an answer. */
  onMissingNetwork: OnMissingNetwork
}

/** The swap providers to use, by name, and the time limit of a quote, in ms. */
export type SwapSettings = {
  providers?: readonly string[]
  quoteDeadlineMs?: number
  /** Reads the file with a provider's keys. */
  secretAt?: SwapDependencies['secretAt'] | undefined
  /** How the services of providers are asked: without keys, unless set. */
  services?: ServiceAccess | undefined
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
  /** How the best of several swap offers is chosen: by its expected output, unless set. */
  choice?: Choice | undefined
  /** Whether endpoints of webhooks may be on this machine, also over HTTP. */
  allowLoopback?: boolean
  /** Whether the engine answers over HTTP, where an answer holds at most one approval. */
  isServed?: boolean
  /** Whether this call is for a comparison or a dry run, which are not listed. */
  isDraft?: boolean
  now: () => number
  newId: () => string
}
