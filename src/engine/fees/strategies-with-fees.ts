import type { Page } from '../../api/page.ts'
import type { Service } from '../../api/service.ts'
import type { Strategy } from '../../api/strategy.ts'
import type { EngineContext } from '../context.ts'
import { type Charge, chargesOf, withProfitFee } from './charges.ts'

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
