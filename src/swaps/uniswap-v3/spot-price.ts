import type { Abi } from 'viem'
import type { Query } from '../../chain/contract-query.ts'
import type { Reading } from '../../chain/reading.ts'
import type { Address } from '../../domain/address.ts'
import { quoterV2Abi } from './abi.ts'
import { packPath, type SwapPath } from './path.ts'

/** One query per pool of a path: the quoter returns the price of a pool after one unit, which is the price before it. */
export const spotQueries = (quoter: Address, { tokens, fees }: SwapPath): Query[] =>
  fees.map((fee, at) => ({
    address: quoter,
    abi: quoterV2Abi as Abi,
    functionName: 'quoteExactInput',
    args: [packPath({ tokens: tokens.slice(at, at + 2), fees: [fee] }), 1n],
  }))

/** The spot prices of the pools of some paths, each pool asked once: for a path, the answers of its pools in order. */
export function spotPricesOf(
  quoter: Address,
  paths: readonly SwapPath[],
): Reading<(path: SwapPath) => unknown[]> {
  const nameOf = ({ args }: Query) => String(args?.[0])
  const queries = new Map(paths.flatMap((path) => spotQueries(quoter, path)).map((one) => [nameOf(one), one]))
  return {
    reads: [...queries.values()],
    parse: (answers) => {
      const known = new Map([...queries.keys()].map((name, at) => [name, answers[at]]))
      return (path) => spotQueries(quoter, path).map((one) => known.get(nameOf(one)))
    },
  }
}

/** What an amount would bring at the spot prices of a path's pools, without fees; `undefined` if a pool does not answer. */
export function atSpot(
  { tokens }: SwapPath,
  answers: readonly unknown[],
  amount: bigint,
): bigint | undefined {
  let brings = amount
  for (const [at, answer] of answers.entries()) {
    const [root] = (answer as readonly [bigint, readonly bigint[]] | undefined)?.[1] ?? []
    if (!root) return undefined
    // The square root of token1 a token0, in 96 binary places; token0 is the lower address.
    const square = root * root
    const isFirst = BigInt(tokens[at]!) < BigInt(tokens[at + 1]!)
    brings = isFirst ? (brings * square) >> 192n : (brings << 192n) / square
  }
  return brings
}
