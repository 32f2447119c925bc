import { both, type Reading } from '../../chain/reading.ts'
import { type Address, sameAddress } from '../../domain/address.ts'
import type { Network } from '../../domain/networks.ts'
import type { UniswapV3Constants } from '../../protocols/catalog.ts'
import { bestQuoted, isNative, isPoolRoute, pooledTokens, poolOffer } from '../pool-swap.ts'
import type { Ask, SwapProvider } from '../provider.ts'
import { quoterV2Abi } from './abi.ts'
import { swap } from './encode.ts'
import { packPath, type SwapPath } from './path.ts'
import { atSpot, spotPricesOf } from './spot-price.ts'

/** Reads one chain; the provider sees nothing else of the network. */
type Reads = <value>(chainId: number, reading: Reading<value>) => Promise<value>

type Raw = { path: { tokens: Address[]; fees: number[] }; exact: 'in' | 'out' }

/** Swaps on one chain through the pools of Uniswap v3: every fee tier, one hop or two, all quoted in one call by QuoterV2. */
export function uniswapV3(
  deployments: readonly UniswapV3Constants[],
  reads: Reads,
  wrappedOn: (network: Network) => Address | undefined,
): SwapProvider {
  const on = (chainId: number) => deployments.find((deployment) => deployment.chainId === chainId)
  return {
    name: 'uniswap-v3',
    supports: (route) => on(route.from.chainId) !== undefined && isPoolRoute(route, wrappedOn),

    async quote(ask) {
      const here = on(ask.from.chainId)!
      const [first, last] = pooledTokens(ask, wrappedOn)
      const paths = pathsOf(here, first!, last!)
      const [answers, spotPrices] = await reads(
        ask.from.chainId,
        both(quotes(here.quoterV2, paths, ask), spotPricesOf(here.quoterV2, paths)),
      )
      const best = bestQuoted(
        ask.exact,
        answers.flatMap((quoted, at) => (quoted === undefined ? [] : [{ ...quoted, path: paths[at]! }])),
      )
      if (!best) return undefined
      const { tokens, fees } = best.path
      const raw: Raw = { path: { tokens: [...tokens], fees: [...fees] }, exact: ask.exact }
      const made = poolOffer(ask, best.amount, raw)
      const spot = atSpot(best.path, spotPrices(best.path), made.amountIn)
      return { ...made, gas: best.gas + callGas, seconds: 0, ...(spot !== undefined && { spot }) }
    },

    build({ from, tokenIn, tokenOut }, offer, { recipient, deadline }) {
      const { swapRouter02: router } = on(from.chainId)!
      const { path, exact } = offer.raw as Raw
      return {
        transaction: swap({
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

/** What the quoter says of a path: the other amount, and the gas of the pools. */
type Quoted = { amount: bigint; gas: bigint }

/** What a swap takes beside what the quoter says of its pools, as measured on the contracts: the transaction, its calldata and the router. */
const callGas = 30_000n

/** All paths to quote: each tier directly, and each pair of tiers through each middle token. */
function pathsOf({ feeTiers, via }: UniswapV3Constants, first: Address, last: Address): SwapPath[] {
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

/** The answers of QuoterV2 for each path. Its functions are not views, but an eth_call keeps no effect. */
const quotes = (
  quoter: Address,
  paths: readonly SwapPath[],
  { exact, amount }: Ask,
): Reading<(Quoted | undefined)[]> => ({
  reads: paths.map((path) => ({
    address: quoter,
    abi: quoterV2Abi,
    functionName: exact === 'in' ? 'quoteExactInput' : 'quoteExactOutput',
    args: [packPath(path, exact), amount],
  })),
  parse: (answers) =>
    answers.map((answer) => {
      const [amount, , , gas] = (answer as readonly [bigint, unknown, unknown, bigint] | undefined) ?? []
      return amount === undefined ? undefined : { amount, gas: gas ?? 0n }
    }),
})
