import { type Call, contract, type Rounds } from '../../chain/call.ts'
import { type Address, nativeAddress, sameAddress } from '../../domain/address.ts'
import type { Network } from '../../domain/networks.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import type { MovingPriceQuote as Exchanged } from '../../protocols/moving-price-quotes.ts'
import { outputAtSpotPrices, pathsOf, type SwapPath, uniquePoolReads } from '../fee-tier-paths.ts'
import { poolOutputAgainstSpot } from '../pool-output-against-spot.ts'
import { poolSwapProvider } from '../pool-swap.ts'
import type { SwapProvider } from '../provider.ts'
import type { SwapDependencies } from '../provider-dependencies.ts'
import { v4QuoterAbi } from './abi.ts'
import type { UniswapV4Constants } from './constants-schema.ts'
import { decodeSwap } from './decode.ts'
import { swapV4 } from './encode.ts'
import { keysOf, poolFees, priceQueries, sqrtPriceIn } from './pools.ts'

/** The gas of the transaction, its calldata and payments, in addition to the quoter's estimate; measured on the contracts. */
const callGas = 73_000n
/** The gas of the payment through Permit2. */
const paymentGas = 30_000n

/** The largest amount to quote: pools use uint128, and half of it leaves room for slippage. */
const most = 2n ** 127n

/** A provider of same-chain swaps through one or two Uniswap v4 pools without hooks; one batch of V4Quoter reads quotes all paths. */
export const uniswapV4 = (
  deployments: readonly UniswapV4Constants[],
  read: SwapDependencies['read'],
  wrappedOn: (network: Network) => Address | undefined,
): SwapProvider =>
  poolSwapProvider<UniswapV4Constants, SwapPath>({
    name: 'uniswap-v4',
    deployments,
    read,
    wrappedOn,
    holdsCoin: true,
    routerOf: ({ universalRouter }) => universalRouter,
    feesIn: 'tokens and coin',
    permit2Of: ({ permit2 }) => permit2,
    quotes: ({ quoter, stateView, via }, [first, last], { exact, amount }) => {
      const paths =
        amount > most ? [] : pathsOf({ feeTiers: poolFees, via: [nativeAddress, ...via] }, first, last)
      const more = callGas + (sameAddress(first, nativeAddress) ? 0n : paymentGas)
      const quoted = paths.map((path) => quoteOf(quoter, path, exact, amount))
      const { reads, parse } = uniquePoolReads(paths, (path) => priceQueries(stateView, path))
      return {
        reads: [...quoted, ...reads],
        parse: (answers) => {
          const prices = parse(answers.slice(quoted.length))
          return paths.map((path, at) => quotedAt(path, answers[at], prices(path), more))
        },
      }
    },
    encode: swapV4,
  })

/** Combines the quoter's answer and the prices for a path. */
function quotedAt(path: SwapPath, answer: unknown, prices: readonly unknown[], more: bigint) {
  const [amount = 0n, gas = 0n] = (answer as readonly [bigint, bigint] | undefined) ?? []
  return {
    path,
    amount: amount > most ? 0n : amount,
    gas: gas + more,
    atSpot: (amountIn: bigint) => outputAtSpotPrices(path, prices.map(sqrtPriceIn), amountIn),
  }
}

/** The V4Quoter read that quotes a path. The function is not a view, but eth_call discards its effects. */
const quoteOf = (quoter: Address, path: SwapPath, exact: 'in' | 'out', exactAmount: bigint): Call =>
  contract(quoter, v4QuoterAbi)(exact === 'in' ? 'quoteExactInput' : 'quoteExactOutput', {
    ...keysOf(path, exact),
    exactAmount,
  })

/** Reads the output of a Universal Router swap now and at spot prices; `undefined` for other calls. */
export function exchangeOfV4(
  { quoter, stateView }: UniswapV4Constants,
  transaction: Pick<Transaction, 'data'>,
): Rounds<Exchanged> | undefined {
  const swap = decodeSwap(transaction)
  if (!swap) return undefined
  const { path, exact } = swap
  return poolOutputAgainstSpot(swap, {
    quote: (given) => quoteOf(quoter, path, exact, given),
    other: (answer) => (answer as readonly [bigint] | undefined)?.[0],
    prices: priceQueries(stateView, path),
    fair: (prices, paid) => outputAtSpotPrices(path, prices.map(sqrtPriceIn), paid),
  })
}
