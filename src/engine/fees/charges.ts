import type { Page } from '../../api/page.ts'
import type { Service } from '../../api/service.ts'
import type { Strategy } from '../../api/strategy.ts'
import { transfer } from '../../chain/erc20.ts'
import { type Address, sameAddress } from '../../domain/address.ts'
import { allBps as all } from '../../domain/basis-points.ts'
import type { Token } from '../../domain/token.ts'
import type { Transaction } from '../../domain/transaction.ts'
import type { EngineContext } from '../context.ts'
import { customerFees } from './customer-fees.ts'

/** What is charged of something for the operator of the service or for the customer, in basis points, and who collects it. */
export type Charge = { bps: number; to: Address; by: 'operator' | 'customer' }

/** What swaps and profits are charged for this customer: the operator's fee and the customer's markup, one charge where both have one collector. Without a collector there is none. */
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

/** What charges are together, in basis points. */
const totalBps = (charges: readonly Charge[]): number => charges.reduce((sum, { bps }) => sum + bps, 0)

/** What each charge is of an amount, rounded down. */
export const chargesWithin = (amount: bigint, charges: readonly Charge[]): bigint[] =>
  charges.map(({ bps }) => (amount * BigInt(bps)) / BigInt(all))

/** What each is charged beside an amount, so that it is that share of all together; `undefined` where they would be all. */
export const chargesOnTop = (amount: bigint, charges: readonly Charge[]): bigint[] | undefined => {
  const rest = all - totalBps(charges)
  return rest === 0 ? undefined : charges.map(({ bps }) => (amount * BigInt(bps)) / BigInt(rest))
}

/** A fee that is paid by a transaction of its own, as it is said to the client: amounts as text, `of` is what it is charged of; `markup` is the customer's part. */
export type StatedFee = {
  kind: 'service' | 'performance' | 'markup'
  bps: number
  token: Address
  chainId: number
  amount: string
  of: string
  to: Address
}

/** Says a fee: of the operator it is of this kind. */
export const statedFee = (
  kind: StatedFee['kind'],
  { bps, to, by }: Charge,
  { address: token, chainId }: Pick<Token, 'address' | 'chainId'>,
  amount: bigint,
  of: bigint,
): StatedFee => ({
  kind: by === 'customer' ? 'markup' : kind,
  bps,
  token,
  chainId,
  amount: String(amount),
  of: String(of),
  to,
})

/** The transaction that pays a fee, behind the action. */
export const feePayment = ({ chainId, token, to, amount }: StatedFee): Transaction =>
  transfer({ chainId, token, to, amount: BigInt(amount) })

/** A strategy as it is for a customer whose profits are charged: `fee` is a fraction, as rates are. */
export const withProfitFee = (strategy: Strategy, profit: readonly Charge[]): Strategy => {
  const bps = totalBps(profit)
  return bps === 0 ? strategy : { ...strategy, fee: String(bps / all), performanceFeeBps: String(bps) }
}

type StrategyService = Pick<
  Service,
  'recommend' | 'listStrategies' | 'analytics' | 'getStrategy' | 'getWallet'
>

/** Strategies with what this customer is charged of their profits, wherever they are shown. Where nothing is, they are the objects that they were. */
export function withFees(context: EngineContext, service: StrategyService): StrategyService {
  /** What was read is shared by many customers and may be a great deal: it is written anew only for those who charge. */
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
