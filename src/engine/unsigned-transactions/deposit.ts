import type { StrategyBytecodeInput } from '../../api/unsigned-transactions.ts'
import { ask, askRounds } from '../../chain/ask.ts'
import type { Address } from '../../domain/address.ts'
import { formatAmount } from '../../domain/amount.ts'
import { AppError } from '../../domain/errors.ts'
import { maturityOf } from '../../protocols/catalog-operations.ts'
import type { CallWithAllowance, Market, MarketState } from '../../protocols/market-adapter.ts'
import type { EngineContext } from '../engine.ts'
import { exchangeBounds } from './exchange-bounds.ts'

/** The state of a market with the room that it states for this wallet, which may be more or less than for others. */
export async function stateFor(
  context: EngineContext,
  { entry, mostIn }: Market,
  wallet: Address,
  reading: Promise<MarketState>,
): Promise<MarketState> {
  const asking = mostIn && askRounds(context.chain(entry.chainId), [mostIn(wallet)])
  asking?.catch(() => undefined) // Awaited below, because a market that does not answer is reported first.
  const state = await reading
  const [room] = (await asking) ?? [null]
  if (room === null || room === undefined) return state
  const headroom = room >= 2n ** 255n ? null : room
  // A vault that states no room for others may have some for this wallet.
  return { ...state, headroom, canDeposit: state.canDeposit || (room > 0n && state.headroom === 0n) }
}

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
): Promise<CallWithAllowance> {
  const { entry, entrance, exchange } = market
  const bounds = await exchangeBounds(context, market, exchange?.into(amount), slippage)
  return market.deposit({
    amount,
    owner: wallet,
    ...(entrance && { entrance: await ask(context.chain(entry.chainId), entrance) }),
    ...(bounds && { bounds }),
  })
}
