import { getAddress, size, sliceHex } from 'viem/utils'
import type { Call, Reading } from '../chain/call.ts'
import { type Address, type Hex, sameAddress } from '../domain/address.ts'

/** A path through pools: `fees[i]` (in millionths) is the fee tier of the pool between `tokens[i]` and `tokens[i + 1]`. */
export type SwapPath = { tokens: readonly Address[]; fees: readonly number[] }

/** All paths to quote: each direct pool, and each pair of pools through a token of `via`. */
export function pathsOf(
  { feeTiers, via }: { feeTiers: readonly number[]; via: readonly Address[] },
  first: Address,
  last: Address,
): SwapPath[] {
  const middles = via.filter((token) => !sameAddress(token, first) && !sameAddress(token, last))
  return [
    ...feeTiers.map((fee) => ({ tokens: [first, last], fees: [fee] })),
    ...middles.flatMap((middle) =>
      feeTiers.flatMap((one) =>
        feeTiers.map((other) => ({ tokens: [first, middle, last], fees: [one, other] })),
      ),
    ),
  ]
}

/** A path as text: tokens and fee tiers, from the first token to the last. */
export const pathText = ({ tokens, fees }: SwapPath): string =>
  tokens.map((token, i) => (fees[i] === undefined ? token : `${token} ${fees[i]}`)).join(' ')

/**
 * The output of an amount at the spot prices of a path's pools, without fees. A price is the square root of token1 per token0, in Q96;
 * token0 has the lower address. `undefined` if a price is unknown.
 */
export function outputAtSpotPrices(
  { tokens }: SwapPath,
  roots: readonly (bigint | undefined)[],
  amount: bigint,
): bigint | undefined {
  let brings = amount
  for (const [at, root] of roots.entries()) {
    if (!root) return undefined
    const square = root * root
    const isFirst = BigInt(tokens[at]!) < BigInt(tokens[at + 1]!)
    brings = isFirst ? (brings * square) >> 192n : (brings << 192n) / square
  }
  return brings
}

/** Reads the pools of some paths, each pool once; returns the answers for a path in pool order. */
export function uniquePoolReads(
  paths: readonly SwapPath[],
  queriesOf: (path: SwapPath) => readonly Call[],
): Reading<(path: SwapPath) => unknown[]> {
  const nameOf = ({ args }: Call) => String(args)
  const queries = new Map(paths.flatMap(queriesOf).map((one) => [nameOf(one), one]))
  return {
    reads: [...queries.values()],
    parse: (answers) => {
      const known = new Map([...queries.keys()].map((name, at) => [name, answers[at]]))
      return (path) => queriesOf(path).map((one) => known.get(nameOf(one)))
    },
  }
}

/** Unpacks a path of a router of Uniswap, from the first token to the last; `undefined` if it is malformed. */
export function unpackPath(path: Hex, exact: 'in' | 'out'): SwapPath | undefined {
  const bytes = size(path)
  if (bytes < 43 || (bytes - 20) % 23 !== 0) return undefined
  const tokens: Address[] = []
  const fees: number[] = []
  for (let at = 0; at < bytes; at += 23) {
    tokens.push(getAddress(sliceHex(path, at, at + 20)))
    if (at + 20 < bytes) fees.push(Number(sliceHex(path, at + 20, at + 23)))
  }
  return exact === 'in' ? { tokens, fees } : { tokens: tokens.reverse(), fees: fees.reverse() }
}
