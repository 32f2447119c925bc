import type { StrategyBytecodeInput } from '../../api/unsigned-transactions.ts'
import { ask, askRounds } from '../../chain/ask.ts'
import type { Address } from '../../domain/address.ts'
import { formatAmount, maxUint256 } from '../../domain/amount.ts'
import { AppError } from '../../domain/errors.ts'
import { sluice } from '../../domain/text/next-step.ts'
import type { StrategyEntry } from '../../protocols/catalog-types.ts'
import type { CallWithAllowance, Market, MarketState } from '../../protocols/market-adapter.ts'
import type { EngineContext } from '../engine.ts'
import { contractUnansweredError, readHoldings, type StakedShares } from '../positions/market-holdings.ts'
import { exchangeBounds } from './exchange-bounds.ts'

/** Builds the withdrawal step of a market, for a part of the position or all of it, and returns the amount it pays out. */
export async function withdrawalStep(
  context: EngineContext,
  market: Market,
  reading: Promise<MarketState>,
  { amount, wallet, slippage }: StrategyBytecodeInput,
): Promise<{ step: CallWithAllowance; out: bigint }> {
  const { entry } = market
  const chain = context.chain(entry.chainId)
  const asked = {
    held: readHoldings(chain, [market], wallet),
    most: market.mostOut ? askRounds(chain, [market.mostOut(wallet)]) : null,
    units: amount === maxUint256 ? undefined : receiptUnitsFor(context, market, amount),
  }
  // Each is awaited below, in the order in which errors are reported.
  for (const one of Object.values(asked)) one?.catch(() => undefined)
  const state = await reading
  if (!state.canWithdraw)
    throw new AppError(
      'STRATEGY_PAUSED',
      `${entry.slug} ${state.closed?.withdraw ?? 'is paused: nothing can be withdrawn now'}`,
      { details: { action: 'withdraw' } },
    )
  const [held] = await asked.held
  if (!held) throw new AppError('INSUFFICIENT_FUNDS', `${wallet} holds nothing in ${entry.slug}`)
  const { staked } = held
  if (held.shares === null || held.balance === null)
    throw contractUnansweredError(entry, `the position of ${wallet}`)
  // What is staked cannot be withdrawn.
  const shares = held.shares - (staked?.shares ?? 0n)
  const balance = held.balance - (staked?.amount ?? 0n)
  const wanted = amount === maxUint256 ? balance : amount
  if (staked && (shares === 0n || wanted > balance)) throw stakedError(entry, wallet, balance, staked)
  if (wanted > balance)
    throw new AppError(
      'INSUFFICIENT_FUNDS',
      `${wallet} holds ${formatAmount(balance, entry.asset)} in ${entry.slug}, less than the requested ${formatAmount(wanted, entry.asset)}`,
      { next: sluice('withdraw', entry.slug, { '--amount': 'max' }) },
    )
  const [most] = (await asked.most) ?? [state.liquidity]
  const liquidity = most ?? null
  // A vault may pay out a unit less than the whole position because of rounding; for a part it pays exactly what it states.
  const rounding = market.mostOut && amount === maxUint256 ? 2n : 0n
  if (liquidity !== null && wanted > liquidity + rounding)
    throw new AppError(
      'INSUFFICIENT_LIQUIDITY',
      `${entry.slug} can pay out ${formatAmount(liquidity, entry.asset)} now`,
      { details: { liquidity: liquidity.toString() } },
    )
  const units = await asked.units
  const bounds = await exchangeBounds(context, market, market.exchange?.outOf(units ?? shares), slippage)
  const more = bounds && { bounds }
  const step =
    amount === maxUint256
      ? market.withdrawAll({ owner: wallet, shares, ...more })
      : market.withdraw({ amount, owner: wallet, ...(units !== undefined && { units }), ...more })
  return { step, out: wanted }
}

/** INSUFFICIENT_FUNDS: the shares that are not staked do not suffice. */
const stakedError = (
  { slug, asset, receipt }: StrategyEntry,
  wallet: Address,
  free: bigint,
  { at, shares, amount }: StakedShares,
): AppError =>
  new AppError(
    'INSUFFICIENT_FUNDS',
    `${wallet} can withdraw ${formatAmount(free, asset)} from ${slug} now: ${formatAmount(shares, receipt)} are staked at ${at}; unstake them there first`,
    { details: { staked: { at, shares: shares.toString(), amount: amount.toString() } } },
  )

/** The cost of an amount in units of the receipt, for markets that redeem receipts. */
async function receiptUnitsFor(
  { chain }: EngineContext,
  { entry, units }: Market,
  amount: bigint,
): Promise<bigint | undefined> {
  if (!units) return undefined
  const said = await ask(chain(entry.chainId), units(amount))
  if (said === undefined)
    throw contractUnansweredError(entry, `the cost of ${formatAmount(amount, entry.asset)}`)
  return said
}
