import type { Page, PageRequest } from '../api/page.ts'
import type { Strategy } from '../api/strategy.ts'
import type { Analytics } from '../api/strategy-totals.ts'
import type { BlockRef } from '../chain/head.ts'
import type { Address } from '../domain/address.ts'
import type { ApyBasis } from '../domain/apy-basis.ts'
import type { AppError } from '../domain/errors.ts'
import type { Network } from '../domain/networks.ts'
import type { Price } from '../domain/usd.ts'
import type { Market, MarketState } from '../protocols/market-adapter.ts'
import type { Account } from '../protocols/shared/lending-account.ts'

/**
 * A market with its rates at time `at`, in Unix seconds. `startedAt` is the start of the market, `averageApy` its
 * realised rate over the last 30 days, `inceptionApy` over its whole life; `null` is unknown. Without a `basis`, the
 * rate is the current one.
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

/** Reads something about the past of markets beside their rates. */
export type PastRateReader = (rows: readonly RatedMarket[], head: BlockRef) => Promise<void>

/** Adds every known rate to the strategy of a market, while it is listed. The result is the same object until its chain has a new block. */
export type StrategyDetailReader = (market: Market, listed: Promise<ListedMarket>) => Promise<Strategy>

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
