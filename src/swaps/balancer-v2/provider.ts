import { type Rounds, together } from '../../chain/call.ts'
import type { Address } from '../../domain/address.ts'
import type { Network } from '../../domain/networks.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import type { MovingPriceQuote as Exchanged } from '../../protocols/moving-price-quotes.ts'
import { poolOutputAgainstSpot } from '../pool-output-against-spot.ts'
import { poolSwapProvider } from '../pool-swap.ts'
import type { SwapProvider } from '../provider.ts'
import type { SwapDependencies } from '../provider-dependencies.ts'
import type { BalancerV2Constants } from './constants-schema.ts'
import { decodeSwap } from './decode.ts'
import { swapBalancerV2 } from './encode.ts'
import { atSpot, otherAmount, priceQueries, quoteOf } from './path-quote.ts'
import { type PoolPath, pathsOf } from './pool-paths.ts'

/** The gas of a swap, measured on the contracts: a base for the transaction, and an amount per pool. */
const gasOf = ({ pools }: PoolPath): bigint => 58_000n + 45_000n * BigInt(pools.length)

/** A provider of same-chain swaps through one or two listed pools of Balancer v2; BalancerQueries quotes all paths in one call. */
export const balancerV2 = (
  deployments: readonly BalancerV2Constants[],
  read: SwapDependencies['read'],
  wrappedOn: (network: Network) => Address | undefined,
): SwapProvider =>
  poolSwapProvider<BalancerV2Constants, PoolPath>({
    name: 'balancer-v2',
    deployments,
    read,
    wrappedOn,
    routerOf: ({ vault }) => vault,
    quotes: ({ vault, queries, pools }, [first, last], { exact, amount }) =>
      together(
        pathsOf({ pools }, first, last).map((path) => ({
          reads: [quoteOf(queries, path, exact, amount), ...priceQueries(vault, path)],
          parse: ([answer, ...prices]) => ({
            path,
            amount: otherAmount(answer, exact) ?? 0n,
            gas: gasOf(path),
            atSpot: (amountIn) => atSpot(path, prices, amountIn),
          }),
        })),
      ),
    encode: swapBalancerV2,
  })

/** Reads the output of a Vault swap now and at spot prices; `undefined` for other calls. */
export function exchangeOfBalancerV2(
  { vault, queries }: BalancerV2Constants,
  transaction: Transaction,
  wrapped: Address | undefined,
): Rounds<Exchanged> | undefined {
  const swap = decodeSwap(transaction, wrapped)
  return (
    swap &&
    poolOutputAgainstSpot(swap, {
      quote: (given) => quoteOf(queries, swap.path, swap.exact, given),
      other: (answer) => otherAmount(answer, swap.exact),
      prices: priceQueries(vault, swap.path),
      fair: (prices, paid) => atSpot(swap.path, prices, paid),
    })
  )
}
