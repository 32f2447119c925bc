import type { Page } from '../../api/page.ts'
import type { Service } from '../../api/service-type.ts'
import type { Strategy } from '../../api/strategy.ts'
import { transfer } from '../../chain/erc20.ts'
import { type Address, sameAddress } from '../../domain/address.ts'
import { allBps as all } from '../../domain/basis-points.ts'
import type { Token } from '../../domain/token.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import type { EngineContext } from '../engine.ts'
import { customerFees } from './fee-settings.ts'

/**
 * A fee in basis points that the operator of the service or the customer charges, with the address that
 * collects it.
 */
export type Charge = { bps: number; to: Address; by: 'operator' | 'customer' }

/**
 * The fees on swaps and profits for this customer: the operator's fee and the customer's markup, combined if
 * both have the same collector. Without a collector there is no fee.
 */
export async function chargesOf(context: EngineContext): Promise<{ swap: Charge[]; profit: Charge[] }> {
  const { operatorCollector, swapFeeBps, performanceFeeBps, collector, markupBps } =
    await customerFees(context)
  const charges = (fee: number): Charge[] => {
    const own = operatorCollector === null ? 0 : fee
    const markup = collector === null ? 0 : Math.min(all - own, markupBps)
    if (operatorCollector !== null && collector !== null && sameAddress(operatorCollector, collector))
      return nonZero({ bps: own + markup, to: operatorCollector, by: 'operator' })
    return [
      ...(operatorCollector === null ? [] : nonZero({ bps: own, to: operatorCollector, by: 'operator' })),
      ...(collector === null ? [] : nonZero({ bps: markup, to: collector, by: 'customer' })),
    ]
  }
  return { swap: charges(swapFeeBps), profit: charges(performanceFeeBps) }
}

const nonZero = (charge: Charge): Charge[] => (charge.bps === 0 ? [] : [charge])

/** The sum of several charges, in basis points. */
const totalBps = (charges: readonly Charge[]): number => charges.reduce((sum, { bps }) => sum + bps, 0)

/** The amount of each charge within an amount, rounded down. */
export const chargesWithin = (amount: bigint, charges: readonly Charge[]): bigint[] =>
  charges.map(({ bps }) => (amount * BigInt(bps)) / BigInt(all))

/**
 * The amount of each charge on top of an amount, so that it is its share of the total; `undefined` if the
 * charges would be the whole total.
 */
export const chargesOnTop = (amount: bigint, charges: readonly Charge[]): bigint[] | undefined => {
  const rest = all - totalBps(charges)
  return rest === 0 ? undefined : charges.map(({ bps }) => (amount * BigInt(bps)) / BigInt(rest))
}

/**
 * A fee as the client sees it. Amounts are text, `of` is the amount it is computed from, and `markup` is the
 * customer's part. It is paid by the transaction of the action itself, or by a step of its own after it.
 */
export type StatedFee = {
  kind: 'service' | 'performance' | 'markup'
  bps: number
  token: Address
  chainId: number
  amount: string
  of: string
  to: Address
  paidBy: 'action' | 'step'
}

/** Describes a fee: `kind` for the operator, `markup` for the customer. */
export const statedFee = (
  kind: StatedFee['kind'],
  { bps, to, by }: Charge,
  { address: token, chainId }: Pick<Token, 'address' | 'chainId'>,
  amount: bigint,
  of: bigint,
  paidBy: 'action' | 'step' = 'step',
): StatedFee => ({
  kind: by === 'customer' ? 'markup' : kind,
  bps,
  token,
  chainId,
  amount: String(amount),
  of: String(of),
  to,
  paidBy,
})

/** The transaction that pays a fee by a step of its own, sent after the action. */
export const feePayment = ({ chainId, token, to, amount }: StatedFee): Transaction =>
  transfer({ chainId, token, to, amount: BigInt(amount) })

/** A strategy for a customer whose profits are charged. `fee` is a fraction, as rates are. */
export const withProfitFee = (strategy: Strategy, profit: readonly Charge[]): Strategy => {
  const bps = totalBps(profit)
  return bps === 0 ? strategy : { ...strategy, fee: String(bps / all), performanceFeeBps: String(bps) }
}

type StrategyService = Pick<
  Service,
  'recommend' | 'listStrategies' | 'analytics' | 'getStrategy' | 'getWallet'
>

/**
 * Adds this customer's profit fee to every strategy that a service returns. Without a fee the objects are
 * returned unchanged.
 */
export function withFees(context: EngineContext, service: StrategyService): StrategyService {
  /** Customers share the result, which may be large, so only charged customers get a copy. */
  const charged = async <value>(
    work: Promise<value>,
    on: (value: value, profit: readonly Charge[]) => value,
  ) => {
    const [value, { profit }] = await Promise.all([work, chargesOf(context)])
    return profit.length > 0 ? on(value, profit) : value
  }
  const each = (items: readonly Strategy[], profit: readonly Charge[]) =>
    items.map((one) => withProfitFee(one, profit))
  return {
    recommend: (input) =>
      charged(service.recommend(input), (value, profit) => ({
        ...value,
        strategy: withProfitFee(value.strategy, profit),
      })),
    listStrategies: (input) =>
      charged(
        service.listStrategies(input),
        (page, profit): Page<Strategy> => ({ ...page, items: each(page.items, profit) }),
      ),
    analytics: (input) =>
      charged(service.analytics(input), (value, profit) => ({
        ...value,
        topStrategies: each(value.topStrategies, profit),
      })),
    getStrategy: (input) => charged(service.getStrategy(input), withProfitFee),
    getWallet: (input) =>
      charged(service.getWallet(input), (wallet, profit) => ({
        ...wallet,
        positions: wallet.positions.map((one) => ({ ...one, strategy: withProfitFee(one.strategy, profit) })),
      })),
  }
}
