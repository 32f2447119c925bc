import type { Address } from '../domain/address.ts'
import type { Category } from '../domain/categories.ts'
import type { Network } from '../domain/networks.ts'
import type { Token } from '../domain/token.ts'
import type { BitcoinConstants } from './bitcoin-services.ts'
import type { MarketConstants } from './market-constants-union.ts'

/**
 * One entry of the catalogue of strategies. `asset` is the token that goes in and comes out;
 * `receipt` is the token that the position is held in (aToken, vault share).
 */
export type StrategyEntry = {
  /** `{protocol}-{assetName}-{network}` */
  id: string
  /** Lower-case, hyphenated; accepted wherever an id is. */
  slug: string
  name: string
  protocol: string
  network: string
  chainId: number
  category: Category
  asset: Token
  receipt: Token
  /** `{family}@{version}`; changes with the calldata. */
  implementationSelector: string
  /** The time from which its index grows, in ISO 8601, or `null` where it is not known. */
  startDate: string | null
  /** The day of its launch in ISO 8601, as a public source states it. It is shown; no rate is computed from it. */
  launchDate: string | null
  /** The same of its family on this network: it is not older. It is shown if nothing else is known. */
  familyLaunchDate: string | null
  isDefault: boolean
  metadata: Record<string, unknown> | null
  logourl: string | null
  constants: MarketConstants
  /** The block from which its events are read. */
  fromBlock: bigint
}

/** A Chainlink feed that prices a token in USD, for tokens that the Aave oracle of their chain does not list. */
export type PriceFeed = { chainId: number; token: Address; feed: Address; decimals: number }

/** The contracts of a swap provider on a chain; the folder of the provider has their schema. */
export type SwapRow = { chainId: number }

/** Everything that an engine and a guard know in advance about their chains, as plain data. */
export type Catalog = {
  networks: readonly Network[]
  tokens: readonly Token[]
  strategies: readonly StrategyEntry[]
  /** The contracts of swap providers, by provider name; `src/swaps/swap-contracts.ts` reads and types them. */
  swaps: Readonly<Record<string, readonly SwapRow[]>>
  /** The Aave oracle of each chain, which prices its listed tokens in USD with 8 decimals. */
  priceOracles: Readonly<Record<number, Address>>
  priceFeeds: readonly PriceFeed[]
  /** The services of swaps that begin on Bitcoin; without them there are none. */
  bitcoin?: BitcoinConstants
}
