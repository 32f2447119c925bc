import type { Address, Hex } from '../domain/address.ts'
import type { Network } from '../domain/networks.ts'
import type { Token } from '../domain/token.ts'
import type { FeePayment } from '../protocols/fee-amounts.ts'
import type { Step } from '../protocols/step.ts'

/** The tokens and chains of a swap. */
export type Route = { from: Network; to: Network; tokenIn: Token; tokenOut: Token }

/**
 * A request to a provider. `amount` is the input of an exact-in swap and the output of an exact-out one; `slippage` is a fraction; `refund` is the
 * address for a refund; `speed` is `null` for the best amounts at any speed; `isSpent`: all that arrives is spent at once.
 */
export type Ask = Route & {
  exact: 'in' | 'out'
  amount: bigint
  slippage: number
  speed: 'fast' | 'standard' | null
  refund: Address | null
  isSpent: boolean
  /** Whether it is known that what comes out is for another wallet than the one that pays. */
  isForOther?: boolean
  /** Whether whoever asks takes one approval before the swap: a provider that needs two wins against no other. */
  isOneApproval?: boolean
  /** The fees of the service beside `amount`, of an exact input; for an exact output they are known only with the offer. */
  fees?: readonly FeePayment[]
}

/** One fee of an offer, already inside its amounts. */
export type OfferFee = { kind: string; token: Address; chainId: number; amount: string }

/** Another speed of the same provider, with worse amounts, that saves `savesSeconds`; `null` is unknown. */
type Alternative = {
  transferSpeed: 'fast' | 'standard'
  amountIn: bigint
  amountOut: bigint
  savesSeconds: number | null
}

/**
 * The offer of a provider. `minAmountOut` and `maxAmountIn` are the bounds that the chain enforces. `raw` is the provider's own data, as JSON: it is
 * stored and returned to the provider, and not used elsewhere. `spot` is what `amountIn` would bring at the spot price of the pools, if known;
 * `gas` what its action uses, in units; `seconds` how long it takes from its first block on, `null` if nobody knows.
 */
export type Offer = {
  amountIn: bigint
  amountOut: bigint
  minAmountOut: bigint
  maxAmountIn: bigint
  fees: OfferFee[]
  raw: unknown
  /** Other speeds, only while it is quoted. */
  alternatives?: Alternative[]
  spot?: bigint
  gas?: bigint
  seconds?: number | null
  /** Whether the transaction of the offer can pay the fees of the service itself, beside `amountIn`; else each is paid by a step of its own. */
  paysFees?: boolean
}

/** The parties of a swap. `deadline` is in Unix seconds; `fees` are what its transaction pays of the input token to collectors, beside the input, where the offer can (`paysFees`). */
type SwapOrder = { wallet: Address; recipient: Address; deadline: number; fees?: readonly FeePayment[] }

/** What was paid back of a swap, in the smallest unit of a token or of the coin, and the transaction on its chain. */
export type Returned = { chainId: number; token: Address; amount: bigint; hash: Hex }

/**
 * The progress of a swap after its origin transaction was mined. `said`: the provider's own word for what no chain shows yet; `returned`: what
 * the chain shows that was paid back.
 */
type SwapProgress = {
  status: 'confirmed' | 'processing' | 'fulfilled' | 'failed' | 'refunded'
  destination?: Hex
  said?: string
  returned?: Returned
}

/** A provider of swaps. */
export type SwapProvider = {
  name: string
  /** Whether it asks a service of its own for its offers, and not our nodes alone. */
  asksService?: true
  /** Whether nothing but its word says what comes out: it never wins against a provider whose minimum is proved. */
  isOnWord?: true
  /** Whether a wallet that has allowed nothing yet needs two approvals for a token, as one at Permit2. */
  approvesTwice?: true
  /** How it is set up, where that is not done: without it no route is served. */
  missing?: string
  /** Which side of a swap it can fix; both without it. */
  exact?: readonly ('in' | 'out')[]
  /** Whether it can serve this route, at the speed that was asked for, if one was; without any request. */
  supports: (route: Route & Partial<Pick<Ask, 'speed'>>) => boolean
  /** Its offer; `undefined` without one. An error with status 400 names a fault of the request. */
  quote: (ask: Ask, signal: AbortSignal) => Promise<Offer | undefined>
  /**
   * The transaction that accepts the offer, and the provider's own data where that has changed by it. QUOTE_EXPIRED if the provider no
   * longer holds to the offer.
   */
  build: (ask: Route, offer: Offer, order: SwapOrder) => Promise<Step & { raw?: unknown }>
  /** The progress, once the origin transaction is mined. */
  status: (route: Route, offer: Offer, origin: Hex, order: { recipient: Address }) => Promise<SwapProgress>
}
