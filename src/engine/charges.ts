import type { Strategy } from '../api/strategy.ts'
import { transfer } from '../calls/erc20.ts'
import type { Address } from '../domain/address.ts'
import { allBps as all } from '../domain/bps.ts'
import type { Token } from '../domain/token.ts'
import type { Transaction } from '../domain/transaction.ts'
import type { Context } from './context.ts'
import { feesOf } from './customer.ts'

/** What a customer is charged of something, in basis points, and who collects it. Without a collector there is none. */
export type Charge = { bps: number; to: Address }

/** What swaps and profits are charged for this customer; `null` is nothing. */
export async function chargesOf(context: Context): Promise<{ swap: Charge | null; profit: Charge | null }> {
  const { collector: to, swapFeeBps, performanceFeeBps, markupBps } = await feesOf(context)
  const charge = (own: number): Charge | null => {
    const bps = Math.max(0, Math.min(all, own + markupBps))
    return to === null || bps === 0 ? null : { bps, to }
  }
  return { swap: charge(swapFeeBps), profit: charge(performanceFeeBps) }
}

/** The share of an amount, rounded down. */
export const shareOf = (amount: bigint, { bps }: Charge): bigint => (amount * BigInt(bps)) / BigInt(all)

/** What is charged beside an amount, so that it is that share of both together; `undefined` where it would be all. */
export const shareBeside = (amount: bigint, { bps }: Charge): bigint | undefined =>
  bps === all ? undefined : (amount * BigInt(bps)) / BigInt(all - bps)

/** A fee that is paid by a transaction of its own, as it is said to the client: amounts as text, `of` is what it is charged of. */
export type StatedFee = {
  kind: 'service' | 'performance'
  bps: number
  token: Address
  chainId: number
  amount: string
  of: string
  to: Address
}

/** Says a fee. */
export const stated = (
  kind: StatedFee['kind'],
  { bps, to }: Charge,
  { address: token, chainId }: Pick<Token, 'address' | 'chainId'>,
  amount: bigint,
  of: bigint,
): StatedFee => ({ kind, bps, token, chainId, amount: String(amount), of: String(of), to })

/** The transaction that pays a fee, behind the action. */
export const paymentOf = ({ chainId, token, to, amount }: StatedFee): Transaction =>
  transfer({ chainId, token, to, amount: BigInt(amount) })

/** A strategy as it is for a customer whose profits are charged: `fee` is a fraction, as rates are. */
export const chargedOn = (strategy: Strategy, profit: Charge | null): Strategy =>
  profit ? { ...strategy, fee: String(profit.bps / all), performanceFeeBps: String(profit.bps) } : strategy
