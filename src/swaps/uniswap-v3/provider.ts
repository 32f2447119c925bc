import { both, type Reading } from '../../chain/reading.ts'
import { type Address, nativeAddress, sameAddress } from '../../domain/address.ts'
import type { Network } from '../../domain/networks.ts'
import { less, more } from '../../domain/slippage.ts'
import type { UniswapV3Constants } from '../../protocols/catalog.ts'
import type { Ask, Offer, Route, SwapProvider } from '../provider.ts'
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
  /** The tokens of the pools: the native coin is swapped in its wrapped form. */
  const pooled = ({ from, tokenIn, tokenOut }: Route) =>
    [tokenIn, tokenOut].map(({ address }) => (isNative(address) ? wrappedOn(from) : address)) as [
      Address | undefined,
      Address | undefined,
    ]
  return {
    name: 'uniswap-v3',
    supports: (route) => {
      const [first, last] = pooled(route)
      return (
        route.from.chainId === route.to.chainId &&
        on(route.from.chainId) !== undefined &&
        first !== undefined &&
        last !== undefined &&
        !sameAddress(first, last)
      )
    },

    async quote(ask) {
      const here = on(ask.from.chainId)!
      const [first, last] = pooled(ask)
      const paths = pathsOf(here, first!, last!)
      const [answers, spotPrices] = await reads(
        ask.from.chainId,
        both(quotes(here.quoterV2, paths, ask), spotPricesOf(here.quoterV2, paths)),
      )
      const best = answers
        .flatMap((quoted, at) =>
          quoted === undefined || quoted.amount === 0n ? [] : [{ ...quoted, path: paths[at]! }],
        )
        .reduce<(Quoted & { path: SwapPath }) | undefined>(
          (a, b) => (a && !better(ask.exact, b.amount, a.amount) ? a : b),
          undefined,
        )
      if (!best) return undefined
      const made = offer(ask, best.path, best.amount)
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
          isNativeIn: isNative(tokenIn.address),
          isNativeOut: isNative(tokenOut.address),
        }),
        ...(!isNative(tokenIn.address) && {
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

const isNative = (address: Address): boolean => sameAddress(address, nativeAddress)

const better = (exact: 'in' | 'out', a: bigint, b: bigint) => (exact === 'in' ? a > b : a < b)

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

function offer({ exact, amount, slippage }: Ask, path: SwapPath, quoted: bigint): Offer {
  const raw: Raw = { path: { tokens: [...path.tokens], fees: [...path.fees] }, exact }
  return exact === 'in'
    ? {
        amountIn: amount,
        amountOut: quoted,
        maxAmountIn: amount,
        minAmountOut: less(quoted, slippage),
        fees: [],
        raw,
      }
    : {
        amountIn: quoted,
        amountOut: amount,
        maxAmountIn: more(quoted, slippage),
        minAmountOut: amount,
        fees: [],
        raw,
      }
}
