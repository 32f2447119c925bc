import { slippageIn } from '../domain/slippage.ts'
import type { Token } from '../domain/token.ts'
import type { Transaction } from '../domain/transaction.ts'
import type { Intent, ServiceFee } from './intent.ts'

/** The most that a service may charge of an amount where nobody says otherwise, in basis points. */
export const usualServiceFeeBps = 100

/** How many fees one action pays at most: that of the operator, and that of the customer whose key it is. */
export const mostFees = 2

/** `1%` or `100bps` in basis points, from none to all; `undefined` where it is no such share. */
export function serviceFeeIn(text: string): number | undefined {
  const bps = (slippageIn(text) ?? Number.NaN) * 10_000
  const whole = Math.round(bps)
  return Math.abs(bps - whole) < 1e-6 && whole <= 10_000 ? whole : undefined
}

/** What pays a fee: what swaps, what withdraws, and the payment of the first of two, where only they are left. */
type Paying = Extract<Intent, { kind: 'swap' | 'withdraw' | 'transfer' }>

/** A plain payment. */
type Transfer = Extract<Intent, { kind: 'transfer' }>

const isPaying = (intent: Intent): intent is Paying =>
  intent.kind === 'swap' || intent.kind === 'withdraw' || intent.kind === 'transfer'

/** What an intent pays to the service, in the order of its payments. */
export const feesOf = (intent: Intent): readonly ServiceFee[] => (isPaying(intent) ? (intent.fees ?? []) : [])

/** What fees are together. */
export const sumOf = (fees: readonly Pick<ServiceFee, 'amount'>[]): bigint =>
  fees.reduce((sum, { amount }) => sum + amount, 0n)

/** What the action of an intent does by itself: a swap spends what the fees leave of its input. */
export function withoutFees(intent: Intent): Intent {
  if (!isPaying(intent)) return intent
  const { fees = [], ...rest } = intent
  return rest.kind === 'swap' ? { ...rest, amountIn: rest.amountIn - sumOf(fees) } : rest
}

/** The token that fees are paid in: a swap pays in what it spends, a withdrawal in what comes out. */
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

/** Some of the fees of an intent as one intent, which pays the first and then the others; `undefined` where there are none. */
export function paymentOf(intent: Intent, fees: readonly ServiceFee[]): Transfer | undefined {
  const [first, ...others] = feePayments({ ...intent, fees } as Intent)
  return first && { ...first, ...(others.length > 0 && { fees: fees.slice(1) }) }
}

/** The transactions of a leg without the payments of its fees. */
export const withoutPayments = (
  intent: Intent | null,
  transactions: readonly Transaction[],
): readonly Transaction[] =>
  transactions.slice(0, Math.max(0, transactions.length - (intent ? feesOf(intent).length : 0)))

/** The transaction of a leg that does what was asked: the last one, or the one before the fees. */
export const actionAmong = (intent: Intent, transactions: readonly Transaction[]): Transaction =>
  transactions.at(-1 - feesOf(intent).length) ?? transactions.at(-1)!
