import type { Rounds } from '../chain/contract-query.ts'
import { less } from '../domain/slippage.ts'

/**
 * What a step that is an exchange brings: by the contracts that carry it out, and by the word of an oracle beside them, in the smallest
 * unit of what comes out. `undefined` is what nobody says. `isMature` is whether it pays what it promised, with no market between.
 */
export type Offer = { brings: bigint | undefined; fair: bigint | undefined; isMature?: boolean }

/** Where a market is entered and left at a price that moves: what so much of the asset brings, and what so many units of the receipt. Engine and wallet ask the same, each of its own node. */
export type Exchange = {
  into: (amount: bigint) => Rounds<Offer>
  outOf: (units: bigint) => Rounds<Offer>
}

/** The least that a step is to bring: what it brings now, less slippage (a fraction). */
export const leastOf = ({ brings = 0n }: Offer, slippage: number): bigint => less(brings, slippage)
