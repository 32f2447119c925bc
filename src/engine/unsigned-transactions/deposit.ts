import type { StrategyBytecodeInput } from '../../api/unsigned-transactions.ts'
import { read } from '../../chain/run-readings.ts'
import { formatAmount } from '../../domain/amount.ts'
import { AppError } from '../../domain/errors.ts'
import type { Step } from '../../protocols/call-with-allowance-type.ts'
import { maturityOf } from '../../protocols/catalog-operations.ts'
import type { Market, MarketState } from '../../protocols/market-adapter.ts'
import type { EngineContext } from '../engine-context-types.ts'
import { exchangeBounds } from './exchange-bounds.ts'

/** Refuses a deposit that a market does not take now: it is paused, full, or its remaining capacity is too small. */
export function requireDepositOpen({ entry }: Market, state: MarketState, amount: bigint) {
  if (state.headroom === 0n)
    throw new AppError(
      state.canDeposit ? 'STRATEGY_CAP_REACHED' : 'STRATEGY_PAUSED',
      `${entry.slug} accepts no deposits now`,
      { details: { action: 'lend' } },
    )
  const matured = !state.canDeposit && maturityOf(entry)
  if (matured)
    throw new AppError(
      'STRATEGY_PAUSED',
      `${entry.slug} accepts no deposits any more: it matured on ${matured}`,
      {
        details: { action: 'lend', maturity: matured },
      },
    )
  if (!state.canDeposit)
    throw new AppError(
      'STRATEGY_PAUSED',
      `${entry.slug} ${state.closed?.deposit ?? 'is paused: it accepts no deposits now'}`,
      { details: { action: 'lend' } },
    )
  if (state.headroom !== null && amount > state.headroom)
    throw new AppError(
      'STRATEGY_CAP_REACHED',
      `${entry.slug} accepts at most ${formatAmount(state.headroom, entry.asset)} more`,
      { details: { headroom: state.headroom.toString() } },
    )
}

/** Builds the deposit step of a market, with the protocol's current entry contract and the current bounds. */
export async function depositStep(
  context: EngineContext,
  market: Market,
  { amount, wallet, slippage }: StrategyBytecodeInput,
): Promise<Step> {
  const { entry, entrance, exchange } = market
  const bounds = await exchangeBounds(context, market, exchange?.into(amount), slippage)
  return market.deposit({
    amount,
    owner: wallet,
    ...(entrance && { entrance: await read(context.chain(entry.chainId), entrance) }),
    ...(bounds && { bounds }),
  })
}
