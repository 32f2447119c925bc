import type { Address, Hex } from '../domain/address.ts'
import type { Network } from '../domain/networks.ts'
import type { Token } from '../domain/token.ts'
import type { BitcoinConstants } from '../protocols/bitcoin-services.ts'
import type { BitcoinTransaction } from './bitcoin-reader.ts'
import type { SwapDependencies } from './provider-dependencies.ts'
import type { ServiceRefusals } from './service-answers/service-refusals.ts'

/** A request for a swap from Bitcoin: `amount` in satoshi, `slippage` a fraction, `refund` a Bitcoin address. */
export type DepositRequest = {
  to: Network
  tokenOut: Token
  amount: bigint
  slippage: number
  recipient: Address
  refund: string | null
  /** The time at which the terms are checked, in epoch ms. */
  at: number
}

/**
 * The terms of a deposit. Pay exactly `amount` satoshi to `address` before `until` (epoch ms), with `memo` in an OP_RETURN output unless it
 * is `null`. `late` describes the refund of a late or short payment; `refundFee` is the provider's stated fee for it, in satoshi. `seconds`
 * is the duration after the payment.
 */
export type DepositTerms = {
  address: string
  memo: string | null
  amount: bigint
  amountOut: bigint
  minAmountOut: bigint
  until: number
  late: string
  refundFee: bigint
  seconds: number | null
}

/**
 * The progress of a deposit, as its provider reports it. `waiting`: the provider does not know the deposit yet; `short`: it received less
 * than `amount`. Unknown statuses become `processing`. `destination` is the payout or refund transaction, if the provider names it.
 */
export type DepositProgress = {
  status: 'waiting' | 'short' | 'processing' | 'fulfilled' | 'failed' | 'refunded'
  destination?: string
  /** The refund of the rest, if only a part is paid out. */
  refund?: string
  /** The provider's own status text. */
  said?: string
}

/** A provider of swaps from Bitcoin. `raw` is its own data as JSON; it is stored, sent to the client and checked there again. */
export type DepositProvider = {
  name: string
  /** Whether it requires a refund address in advance. */
  needsRefund: boolean
  /** Whether it can pay out this token; makes no request. */
  supports: (tokenOut: Token) => boolean
  /** Its checked offer; `undefined` without one. */
  quote: (
    ask: DepositRequest,
    signal: AbortSignal,
  ) => Promise<{ raw: unknown; terms: DepositTerms } | undefined>
  /** The progress of a deposit. `deposit` is `undefined` if it was not found on Bitcoin. */
  status: (
    terms: Pick<DepositTerms, 'address' | 'memo'>,
    deposit: BitcoinTransaction | undefined,
    order: { tokenOut: Token; recipient: Address },
  ) => Promise<DepositProgress>
}

/** Dependencies of a deposit provider; `now` is in epoch ms. */
export type DepositDependencies = Pick<SwapDependencies, 'exchangeJson'> & { now: () => number }

/** A deposit provider, as `deposit-provider-registry.ts` lists it. */
export type DepositDefinition = {
  name: string
  /** What proves the recipient and the amounts before the payment. */
  proof: 'signature of the provider' | 'memo'
  /** What its service's refusals mean. */
  refusals: ServiceRefusals
  /** Whether the service alone vouches for the payment address. Such an offer loses to any offer with a proven address. */
  isAddressUnproven?: true
  /**
   * The order of a deposit that one payment satisfies, with the provider's name before it: then nothing must ever have been paid to its
   * address. `null` if each payment is an order of its own.
   */
  orderOf: (terms: Pick<DepositTerms, 'address' | 'memo'>) => string | null
  /** Reads the payment address again and returns the hosts that confirm it. PROVIDER_API_ERROR if one names another address. */
  confirmAddress?: (
    bitcoin: BitcoinConstants,
    exchangeJson: SwapDependencies['exchangeJson'],
    address: string,
  ) => Promise<string[]>
  /** Parses the terms from the provider's data and checks them against the request, without requests. PROVIDER_API_ERROR if they differ. */
  check: (bitcoin: BitcoinConstants, raw: unknown, ask: DepositRequest) => DepositTerms
  /** Opens the provider; `undefined` if the catalogue has no service for it. */
  open: (bitcoin: BitcoinConstants, network: DepositDependencies) => DepositProvider | undefined
}

/** Maximum lifetime of a deposit, in ms. THORChain documents 15 minutes, and 1Click is asked for four hours. */
const longestLifetimeMs = 24 * 3_600_000

/** Whether the end of a deposit (epoch ms) is too far away to be one. */
export const isTooLate = (until: number, { at }: Pick<DepositRequest, 'at'>): boolean =>
  !(until <= at + longestLifetimeMs)

/** Parses the hash of an EVM transaction, with or without `0x`; `undefined` for other text. */
export function evmHash(text: string | undefined): Hex | undefined {
  const [, digits] = /^(?:0x)?([0-9a-fA-F]{64})$/.exec(text ?? '') ?? []
  return digits === undefined || /^0+$/.test(digits) ? undefined : `0x${digits.toLowerCase()}`
}
