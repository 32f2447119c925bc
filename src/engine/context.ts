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
import type { Sees } from './access-scope.ts'
import type { PageAsk } from './pagination.ts'
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

/**
 * A market as it stands `at` a time, in Unix seconds; where they were looked up, with when it `begun` and what it really paid, over the last
 * month and since then. `null` is unknown. Without a `basis`, its rate is what is paid now.
 */
export type Standing = Answered & {
  at: number
  basis?: ApyBasis
  begun?: number | null
  averageApy?: number | null
  inceptionApy?: number | null
}

/** A market as it stands, and as the service shows it. */
export type Shown = Standing & { strategy: Strategy }

/** All strategies at one state of their chains. As long as no chain moves on, each page of it is the same object. */
export type Listing = { page: (ask: PageAsk) => Page<Strategy>; analytics: Analytics }

/** How the markets stand now: those of one chain, of the chains that answer among some, or all of them as lists. */
export type Kept = {
  on: (chainId: number) => Promise<readonly Shown[]>
  among: (chainIds: readonly number[]) => Promise<readonly (readonly Shown[])[]>
  listing: () => Promise<Listing>
  /** Totals need every chain: a sum that lacks a part is none. */
  totals: () => Promise<Analytics>
}

/** Who is told that the rows of a chain are left out, and why; `null` is that they are there again. */
export type Missed = (network: Network, fault: AppError | null) => void

/** Rows of markets of one chain, of which some may have no price. */
type Rows<row> = readonly (row & { market: Market; price: Price })[]

/** Puts in the prices that no contract says. They are shown, and nothing that is signed is decided by them. */
export type Filled = <row>(rows: Rows<row>) => Promise<Rows<row>>

/** Puts in the rates that are only known by how much a market has grown. */
export type Grown = (standings: readonly Standing[], head: BlockRef) => Promise<Standing[]>

/** A strategy with all that is known of what it paid: the same object as long as its chain stands still. */
export type Detailed = (shown: Shown) => Promise<Strategy>

/** An account, and in which market it is. */
export type AccountThere = Account & { chainId: number; network: string; protocol: string; address: Address }

/** The accounts of a wallet in the Aave v3 and Compound v3 markets of a chain. */
export type Lending = (owner: Address, chainId: number) => Promise<AccountThere[]>

/** What was read of a market: `state` is `undefined` where its contracts did not answer. */
export type Answered = { market: Market; state: MarketState | undefined; price: Price }
