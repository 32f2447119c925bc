import type { Query, Rounds } from '../../chain/contract-query.ts'
import { both, type Reading, together } from '../../chain/reading.ts'
import type { Address } from '../../domain/address.ts'
import type { Network } from '../../domain/networks.ts'
import type { Transaction } from '../../domain/transaction.ts'
import type { UniswapV2Constants } from '../../protocols/catalog.ts'
import type { Offer as Exchanged } from '../../protocols/exchange.ts'
import { bestQuoted, isNative, isPoolRoute, pooledTokens, poolOffer } from '../pool-swap.ts'
import type { Ask, SwapProvider } from '../provider.ts'
import { amounts } from './abi.ts'
import { decodeSwap, type PairSwap } from './decode.ts'
import { swapV2 } from './encode.ts'
import { atSpot, pathsOf, reserveQueries } from './pairs.ts'

/** Reads one chain; the provider sees nothing else of the network. */
type Reads = <value>(chainId: number, reading: Reading<value>) => Promise<value>

type Raw = { path: Address[]; exact: 'in' | 'out' }

/** What a swap takes in gas, as measured on the contracts: the transaction with its calldata, and each pair of the path. */
const gasOf = (path: readonly Address[]): bigint => 55_000n + 75_000n * BigInt(path.length - 1)

/** Swaps on one chain through the pairs of Uniswap v2: one hop or two, all quoted in one call of the router. */
export function uniswapV2(
  deployments: readonly UniswapV2Constants[],
  reads: Reads,
  wrappedOn: (network: Network) => Address | undefined,
): SwapProvider {
  const on = (chainId: number) => deployments.find((deployment) => deployment.chainId === chainId)
  return {
    name: 'uniswap-v2',
    supports: (route) => on(route.from.chainId) !== undefined && isPoolRoute(route, wrappedOn),

    async quote(ask) {
      const here = on(ask.from.chainId)!
      const [first, last] = pooledTokens(ask, wrappedOn)
      const paths = pathsOf(here, first!, last!)
      const [quoted, reserves] = await reads(
        ask.from.chainId,
        both(quotes(here.router02, paths, ask), reservesOf(here, paths)),
      )
      const best = bestQuoted(
        ask.exact,
        quoted.flatMap((amount, at) =>
          amount === undefined ? [] : [{ amount, path: paths[at]!, reserves: reserves[at]! }],
        ),
      )
      if (!best) return undefined
      const { path } = best
      const raw: Raw = { path, exact: ask.exact }
      const made = poolOffer(ask, best.amount, raw)
      const spot = atSpot(path, best.reserves, made.amountIn)
      return { ...made, gas: gasOf(path), seconds: 0, ...(spot !== undefined && { spot }) }
    },

    build({ from, tokenIn, tokenOut }, offer, { recipient, deadline }) {
      const { router02: router } = on(from.chainId)!
      const { path, exact } = offer.raw as Raw
      return {
        transaction: swapV2({
          chainId: from.chainId,
          router,
          exact,
          path,
          amountIn: offer.maxAmountIn,
          amountOut: offer.minAmountOut,
          recipient,
          deadline,
          isNativeIn: isNative(tokenIn),
          isNativeOut: isNative(tokenOut),
        }),
        ...(!isNative(tokenIn) && {
          needs: { token: tokenIn.address, spender: router, amount: offer.maxAmountIn },
        }),
      }
    },

    status: async (_route, _offer, origin) => ({ status: 'fulfilled', destination: origin }),
  }
}

const quoteOf = (router: Address, path: readonly Address[], exact: 'in' | 'out', amount: bigint): Query => ({
  address: router,
  abi: amounts,
  functionName: exact === 'in' ? 'getAmountsOut' : 'getAmountsIn',
  args: [amount, path],
})

/** The other amount of a swap in the router's answer; `undefined` without one. */
const otherAmount = (answer: unknown, exact: 'in' | 'out'): bigint | undefined =>
  (answer as readonly bigint[] | undefined)?.at(exact === 'in' ? -1 : 0)

/** The answers of the router for each path. */
const quotes = (
  router: Address,
  paths: readonly Address[][],
  { exact, amount }: Ask,
): Reading<(bigint | undefined)[]> => ({
  reads: paths.map((path) => quoteOf(router, path, exact, amount)),
  parse: (answers) => answers.map((answer) => otherAmount(answer, exact)),
})

/** What the pairs of each path hold. */
const reservesOf = (constants: UniswapV2Constants, paths: readonly Address[][]): Reading<unknown[][]> =>
  together(
    paths.map((path) => ({ reads: reserveQueries(constants, path), parse: (answers) => [...answers] })),
  )

/** What a swap of the router brings now, and at the spot prices of its pairs; `undefined` if it is no such swap. */
export function exchangeOfV2(
  constants: UniswapV2Constants,
  transaction: Transaction,
): Rounds<Exchanged> | undefined {
  const swap = decodeSwap(transaction)
  return swap && exchangeRounds(constants, swap)
}

function* exchangeRounds(
  constants: UniswapV2Constants,
  { tokens: path, exact, amountIn, amountOut }: PairSwap,
): Rounds<Exchanged> {
  const whole = quoteOf(constants.router02, path, exact, exact === 'in' ? amountIn : amountOut)
  const [said, ...reserves] = yield [whole, ...reserveQueries(constants, path)]
  const amount = otherAmount(said, exact)
  if (amount === undefined) return { brings: undefined, fair: undefined }
  const [paid, brings] = exact === 'in' ? [amountIn, amount] : [amount, amountOut]
  return { brings, fair: atSpot(path, reserves, paid) }
}
