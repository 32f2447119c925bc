import { multicall3Abi } from 'viem'
import { parseAbi } from 'viem/utils'
import { both, contract, known, type Reading } from '../chain/call.ts'
import { priceAge } from '../chain/read-oracle-price-age.ts'
import { nativeAddress } from '../domain/address.ts'
import { type Token, wrappedOf } from '../domain/token.ts'
import type { Price } from '../domain/usd.ts'
import { aaveV3OracleAbi } from './aave-v3/abi.ts'
import type { Catalog } from './catalog-types.ts'

/**
 * The USD price of a token: by the Aave oracle of its chain (8 decimals, 0 means unknown; source: AaveOracle.getAssetPrice), and where
 * that does not list it, or has an old price, by a Chainlink feed. `null` if neither has a price that was updated within a day.
 */
export function priceOf(catalog: Catalog, token: Token): Reading<Price> {
  const { reads, parse } = pricesOf(catalog, token)
  return { reads, parse: (answers) => parse(answers).fresh }
}

/** The price of a token: `fresh` as `priceOf` gives it, and `last`, which falls back to the newest price of any age. */
export type Prices = { fresh: Price; last: Price }

/** Both prices of a token, by the same reads. */
export function pricesOf(catalog: Catalog, token: Token): Reading<Prices> {
  const asked = token.address === nativeAddress ? wrappedOf(catalog, token) : token
  if (!asked) return known(unpriced)
  const { reads, parse } = both(byOracle(catalog, asked), byFeed(catalog, asked))
  return {
    reads,
    parse: (answers) => {
      const [listed, fed] = parse(answers)
      const fresh = listed.fresh ?? fed.fresh
      return { fresh, last: fresh ?? listed.last ?? fed.last }
    },
  }
}

const unpriced: Prices = { fresh: null, last: null }

const said = (price: bigint, holds: boolean): Prices => ({ fresh: holds ? price : null, last: price })

function byOracle({ priceOracles }: Catalog, { chainId, address }: Token): Reading<Prices> {
  const oracle = priceOracles[chainId]
  if (!oracle) return known(unpriced)
  return {
    reads: [contract(oracle, aaveV3OracleAbi)('getAssetPrice', address), priceAge(oracle, address)],
    parse: ([price, age]) => (typeof price === 'bigint' && price > 0n ? said(price, isFresh(age)) : unpriced),
  }
}

/** The longest heartbeat of a Chainlink feed is a day; two hours are added for a slow chain. */
export const freshFor = 26n * 3_600n

/** Whether a price of this age, in seconds, is valid; a price of unknown age is. */
export const isFresh = (age: unknown): boolean => typeof age !== 'bigint' || age <= freshFor

function byFeed({ priceFeeds, networks }: Catalog, { chainId, address }: Token): Reading<Prices> {
  const found = priceFeeds.find((one) => one.chainId === chainId && one.token === address)
  const clock = networks.find((network) => network.chainId === chainId)?.multicall3
  if (!found || !clock) return known(unpriced)
  return {
    reads: [
      contract(found.feed, feedAbi)('latestRoundData'),
      contract(clock, multicall3Abi)('getCurrentBlockTimestamp'),
    ],
    parse: ([round, now]) => {
      if (!Array.isArray(round) || typeof now !== 'bigint') return unpriced
      const [, answer, , updatedAt] = round as bigint[]
      const price = (answer! * 10n ** 8n) / 10n ** BigInt(found.decimals)
      return answer! <= 0n ? unpriced : said(price, updatedAt! + freshFor >= now)
    },
  }
}

/** A price feed (source: Chainlink, AggregatorV3Interface and AggregatorInterface). */
export const feedAbi = parseAbi([
  'function latestRoundData() view returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)',
  'function latestAnswer() view returns (int256)',
  'function decimals() view returns (uint8)',
])
