import type { Chain } from '../../chain/network-client.ts'
import type { Address, Hex } from '../../domain/address.ts'
import type { Token } from '../../domain/token.ts'
import type { QuotePayment, TakenBy } from '../../store/engine/quote-payments.ts'
import type { BitcoinReader, BitcoinTransaction } from '../../swaps/bitcoin-reader-types.ts'
import type { DepositProgress } from '../../swaps/deposit-provider.ts'
import type { DepositRaw } from './bitcoin-deposit-instructions.ts'

/**
 * A swap that begins on Bitcoin, with all that its outcome is checked by. Times are epoch ms, `amountIn` is in satoshi.
 * `earlier` are payments with the same address and memo from before it; `null` is unknown.
 */
export type DepositSwap = Pick<DepositRaw, 'deposit' | 'earlier'> & {
  id: string
  provider: string
  createdAt: number
  expiresAt: number
  amountIn: bigint
  minAmountOut: bigint
  tokenOut: Token
  recipient: Address
  /** The refund address of the quote; a provider that `refundsSender` does not use it. */
  refundAddress: string | null
  refundsSender: boolean
  /** The estimated duration, in seconds. */
  seconds: number | null
}

/** The payments that ended swaps, as one swap sees them. A payment ends one swap only. */
export type PaymentBook = {
  /** The recorded deposit of this swap. */
  ownDeposit: string | undefined
  takenBy: TakenBy
  /** Whether a transaction delivered another operation. */
  isOtherDelivery: (hash: Hex) => Promise<boolean>
  /** Records payments for this swap; returns the other swap that has one of them already. */
  take: (payments: readonly QuotePayment[]) => Promise<string | null>
}

/** What a deposit is checked with: Bitcoin, the chains, the clock, the recorded payments, and what its provider or service reports. */
export type DepositChecks = {
  bitcoin: BitcoinReader
  chain: (chainId: number) => Chain
  now: () => number
  payments: PaymentBook
  report: (deposit: BitcoinTransaction | undefined) => Promise<DepositProgress>
}
