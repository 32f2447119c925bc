import type { Query, Rounds } from '../../chain/contract-query.ts'
import { type Address, nativeAddress, sameAddress } from '../../domain/address.ts'
import type { Network } from '../../domain/networks.ts'
import type { Transaction } from '../../domain/transaction.ts'
import type { UniswapV4Constants } from '../../protocols/catalog-types.ts'
import type { Offer as Exchanged } from '../../protocols/moving-price-quotes.ts'
import { askedOnce, bringsAtPrices, pathsOf, type SwapPath } from '../fee-tier-paths.ts'
import { poolOutputAgainstSpot } from '../pool-output-against-spot.ts'
import { poolSwapProvider } from '../pool-swap.ts'
import type { SwapProvider } from '../provider.ts'
import type { SwapDependencies } from '../provider-dependencies.ts'
import { v4QuoterAbi } from './abi.ts'
import { decodeSwap } from './decode.ts'
import { swapV4 } from './encode.ts'
import { fees, keysOf, priceQueries, rootIn } from './pools.ts'

/** What a swap takes beside what the quoter says of its pools, as measured on the contracts: the transaction, its calldata and payments. */
const callGas = 60_000n
/** What the approval at Permit2 takes, which every swap of a token needs, and the payment through it. */
const permitGas = 70_000n

/** The most that is asked of a pool, which counts in uint128; half of it leaves room for the slippage. */
const most = 2n ** 127n

/** Swaps on one chain through the pools of Uniswap v4 that have no hooks: one hop or two, all quoted in one call by V4Quoter. */
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
        amount > most ? [] : pathsOf({ feeTiers: fees, via: [nativeAddress, ...via] }, first, last)
      const more = callGas + (sameAddress(first, nativeAddress) ? 0n : permitGas)
      const quoted = paths.map((path) => quoteOf(quoter, path, exact, amount))
      const { reads, parse } = askedOnce(paths, (path) => priceQueries(stateView, path))
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

/** What the quoter and the prices say of a path. */
function quotedAt(path: SwapPath, said: unknown, prices: readonly unknown[], more: bigint) {
  const [amount = 0n, gas = 0n] = (said as readonly [bigint, bigint] | undefined) ?? []
  return {
    path,
    amount: amount > most ? 0n : amount,
    gas: gas + more,
    atSpot: (amountIn: bigint) => bringsAtPrices(path, prices.map(rootIn), amountIn),
  }
}

/** The question to V4Quoter about a path. Its functions are not views, but an eth_call keeps no effect. */
const quoteOf = (quoter: Address, path: SwapPath, exact: 'in' | 'out', exactAmount: bigint): Query => ({
  address: quoter,
  abi: v4QuoterAbi,
  functionName: exact === 'in' ? 'quoteExactInput' : 'quoteExactOutput',
  args: [{ ...keysOf(path, exact), exactAmount }],
})

/** What a swap of the Universal Router brings now, and at the spot prices of its pools; `undefined` if it is no such swap. */
export function exchangeOfV4(
  { quoter, stateView }: UniswapV4Constants,
  transaction: Pick<Transaction, 'data'>,
): Rounds<Exchanged> | undefined {
  const swap = decodeSwap(transaction)
  if (!swap) return undefined
  const { path, exact } = swap
  return poolOutputAgainstSpot(swap, {
    quote: (given) => quoteOf(quoter, path, exact, given),
    other: (said) => (said as readonly [bigint] | undefined)?.[0],
    prices: priceQueries(stateView, path),
    fair: (prices, paid) => bringsAtPrices(path, prices.map(rootIn), paid),
  })
}
