import { concatHex, getContractAddress, keccak256 } from 'viem/utils'
import { type Call, contract, type Rounds, together } from '../../chain/call.ts'
import { type Address, nativeAddress, sameAddress } from '../../domain/address.ts'
import type { Network } from '../../domain/networks.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import type { MovingPriceQuote as Exchanged } from '../../protocols/moving-price-quotes.ts'
import { poolOutputAgainstSpot } from '../pool-output-against-spot.ts'
import { poolSwapProvider } from '../pool-swap.ts'
import type { SwapProvider } from '../provider.ts'
import type { SwapDependencies } from '../provider-dependencies.ts'
import { amountsAbi, uniswapV2PairAbi } from './abi.ts'
import type { UniswapV2Constants } from './constants-schema.ts'
import { decodeSwap } from './decode.ts'
import { swapV2 } from './encode.ts'

/** The gas of a swap, measured on the contracts: a base for the transaction, lower for the native coin, and an amount per pair. */
const gasOf = (path: readonly Address[], isCoinIn: boolean): bigint =>
  (isCoinIn ? 38_000n : 70_000n) + 78_000n * BigInt(path.length - 1)

/** A provider of same-chain swaps through one or two pairs of Uniswap v2, or of a fork with the given name; one batch of reads quotes all paths. */
export const uniswapV2 = (
  name: string,
  deployments: readonly UniswapV2Constants[],
  read: SwapDependencies['read'],
  wrappedOn: (network: Network) => Address | undefined,
): SwapProvider =>
  poolSwapProvider<UniswapV2Constants, readonly Address[]>({
    name,
    deployments,
    read,
    wrappedOn,
    routerOf: ({ router02 }) => router02,
    quotes: (here, [first, last], { exact, amount, tokenIn }) =>
      together(
        pathsOf(here, first, last).map((path) => ({
          reads: [quoteOf(here.router02, path, exact, amount), ...reserveQueries(here, path)],
          parse: ([answer, ...reserves]) => ({
            path,
            amount: otherAmount(answer, exact) ?? 0n,
            gas: gasOf(path, sameAddress(tokenIn.address, nativeAddress)),
            atSpot: (amountIn) => atSpot(path, reserves, amountIn),
          }),
        })),
      ),
    encode: swapV2,
  })

const quoteOf = (router: Address, path: readonly Address[], exact: 'in' | 'out', amount: bigint): Call =>
  contract(router, amountsAbi)(exact === 'in' ? 'getAmountsOut' : 'getAmountsIn', amount, path)

/** The other amount of a swap in the router's answer; `undefined` without an answer. */
const otherAmount = (answer: unknown, exact: 'in' | 'out'): bigint | undefined =>
  (answer as readonly bigint[] | undefined)?.at(exact === 'in' ? -1 : 0)

/** Reads the output of a router swap now and at spot prices; `undefined` for other calls. */
export function exchangeOfV2(
  constants: UniswapV2Constants,
  transaction: Transaction,
): Rounds<Exchanged> | undefined {
  const swap = decodeSwap(transaction)
  if (!swap) return undefined
  const { tokens: path, exact } = swap
  return poolOutputAgainstSpot(swap, {
    quote: (given) => quoteOf(constants.router02, path, exact, given),
    other: (answer) => otherAmount(answer, exact),
    prices: reserveQueries(constants, path),
    fair: (reserves, paid) => atSpot(path, reserves, paid),
  })
}

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
const reserveQueries = (constants: UniswapV2Constants, path: readonly Address[]): Call[] =>
  path
    .slice(1)
    .map((token, at) => contract(pairOf(constants, path[at]!, token), uniswapV2PairAbi)('getReserves'))

/** The output of an amount at the spot prices of a path's pairs, without fees; `undefined` if a pair does not answer or is empty. */
function atSpot(path: readonly Address[], answers: readonly unknown[], amount: bigint): bigint | undefined {
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
function pathsOf({ via }: Pick<UniswapV2Constants, 'via'>, first: Address, last: Address): Address[][] {
  const middles = via.filter((token) => !sameAddress(token, first) && !sameAddress(token, last))
  return [[first, last], ...middles.map((middle) => [first, middle, last])]
}
