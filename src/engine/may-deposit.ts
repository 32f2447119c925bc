import { formatAmount } from '../domain/amount.ts'
import { AppError } from '../domain/errors.ts'
import { maturityOf } from '../domain/maturity.ts'
import type { Market, MarketState } from './markets/market.ts'

/** Refuses a deposit that a market does not take now: it is paused, full, or has less room than that. */
export function mayDeposit({ entry }: Market, state: MarketState, amount: bigint) {
  if (state.headroom === 0n)
    throw new AppError(
      state.canDeposit ? 'STRATEGY_CAP_REACHED' : 'STRATEGY_PAUSED',
      `${entry.slug} takes no deposits now`,
      { details: { action: 'lend' } },
    )
  const matured = !state.canDeposit && maturityOf(entry)
  if (matured)
    throw new AppError(
      'STRATEGY_PAUSED',
      `${entry.slug} takes no deposits any more: it matured on ${matured}`,
      {
        details: { action: 'lend', maturity: matured },
      },
    )
  if (!state.canDeposit)
    throw new AppError(
      'STRATEGY_PAUSED',
      `${entry.slug} ${state.closed?.deposit ?? 'is paused: it takes no deposits now'}`,
      { details: { action: 'lend' } },
    )
  if (state.headroom !== null && amount > state.headroom)
    throw new AppError(
      'STRATEGY_CAP_REACHED',
      `${entry.slug} takes at most ${formatAmount(state.headroom, entry.asset)} more`,
      { details: { headroom: state.headroom.toString() } },
    )
}
