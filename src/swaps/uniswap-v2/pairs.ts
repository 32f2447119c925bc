import { concatHex, getContractAddress, keccak256 } from 'viem/utils'
import type { Query } from '../../chain/contract-query.ts'
import { type Address, sameAddress } from '../../domain/address.ts'
import type { UniswapV2Constants } from '../../protocols/catalog-types.ts'
import { uniswapV2PairAbi } from './abi.ts'

/** Whether a token is token0 of its pair. */
const isFirst = (token: Address, other: Address): boolean => BigInt(token) < BigInt(other)

/** The address of a pair, computed from its tokens (UniswapV2Library.pairFor of `@uniswap/v2-periphery`). */
export const pairOf = (
  { factory, initCodeHash }: Pick<UniswapV2Constants, 'factory' | 'initCodeHash'>,
  one: Address,
  other: Address,
): Address =>
  getContractAddress({
    opcode: 'CREATE2',
    from: factory,
    salt: keccak256(concatHex(isFirst(one, other) ? [one, other] : [other, one])),
    bytecodeHash: initCodeHash,
  })

/** The reads of the reserves of a path's pairs. */
export const reserveQueries = (constants: UniswapV2Constants, path: readonly Address[]): Query[] =>
  path.slice(1).map((token, at) => ({
    address: pairOf(constants, path[at]!, token),
    abi: uniswapV2PairAbi,
    functionName: 'getReserves',
  }))

/** The output of an amount at the spot prices of a path's pairs, without fees; `undefined` if a pair does not answer or is empty. */
export function atSpot(
  path: readonly Address[],
  answers: readonly unknown[],
  amount: bigint,
): bigint | undefined {
  let brings = amount
  for (const [at, answer] of answers.entries()) {
    const [reserve0 = 0n, reserve1 = 0n] = (answer as readonly [bigint, bigint] | undefined) ?? []
    const [held, paid] = isFirst(path[at]!, path[at + 1]!) ? [reserve0, reserve1] : [reserve1, reserve0]
    if (held === 0n || paid === 0n) return undefined
    brings = (brings * paid) / held
  }
  return brings
}

/** The paths to quote: direct, and through each token of `via`. */
export function pathsOf(
  { via }: Pick<UniswapV2Constants, 'via'>,
  first: Address,
  last: Address,
): Address[][] {
  const middles = via.filter((token) => !sameAddress(token, first) && !sameAddress(token, last))
  return [[first, last], ...middles.map((middle) => [first, middle, last])]
}
