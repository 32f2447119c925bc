import { together } from '../../chain/composable-reading.ts'
import type { Query, Rounds } from '../../chain/contract-query.ts'
import type { Address } from '../../domain/address.ts'
import type { Network } from '../../domain/networks.ts'
import type { Transaction } from '../../domain/transaction.ts'
import type { UniswapV2Constants } from '../../protocols/catalog-types.ts'
import type { Offer as Exchanged } from '../../protocols/moving-price-quotes.ts'
import { poolOutputAgainstSpot } from '../pool-output-against-spot.ts'
import { poolSwapProvider } from '../pool-swap.ts'
import type { SwapProvider } from '../provider.ts'
import type { SwapDependencies } from '../provider-dependencies.ts'
import { amountsAbi } from './abi.ts'
import { decodeSwap } from './decode.ts'
import { swapV2 } from './encode.ts'
import { atSpot, pathsOf, reserveQueries } from './pairs.ts'

/** The gas of a swap, measured on the contracts: a base for the transaction, and an amount per pair. */
const gasOf = (path: readonly Address[]): bigint => 55_000n + 75_000n * BigInt(path.length - 1)

/** A provider of same-chain swaps through one or two pairs of Uniswap v2; one batch of reads quotes all paths. */
export const uniswapV2 = (
  deployments: readonly UniswapV2Constants[],
  read: SwapDependencies['read'],
  wrappedOn: (network: Network) => Address | undefined,
): SwapProvider =>
  poolSwapProvider<UniswapV2Constants, readonly Address[]>({
    name: 'uniswap-v2',
    deployments,
    read,
    wrappedOn,
    routerOf: ({ router02 }) => router02,
    quotes: (here, [first, last], { exact, amount }) =>
      together(
        pathsOf(here, first, last).map((path) => ({
          reads: [quoteOf(here.router02, path, exact, amount), ...reserveQueries(here, path)],
          parse: ([answer, ...reserves]) => ({
            path,
            amount: otherAmount(answer, exact) ?? 0n,
            gas: gasOf(path),
            atSpot: (amountIn) => atSpot(path, reserves, amountIn),
          }),
        })),
      ),
    encode: swapV2,
  })

const quoteOf = (router: Address, path: readonly Address[], exact: 'in' | 'out', amount: bigint): Query => ({
  address: router,
  abi: amountsAbi,
  functionName: exact === 'in' ? 'getAmountsOut' : 'getAmountsIn',
  args: [amount, path],
})

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
