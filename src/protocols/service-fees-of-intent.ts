import { parseSlippage } from '../domain/slippage.ts'
import type { Token } from '../domain/token.ts'
import type { Transaction } from '../domain/transaction-types.ts'
import { sumOf } from './fee-payments.ts'
import type { Intent, IntentOf, ServiceFee } from './intent.ts'

/** The default limit of a service's fee, in basis points of an amount. */
export const usualServiceFeeBps = 100

/** The most fees of one action: the operator's, and that of the customer who owns the API key. */
export const mostFees = 2

/** `1%` or `100bps` in basis points, from 0 to 10,000; `undefined` if the text is no such share. */
export function serviceFeeIn(text: string): number | undefined {
  const bps = (parseSlippage(text) ?? Number.NaN) * 10_000
  const whole = Math.round(bps)
  return Math.abs(bps - whole) < 1e-6 && whole <= 10_000 ? whole : undefined
}

/** The intents that pay fees: a swap, a withdrawal, and the transfer that pays the first of several unpaid fees. */
type Paying = IntentOf<'swap' | 'withdraw' | 'transfer'>

/** A plain payment. */
type Transfer = IntentOf<'transfer'>

const isPaying = (intent: Intent): intent is Paying =>
  intent.kind === 'swap' || intent.kind === 'withdraw' || intent.kind === 'transfer'

/** The fees of an intent, in the order in which they are stated. */
export const feesOf = (intent: Intent): readonly ServiceFee[] => (isPaying(intent) ? (intent.fees ?? []) : [])

/** The fees that the call of a swap pays itself. */
export const insideFeesOf = (intent: Intent): readonly ServiceFee[] =>
  feesOf(intent).filter(({ isInside }) => isInside)

/** The fees that are paid by transactions of their own after the action, in their order. */
export const stepFeesOf = (intent: Intent): readonly ServiceFee[] =>
  feesOf(intent).filter(({ isInside }) => !isInside)

/** An intent without its fees: a swap spends its input less the fees. */
export function withoutFees(intent: Intent): Intent {
  if (!isPaying(intent)) return intent
  const { fees = [], ...rest } = intent
  return rest.kind === 'swap' ? { ...rest, amountIn: rest.amountIn - sumOf(fees) } : rest
}

/** The token of the fees: the input of a swap, the asset of a withdrawal. */
const feeToken = (intent: Paying): Token => {
  if (intent.kind === 'swap') return intent.tokenIn
  return intent.kind === 'withdraw' ? intent.strategy.asset : intent.token
}

/** The payments of fees as intents of their own, in their order. */
export const feePayments = (intent: Intent): Transfer[] =>
  isPaying(intent)
    ? feesOf(intent).map(({ to, amount }) => ({
        kind: 'transfer',
        wallet: intent.wallet,
        token: feeToken(intent),
        recipient: to,
        amount,
      }))
    : []

/** Some fees of an intent as one transfer intent, which pays the first and then the others; `undefined` without fees. */
export function paymentOf(intent: Intent, fees: readonly ServiceFee[]): Transfer | undefined {
  const [first, ...others] = feePayments({ ...intent, fees } as Intent)
  return first && { ...first, ...(others.length > 0 && { fees: fees.slice(1) }) }
}

/** The transactions of a leg without the payments of its fees. */
export const withoutPayments = (
  intent: Intent | null,
  transactions: readonly Transaction[],
): readonly Transaction[] =>
  transactions.slice(0, Math.max(0, transactions.length - (intent ? stepFeesOf(intent).length : 0)))

/** The transaction of a leg that executes the action: the last one, or the one before the fees. */
export const actionAmong = (intent: Intent, transactions: readonly Transaction[]): Transaction =>
  transactions.at(-1 - stepFeesOf(intent).length) ?? transactions.at(-1)!

/**
 * The total of fees in basis points of their basis, rounded up. A fee may be one unit above its share, because fees over time are rounded
 * in their sum; that unit does not count.
 */
export const totalFeeBps = (fees: readonly ServiceFee[]): number => {
  const { of } = fees[0]!
  return Number(((sumOf(fees) - BigInt(fees.length)) * 10_000n) / of + 1n)
}
