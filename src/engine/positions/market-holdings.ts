import { ask } from '../../chain/ask.ts'
import { both, known, type Reading, together } from '../../chain/call.ts'
import type { Chain } from '../../chain/network-client.ts'
import type { Address } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import type { StrategyEntry } from '../../protocols/catalog-types.ts'
import type { Market } from '../../protocols/market-adapter.ts'

/**
 * A market in which an owner has, or may have, a position. `balance` is `null` if its contracts do not state the value, and `shares` is
 * `null` if they do not state the shares. `staked` is the part of both that cannot be withdrawn before it is unstaked, if there is any.
 */
export type MarketHolding = {
  market: Market
  shares: bigint | null
  balance: bigint | null
  staked: StakedShares | null
}

/** Staked shares, in units of the receipt and of the asset, and the contract `at` which they are staked. */
export type StakedShares = { at: Address; shares: bigint; amount: bigint }

/** Shares that were read and not valued yet. */
export type HeldShares = { market: Market; shares: bigint | null; staked: bigint }

/** The shares of an owner in a market, and how many of them are staked. */
type SharesRead = { shares: bigint | undefined; staked: bigint }

/** Reads an owner's holdings in markets of one chain: two calls for any number of markets. */
export async function readHoldings(
  chain: Chain,
  markets: readonly Market[],
  owner: Address,
): Promise<MarketHolding[]> {
  const shares = await ask(chain, sharesOf(markets, owner))
  return readWorth(chain, heldMarkets(markets, shares))
}

/** The shares of an owner in some markets, and how many of them are staked. */
export const sharesOf = (markets: readonly Market[], owner: Address): Reading<readonly SharesRead[]> =>
  together(
    markets.map((market) => {
      const { reads, parse } = both(market.shares(owner), market.staking?.shares(owner) ?? known(0n))
      return {
        reads,
        parse: (answers) => {
          const [shares, staked = 0n] = parse(answers)
          return { shares, staked }
        },
      }
    }),
  )

/** The markets in which there are shares, or may be. */
export const heldMarkets = (markets: readonly Market[], read: readonly SharesRead[]): HeldShares[] =>
  markets.flatMap((market, at) => {
    const { shares = null, staked } = read[at]!
    return shares === 0n ? [] : [{ market, shares, staked }]
  })

/** Reads the value of shares, and of those that are not staked, at the newest block or the given one. */
export async function readWorth(
  chain: Chain,
  held: readonly HeldShares[],
  blockNumber?: bigint,
): Promise<MarketHolding[]> {
  const worth = await ask(
    chain,
    together(
      held.map(({ market, shares: mine, staked }) =>
        both(
          mine === null ? known(undefined) : market.worth(mine),
          mine === null || staked === 0n ? known(undefined) : market.worth(mine - staked),
        ),
      ),
    ),
    blockNumber,
  )
  return held.map(({ market, shares, staked }, at) => {
    const [balance, free] = worth[at]!
    if (!market.staking || shares === null || staked === 0n)
      return { market, shares, balance: balance ?? null, staked: null }
    if (balance === undefined || free === undefined) return { market, shares, balance: null, staked: null }
    return {
      market,
      shares,
      balance,
      staked: { at: market.staking.at, shares: staked, amount: balance - free },
    }
  })
}

/** The error for contracts of a strategy that do not return a required value. */
export const contractUnansweredError = ({ slug }: StrategyEntry, what: string): AppError =>
  new AppError('BYTECODE_GENERATION_FAILED', `The contracts of ${slug} do not answer: ${what} is unknown`)
