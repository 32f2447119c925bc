import { type Chain, read } from '../../chain/chain.ts'
import { known, together } from '../../chain/reading.ts'
import type { Address } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import type { StrategyEntry } from '../../protocols/catalog.ts'
import type { Market } from '../../protocols/market.ts'

/**
 * A market in which an owner has, or may have, a position. `balance` is `null` if its contracts do not state the value, and `shares` is
 * `null` if they do not state the shares.
 */
export type Holding = { market: Market; shares: bigint | null; balance: bigint | null }

/** Reads what an owner holds in markets of one chain, at the newest block or the given one: two calls for any number of markets. */
export async function readHoldings(
  chain: Chain,
  markets: readonly Market[],
  owner: Address,
  blockNumber?: bigint,
): Promise<Holding[]> {
  const shares = await read(chain, together(markets.map((market) => market.shares(owner))), blockNumber)
  const held = markets.flatMap((market, at) =>
    shares[at] === 0n ? [] : [{ market, shares: shares[at] ?? null }],
  )
  const worth = await read(
    chain,
    together(held.map(({ market, shares: mine }) => (mine === null ? known(undefined) : market.worth(mine)))),
    blockNumber,
  )
  return held.map((one, at) => ({ ...one, balance: worth[at] ?? null }))
}

/** The contracts of a strategy do not return a value that is needed. */
export const contractSilent = ({ slug }: StrategyEntry, what: string): AppError =>
  new AppError('BYTECODE_GENERATION_FAILED', `The contracts of ${slug} do not answer: ${what} is unknown`)
