import type { Intent, ServiceFee } from './intent.ts'
import { slippageIn } from './slippage.ts'
import type { Transaction } from './transaction.ts'

/** The most that a service may charge of an amount where nobody says otherwise, in basis points. */
export const usualServiceFeeBps = 100

/** `1%` or `100bps` in basis points, from none to all; `undefined` where it is no such share. */
export function serviceFeeIn(text: string): number | undefined {
  const bps = (slippageIn(text) ?? Number.NaN) * 10_000
  const whole = Math.round(bps)
  return Math.abs(bps - whole) < 1e-6 && whole <= 10_000 ? whole : undefined
}

/** What an intent pays to the service; only what swaps and what withdraws pays. */
export const feeOf = (intent: Intent): ServiceFee | undefined =>
  intent.kind === 'swap' || intent.kind === 'withdraw' ? intent.fee : undefined

/** What the action of an intent does by itself: a swap spends what the fee leaves of its input. */
export function withoutFee(intent: Intent): Intent {
  if (intent.kind === 'withdraw') {
    const { fee: _, ...rest } = intent
    return rest
  }
  if (intent.kind !== 'swap') return intent
  const { fee, ...rest } = intent
  return fee ? { ...rest, amountIn: rest.amountIn - fee.amount } : rest
}

/** The payment of the fee as an intent of its own: a swap pays in what it spends, a withdrawal in what comes out. */
export function feePayment(intent: Intent): Extract<Intent, { kind: 'transfer' }> | undefined {
  if (intent.kind !== 'swap' && intent.kind !== 'withdraw') return undefined
  const { fee, wallet } = intent
  const token = intent.kind === 'swap' ? intent.tokenIn : intent.strategy.asset
  return fee && { kind: 'transfer', wallet, token, recipient: fee.to, amount: fee.amount }
}

/** The transactions of a leg without the payment of its fee. */
export const withoutPayment = (
  intent: Intent | null,
  transactions: readonly Transaction[],
): readonly Transaction[] => (intent && feeOf(intent) ? transactions.slice(0, -1) : transactions)

/** The transaction of a leg that does what was asked: the last one, or the one before the fee. */
export const actionAmong = (intent: Intent, transactions: readonly Transaction[]): Transaction =>
  transactions.at(feeOf(intent) ? -2 : -1) ?? transactions.at(-1)!
