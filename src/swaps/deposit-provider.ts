import type { Address, Hex } from '../domain/address.ts'
import type { Network } from '../domain/networks.ts'
import type { Token } from '../domain/token.ts'
import type { BitcoinConstants } from '../protocols/bitcoin-services.ts'
import type { BitcoinTransaction } from './bitcoin-chain.ts'
import type { SwapDependencies } from './provider-dependencies.ts'

/** What a swap that begins with a payment of BTC is asked for: `amount` in satoshi, `slippage` a fraction, `refund` a Bitcoin address. */
export type DepositAsk = {
  to: Network
  tokenOut: Token
  amount: bigint
  slippage: number
  recipient: Address
  refund: string | null
}

/**
 * The terms of a deposit. `address` takes exactly `amount` satoshi, with `memo` in an OP_RETURN output where there is one, before `until`
 * (epoch ms). `late` says what comes back if it is late or short, and `refundFee` what the provider says that it keeps of that, in satoshi;
 * `seconds` is how long it takes, once paid.
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
 * How far a provider says that a deposit has come. `waiting`: it does not know the deposit yet; `short`: it has less than was asked for.
 * Unknown words of a provider are `processing`. `destination` is the transaction that pays out, or back, where it is named.
 */
export type DepositProgress = {
  status: 'waiting' | 'short' | 'processing' | 'fulfilled' | 'failed' | 'refunded'
  destination?: string
  /** What the provider says beside it, in its words. */
  said?: string
}

/** A provider of swaps that begin with a payment on Bitcoin. `raw` is its own data as JSON: stored, given to the client, and checked again there. */
export type DepositProvider = {
  name: string
  /** Whether it must know in advance where a refund goes. */
  needsRefund: boolean
  /** Whether it can pay out this token, without any request. */
  supports: (tokenOut: Token) => boolean
  /** Its offer, checked; `undefined` without one, and `refused` with the reason in its words, where it gives one. */
  quote: (
    ask: DepositAsk,
    signal: AbortSignal,
  ) => Promise<{ raw: unknown; terms: DepositTerms } | { refused: string | null } | undefined>
  /** The progress of a deposit; `undefined` as the deposit is one that was not found on Bitcoin. */
  status: (
    terms: Pick<DepositTerms, 'address' | 'memo'>,
    deposit: BitcoinTransaction | undefined,
    order: { tokenOut: Token; recipient: Address },
  ) => Promise<DepositProgress>
}

/** What a deposit provider works with. */
export type DepositDependencies = Pick<SwapDependencies, 'exchangeJson'> & { now: () => number }

/** A deposit provider as the program knows it; one line of `deposit-provider-registry.ts`. */
export type DepositDefinition = {
  name: string
  /** By what the recipient and the amounts are proved before anything is paid. */
  proof: 'signature of the provider' | 'memo'
  /** Whether that leaves out the address to pay, which is the service's word: such an offer wins against none whose address is proved. */
  isAddressOnWord?: true
  /** Asks for the address again where it is only named, and gives the hosts that name it: PROVIDER_API_ERROR where one names another. */
  confirmAddress?: (
    bitcoin: BitcoinConstants,
    exchangeJson: SwapDependencies['exchangeJson'],
    address: string,
  ) => Promise<string[]>
  /** Reads the terms out of the provider's own data, and refuses what was not asked for: PROVIDER_API_ERROR. Asks nobody. */
  check: (bitcoin: BitcoinConstants, raw: unknown, ask: DepositAsk) => DepositTerms
  /** Opens the provider; `undefined` if the catalogue has no service for it. */
  open: (bitcoin: BitcoinConstants, network: DepositDependencies) => DepositProvider | undefined
}

/** Whether text is the hash of a transaction of an EVM chain, with or without `0x`; the hash, or `undefined`. */
export function evmHash(text: string | undefined): Hex | undefined {
  const [, digits] = /^(?:0x)?([0-9a-fA-F]{64})$/.exec(text ?? '') ?? []
  return digits === undefined || /^0+$/.test(digits) ? undefined : `0x${digits.toLowerCase()}`
}
