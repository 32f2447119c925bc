import { known, type Reading, together } from '../../chain/composable-reading.ts'
import type { Chain } from '../../chain/network-client.ts'
import { read } from '../../chain/run-readings.ts'
import type { Address } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import type { StrategyEntry } from '../../protocols/catalog-types.ts'
import type { Market } from '../../protocols/market-adapter.ts'

/**
 * A market in which an owner has, or may have, a position. `balance` is `null` if its contracts do not state the value, and `shares` is
 * `null` if they do not state the shares.
 */
export type Holding = { market: Market; shares: bigint | null; balance: bigint | null }

/** Reads an owner's holdings in markets of one chain: two calls for any number of markets. */
export async function readHoldings(
  chain: Chain,
  markets: readonly Market[],
  owner: Address,
): Promise<Holding[]> {
  const shares = await read(chain, sharesOf(markets, owner))
  return readWorth(chain, heldMarkets(markets, shares))
}

/** The shares of an owner in some markets. */
export const sharesOf = (
  markets: readonly Market[],
  owner: Address,
): Reading<readonly (bigint | undefined)[]> => together(markets.map((market) => market.shares(owner)))

/** The markets in which there are shares, or may be. */
export const heldMarkets = (
  markets: readonly Market[],
  shares: readonly (bigint | undefined)[],
): Omit<Holding, 'balance'>[] =>
  markets.flatMap((market, at) => (shares[at] === 0n ? [] : [{ market, shares: shares[at] ?? null }]))

/** Reads the value of shares, at the newest block or the given one. */
export async function readWorth(
  chain: Chain,
  held: readonly Omit<Holding, 'balance'>[],
  blockNumber?: bigint,
): Promise<Holding[]> {
  const worth = await read(
    chain,
    together(held.map(({ market, shares: mine }) => (mine === null ? known(undefined) : market.worth(mine)))),
    blockNumber,
  )
  return held.map((one, at) => ({ ...one, balance: worth[at] ?? null }))
}

/** The error for contracts of a strategy that do not return a required value. */
export const contractUnansweredError = ({ slug }: StrategyEntry, what: string): AppError =>
  new AppError('BYTECODE_GENERATION_FAILED', `The contracts of ${slug} do not answer: ${what} is unknown`)
