import type { Reading } from '../chain/call.ts'
import { type Address, nativeAddress, sameAddress } from '../domain/address.ts'
import type { Network } from '../domain/networks.ts'
import { addSlippage, subtractSlippage } from '../domain/slippage.ts'
import type { Transaction } from '../domain/transaction-types.ts'
import { type FeePayment, sumOf } from '../protocols/fee-payments.ts'
import type { Offer, OfferRequest, Route, SwapProvider } from './provider.ts'
import type { SwapDependencies } from './provider-dependencies.ts'

/**
 * A swap along a path of pools before `deadline` (Unix seconds). Exact input: spends `amountIn`, returns at least `amountOut`. Exact
 * output: returns `amountOut`, spends at most `amountIn`. The path names the wrapped native coin, or the zero address if the pools hold the
 * coin itself. `isNativeIn`: pays with the native coin; the router returns the rest. `isNativeOut`: pays out the native coin. `fees` are
 * paid in the input token, in addition to it.
 */
export type PoolSwap<path> = {
  chainId: number
  router: Address
  exact: 'in' | 'out'
  path: path
  amountIn: bigint
  amountOut: bigint
  recipient: Address
  deadline: number
  isNativeIn?: boolean
  isNativeOut?: boolean
  fees?: readonly FeePayment[]
}

/**
 * A path with its quote: the other amount of the swap (0 without one), the gas of the whole transaction in units, and the output of an
 * amount at the spot price.
 */
type QuotedPath<path> = {
  path: path
  amount: bigint
  gas: bigint
  atSpot: (amountIn: bigint) => bigint | undefined
}

/** The gas of unwrapping the coin for the recipient, or of the rest of the coin that the router returns, in units, measured on the contracts. */
const coinGas = 17_000n

/** The parts of a provider of same-chain pool swaps. */
type PoolProvider<constants, path> = {
  name: string
  deployments: readonly constants[]
  read: SwapDependencies['read']
  wrappedOn: (network: Network) => Address | undefined
  routerOf: (here: constants) => Address
  /** The Permit2 through which the router takes tokens; without it, the router takes them directly. */
  permit2Of?: (here: constants) => Address
  /** Whether pools hold the native coin itself; paths then name it by the zero address. */
  holdsCoin?: boolean
  /** Whether its transaction can pay fees in tokens, or also in the native coin; `undefined` if it can pay none. */
  feesIn?: 'tokens' | 'tokens and coin'
  /** The reads that quote all paths between two tokens. */
  quotes: (
    here: constants,
    ends: readonly [Address, Address],
    ask: OfferRequest,
  ) => Reading<QuotedPath<path>[]>
  /** Encodes the transaction; `sender` signs it and pays. */
  encode: (swap: PoolSwap<path> & { sender: Address }) => Transaction
}

/** The provider data of an offer; it is stored as JSON. */
type Raw<path> = { path: path; exact: 'in' | 'out' }

const isNative = ({ address }: { address: Address }): boolean => sameAddress(address, nativeAddress)

/** A provider of same-chain pool swaps: quotes all paths in one call and offers the best. */
export function poolSwapProvider<constants extends { chainId: number }, path>({
  name,
  deployments,
  read,
  wrappedOn,
  routerOf,
  permit2Of,
  holdsCoin = false,
  feesIn,
  quotes,
  encode,
}: PoolProvider<constants, path>): SwapProvider {
  const on = (chainId: number) => deployments.find((deployment) => deployment.chainId === chainId)
  /** The tokens at the ends of a path; `undefined` for an unsupported route. */
  const endsOf = ({ from, to, tokenIn, tokenOut }: Route): readonly [Address, Address] | undefined => {
    const [first, last] = [tokenIn, tokenOut].map((token) =>
      isNative(token) ? wrappedOn(from) : token.address,
    )
    const isServed = from.chainId === to.chainId && first && last && !sameAddress(first, last)
    if (!isServed) return undefined
    return holdsCoin ? [tokenIn.address, tokenOut.address] : [first, last]
  }
  return {
    name,
    ...(permit2Of && { needsTwoApprovals: true }),
    supports: (route) => on(route.from.chainId) !== undefined && endsOf(route) !== undefined,

    async quote(ask) {
      const { exact } = ask
      const quoted = await read(ask.from.chainId, quotes(on(ask.from.chainId)!, endsOf(ask)!, ask))
      const [best] = quoted
        .filter(({ amount }) => amount > 0n)
        .toSorted((a, b) => (a.amount === b.amount ? 0 : a.amount > b.amount === (exact === 'in') ? -1 : 1))
      if (!best) return undefined
      const raw: Raw<path> = { path: best.path, exact }
      const offer = offerOf(ask, best.amount, raw)
      const spot = best.atSpot(offer.amountIn)
      const returnsCoin = (isNative(ask.tokenOut) && !holdsCoin) || (isNative(ask.tokenIn) && exact === 'out')
      const gas = best.gas + (returnsCoin ? coinGas : 0n)
      const paysFees = feesIn === 'tokens and coin' || (feesIn === 'tokens' && !isNative(ask.tokenIn))
      return { ...offer, gas, seconds: 0, ...(spot !== undefined && { spot }), paysFees }
    },

    async build(
      { from, tokenIn, tokenOut },
      { raw, maxAmountIn, minAmountOut },
      { wallet, recipient, deadline, fees = [] },
    ) {
      const here = on(from.chainId)!
      const router = routerOf(here)
      const { path, exact } = raw as Raw<path>
      return {
        transaction: encode({
          chainId: from.chainId,
          router,
          exact,
          path,
          amountIn: maxAmountIn,
          amountOut: minAmountOut,
          sender: wallet,
          recipient,
          deadline,
          isNativeIn: isNative(tokenIn),
          isNativeOut: isNative(tokenOut),
          fees,
        }),
        ...(!isNative(tokenIn) && {
          needs: {
            token: tokenIn.address,
            spender: router,
            amount: maxAmountIn + sumOf(fees),
            ...(permit2Of && { through: { permit2: permit2Of(here), until: BigInt(deadline) } }),
          },
        }),
      }
    },

    status: async (_route, _offer, origin) => ({ status: 'fulfilled', destination: origin }),
  }
}

/** Makes an offer of the quoted other side of a swap; the slippage bounds that side. */
const offerOf = ({ exact, amount, slippage }: OfferRequest, quoted: bigint, raw: unknown): Offer => ({
  amountIn: exact === 'in' ? amount : quoted,
  amountOut: exact === 'in' ? quoted : amount,
  maxAmountIn: exact === 'in' ? amount : addSlippage(quoted, slippage),
  minAmountOut: exact === 'in' ? subtractSlippage(quoted, slippage) : amount,
  fees: [],
  raw,
})
