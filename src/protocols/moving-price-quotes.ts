import type { Rounds } from '../chain/call.ts'
import { subtractSlippage } from '../domain/slippage.ts'

/**
 * The quote of an exchange, in the smallest unit of what comes out: `brings` by the contracts that execute it, `fair` by an oracle; `undefined` is
 * unknown. `isMature`: it redeems at the promised price, without a market.
 */
export type MovingPriceQuote = { brings: bigint | undefined; fair: bigint | undefined; isMature?: boolean }

/** The quotes of a market that is entered and left at a moving price: for an amount of the asset, and for units of the receipt. Engine and wallet do the same reads, each at its own node. */
export type MovingPriceMarket = {
  into: (amount: bigint) => Rounds<MovingPriceQuote>
  outOf: (units: bigint) => Rounds<MovingPriceQuote>
}

/** The least that a step must bring: the quote less slippage (a fraction). */
export const leastOf = ({ brings = 0n }: MovingPriceQuote, slippage: number): bigint =>
  subtractSlippage(brings, slippage)
