import type { Address, Hex } from '../domain/address.ts'
import type { Network } from '../domain/networks.ts'
import type { Token } from '../domain/token.ts'
import type { FeePayment } from '../protocols/fee-payments.ts'
import type { CallWithAllowance } from '../protocols/market-adapter.ts'

/** The tokens and chains of a swap. */
export type Route = { from: Network; to: Network; tokenIn: Token; tokenOut: Token }

/**
 * A request for an offer. `amount` is the input of an exact-input swap, the output of an exact-output swap; `slippage` is a fraction;
 * `refund` is the refund address; `speed` is `null` for the best amounts at any speed; `isSpent`: the next step spends the whole minimum
 * output.
 */
export type OfferRequest = Route & {
  exact: 'in' | 'out'
  amount: bigint
  slippage: number
  speed: 'fast' | 'standard' | null
  refund: Address | null
  isSpent: boolean
  /** Whether the recipient is known to be another wallet than the payer. */
  hasOtherRecipient?: boolean
  /** Whether the caller allows one approval before the swap. A provider that needs two then loses to any other. */
  allowsOneApproval?: boolean
  /** The service's fees in addition to `amount`, for an exact input. For an exact output they are known only with the offer. */
  fees?: readonly FeePayment[]
}

/** A fee that is already included in the amounts of an offer, unless the provider says that it is not. */
export type OfferFee = { kind: string; token: Address; chainId: number; amount: string; included?: false }

/** Another speed of the same provider, with worse amounts. `savesSeconds` is `null` if unknown. */
type Alternative = {
  transferSpeed: 'fast' | 'standard'
  amountIn: bigint
  amountOut: bigint
  savesSeconds: number | null
}

/**
 * An offer of a provider. The chain enforces `minAmountOut` and `maxAmountIn`. `raw` is the provider's own data as JSON; it is stored and
 * returned to the provider, and not used elsewhere. `spot` is the output of `amountIn` at the spot price, if known. `gas` is that of the
 * swap's own transaction, in units; its approvals and separate fee payments come on top (`offer-gas.ts`).
 * `seconds` is the duration after the first block, `null` if unknown.
 */
export type Offer = {
  amountIn: bigint
  amountOut: bigint
  minAmountOut: bigint
  maxAmountIn: bigint
  fees: OfferFee[]
  raw: unknown
  /** Other speeds; only in a new quote. */
  alternatives?: Alternative[]
  spot?: bigint
  gas?: bigint
  seconds?: number | null
  /** Whether the offer's transaction can pay the service's fees in addition to `amountIn`. Otherwise each fee is a step of its own. */
  paysFees?: boolean
}

/**
 * The parties of a swap. `deadline` is in Unix seconds. `fees` are paid by the transaction, in the input token and in addition to the
 * input; only if `paysFees`.
 */
type SwapOrder = { wallet: Address; recipient: Address; deadline: number; fees?: readonly FeePayment[] }

/** A refund of a swap: the amount in the smallest unit of a token or of the native coin, and its transaction. */
export type SwapRefund = { chainId: number; token: Address; amount: bigint; hash: Hex }

/**
 * The progress of a swap after its origin transaction is mined. `said` is the provider's own status where no chain shows it yet; `returned`
 * is a refund on chain.
 */
type SwapProgress = {
  status: 'confirmed' | 'processing' | 'fulfilled' | 'failed' | 'refunded'
  destination?: Hex
  said?: string
  returned?: SwapRefund
}

/** A swap provider: makes offers, builds their transactions and reads their progress. */
export type SwapProvider = {
  name: string
  /** Whether it asks its own service for offers. Others ask only our nodes. */
  asksService?: true
  /** Whether only its service vouches for the output. Such a provider loses to any provider with a proven minimum. */
  isUnproven?: true
  /** Whether it needs no allowance, because the wallet itself sends the tokens. */
  needsNoApproval?: true
  /** Whether a token without an allowance needs two approvals, as with Permit2. */
  needsTwoApprovals?: true
  /** How to configure it, if it is not configured; it then supports no route. */
  setupProblem?: string
  /** The side of a swap that it can fix; both if omitted. */
  exact?: readonly ('in' | 'out')[]
  /** Whether it supports a route at the requested speed, if any; makes no request. */
  supports: (route: Route & Partial<Pick<OfferRequest, 'speed'>>) => boolean
  /** Its offer; `undefined` without one. An error with status 400 is a fault of the request. */
  quote: (ask: OfferRequest, signal: AbortSignal) => Promise<Offer | undefined>
  /**
   * The transaction that accepts the offer, and the provider's own data if it changed. `order` is the id of an order that the transaction
   * does not contain, with the provider's name before it. QUOTE_EXPIRED if the provider no longer honours the
   * offer.
   */
  build: (
    ask: Route,
    offer: Offer,
    order: SwapOrder,
  ) => Promise<CallWithAllowance & { raw?: unknown; order?: string }>
  /** The progress after the origin transaction is mined. */
  status: (route: Route, offer: Offer, origin: Hex, order: { recipient: Address }) => Promise<SwapProgress>
}
