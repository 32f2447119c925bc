import type { Address, Hex } from '../domain/address.ts'
import type { Network } from '../domain/networks.ts'
import type { Token } from '../domain/token.ts'
import type { Step } from '../protocols/market.ts'

/** From what, to what, across which chains. */
export type Route = { from: Network; to: Network; tokenIn: Token; tokenOut: Token }

/**
 * What is asked of a provider. `amount` is the input of an exact-in swap and the output of an exact-out one; `slippage` is a fraction; `refund` is who wants it back if it fails;
 * `speed` is `null` where the best is wanted, whatever it takes; `isSpent` says that what arrives is spent at once, to the last unit.
 */
export type Ask = Route & {
  exact: 'in' | 'out'
  amount: bigint
  slippage: number
  speed: 'fast' | 'standard' | null
  refund: Address | null
  isSpent: boolean
}

/** One fee of an offer, already inside its amounts. */
export type OfferFee = { kind: string; token: Address; chainId: number; amount: string }

/** Another speed of the same provider, which is worse for the amounts and saves `savesSeconds`; `null` where nobody knows how many. */
type Alternative = {
  transferSpeed: 'fast' | 'standard'
  amountIn: bigint
  amountOut: bigint
  savesSeconds: number | null
}

/**
 * What a provider would give. `minAmountOut` and `maxAmountIn` are what the chain enforces. `raw` is the provider's own,
 * JSON and nothing else: it is stored and handed back, and nobody else looks inside. `spot` is what `amountIn` would bring at the price that its
 * pools have before it, where that is known.
 */
export type Offer = {
  amountIn: bigint
  amountOut: bigint
  minAmountOut: bigint
  maxAmountIn: bigint
  fees: OfferFee[]
  raw: unknown
  /** What else it would give, said while it is quoted. */
  alternatives?: Alternative[]
  spot?: bigint
}

/** Whose swap it is. `deadline` is in Unix seconds. */
type SwapOrder = { wallet: Address; recipient: Address; deadline: number }

/** How a swap goes on after its origin transaction was mined. */
type SwapProgress = {
  status: 'confirmed' | 'processing' | 'fulfilled' | 'failed' | 'refunded'
  destination?: Hex
}

/** Somewhere swaps can be made. */
export type SwapProvider = {
  name: string
  /** Could it serve this route at all? Answered without asking anyone. */
  supports: (route: Route) => boolean
  /** What would it give? `undefined` when it has nothing to offer; an error with status 400 says what is wrong with the request. */
  quote: (ask: Ask, signal: AbortSignal) => Promise<Offer | undefined>
  /** What must be sent to take the offer? */
  build: (ask: Route, offer: Offer, order: SwapOrder) => Step
  /** How does it go on, once the origin transaction is mined? */
  status: (route: Route, offer: Offer, origin: Hex, order: { recipient: Address }) => Promise<SwapProgress>
}
