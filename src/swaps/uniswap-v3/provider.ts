import type { Abi } from 'viem'
import { both, type Call, contract, type Reading, type Rounds } from '../../chain/call.ts'
import type { Address, Hex } from '../../domain/address.ts'
import type { Network } from '../../domain/networks.ts'
import type { MovingPriceQuote } from '../../protocols/moving-price-quotes.ts'
import { outputAtSpotPrices, pathsOf, type SwapPath, uniquePoolReads } from '../fee-tier-paths.ts'
import { poolOutputAgainstSpot } from '../pool-output-against-spot.ts'
import { poolSwapProvider } from '../pool-swap.ts'
import type { OfferRequest, SwapProvider } from '../provider.ts'
import type { SwapDependencies } from '../provider-dependencies.ts'
import { quoterV2Abi } from './abi.ts'
import { decodeRouterSwap } from './calldata-check.ts'
import type { UniswapV3Constants } from './constants-schema.ts'
import { encodeV3Swap } from './encode.ts'
import { packPath } from './path.ts'

/**
 * A provider of same-chain swaps through Uniswap v3 pools, or those of the fork `name`: all fee tiers, one or two pools; one batch of
 * QuoterV2 reads quotes all paths.
 */
export const uniswapV3 = (
  name: string,
  deployments: readonly UniswapV3Constants[],
  read: SwapDependencies['read'],
  wrappedOn: (network: Network) => Address | undefined,
): SwapProvider =>
  poolSwapProvider<UniswapV3Constants, SwapPath>({
    name,
    deployments,
    read,
    wrappedOn,
    routerOf: ({ swapRouter02 }) => swapRouter02,
    feesIn: 'tokens',
    quotes: ({ quoterV2, ...here }, [first, last], ask) => {
      const paths = pathsOf(here, first, last)
      const { reads, parse } = both(
        quotes(quoterV2, paths, ask),
        uniquePoolReads(paths, (path) => spotQueries(quoterV2, path)),
      )
      return {
        reads,
        parse: (answers) => {
          const [quoted, spotPrices] = parse(answers)
          return paths.map((path, at) => ({
            path,
            amount: quoted[at]?.amount ?? 0n,
            gas: (quoted[at]?.gas ?? 0n) + callGas,
            atSpot: (amountIn) => atSpot(path, spotPrices(path), amountIn),
          }))
        },
      }
    },
    encode: encodeV3Swap,
  })

/** The quoter's answer for a path: the other amount, and the gas of the pools. */
type Quoted = { amount: bigint; gas: bigint }

/** The gas of the transaction, its calldata and the router, in addition to the quoter's estimate; measured on the contracts. */
const callGas = 43_000n

/** Reads QuoterV2 for each path. Its functions are not views, but eth_call discards their effects. */
const quotes = (
  quoter: Address,
  paths: readonly SwapPath[],
  { exact, amount }: OfferRequest,
): Reading<(Quoted | undefined)[]> => ({
  reads: paths.map((path) =>
    contract(quoter, quoterV2Abi)(
      exact === 'in' ? 'quoteExactInput' : 'quoteExactOutput',
      packPath(path, exact),
      amount,
    ),
  ),
  parse: (answers) =>
    answers.map((answer) => {
      const [amount, , , gas] = (answer as readonly [bigint, unknown, unknown, bigint] | undefined) ?? []
      return amount === undefined ? undefined : { amount, gas: gas ?? 0n }
    }),
})

/** Reads the output of a SwapRouter02 swap now and at spot prices; `undefined` for other calls. */
export function exchangeOfV3(quoter: Address, data: Hex): Rounds<MovingPriceQuote> | undefined {
  const swap = decodeRouterSwap(data)
  if (!swap) return undefined
  const { path, exact } = swap
  return poolOutputAgainstSpot(swap, {
    quote: (given) =>
      contract(quoter, quoterV2Abi)(
        exact === 'in' ? 'quoteExactInput' : 'quoteExactOutput',
        packPath(path, exact),
        given,
      ),
    other: (answer) => (answer as readonly [bigint] | undefined)?.[0],
    prices: spotQueries(quoter, path),
    fair: (prices, paid) => atSpot(path, prices, paid),
  })
}

/** The reads of the prices of a path's pools. The quoter returns the price after a swap of one unit, which equals the price before it. */
const spotQueries = (quoter: Address, { tokens, fees }: SwapPath): Call[] =>
  fees.map((fee, at) =>
    contract(quoter, quoterV2Abi as Abi)(
      'quoteExactInput',
      packPath({ tokens: tokens.slice(at, at + 2), fees: [fee] }),
      1n,
    ),
  )

/** The output of an amount at the spot prices of a path's pools, without fees; `undefined` if a pool does not answer. */
const atSpot = (path: SwapPath, answers: readonly unknown[], amount: bigint): bigint | undefined =>
  outputAtSpotPrices(
    path,
    answers.map((answer) => (answer as readonly [bigint, readonly bigint[]] | undefined)?.[1]?.[0]),
    amount,
  )
