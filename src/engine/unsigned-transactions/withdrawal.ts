import type { StrategyBytecodeInput } from '../../api/unsigned-transactions.ts'
import { read } from '../../chain/contract-reads.ts'
import { type Address, sameAddress } from '../../domain/address.ts'
import { formatAmount, maxUint256 } from '../../domain/amount.ts'
import { AppError } from '../../domain/errors.ts'
import type { Transaction } from '../../domain/transaction.ts'
import type { Market, MarketState } from '../../protocols/market-adapter.ts'
import type { Step } from '../../protocols/step.ts'
import type { EngineContext } from '../context.ts'
import {
  chargesOf,
  chargesWithin,
  feePayment,
  type StatedFee,
  statedFee,
} from '../fees/service-fee-charges.ts'
import { contractSilent, readHoldings } from '../positions/market-holdings.ts'
import { readPrincipal } from '../positions/principal.ts'
import { exchangeBounds } from './deposit.ts'

/** Builds the withdrawal step of a market, for a part of the position or all of it, and returns the amount it pays out. */
export async function withdrawalStep(
  context: EngineContext,
  market: Market,
  reading: Promise<MarketState>,
  { amount, wallet, slippage }: StrategyBytecodeInput,
): Promise<{ step: Step; out: bigint }> {
  const { entry } = market
  const chain = context.chain(entry.chainId)
  const asked = {
    held: readHoldings(chain, [market], wallet),
    most: market.mostOut ? read(chain, market.mostOut(wallet)) : null,
    units: amount === maxUint256 ? undefined : receiptUnitsFor(context, market, amount),
  }
  // Each is awaited in the order in which a fault is told.
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
  const { shares, balance } = held
  if (shares === null || balance === null) throw contractSilent(entry, `the position of ${wallet}`)
  const wanted = amount === maxUint256 ? balance : amount
  if (wanted > balance)
    throw new AppError(
      'INSUFFICIENT_FUNDS',
      `${wallet} holds ${formatAmount(balance, entry.asset)} in ${entry.slug}, less than the requested ${formatAmount(wanted, entry.asset)}`,
      { hint: `sluice withdraw ${entry.slug} --amount max` },
    )
  const liquidity = asked.most ? await asked.most : state.liquidity
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

/** The cost of an amount in units of the receipt, for markets that redeem receipts. */
async function receiptUnitsFor(
  { chain }: EngineContext,
  { entry, units }: Market,
  amount: bigint,
): Promise<bigint | undefined> {
  if (!units) return undefined
  const said = await read(chain(entry.chainId), units(amount))
  if (said === undefined) throw contractSilent(entry, `the cost of ${formatAmount(amount, entry.asset)}`)
  return said
}

/** A fee that is not charged, with the reason. */
type UnchargedFee = Omit<StatedFee, 'to' | 'paidBy'> & { to: null; note: string }

/** The fees of a withdrawal, and the transactions that pay them. */
export type WithdrawalFee = { fees: (StatedFee | UnchargedFee)[]; payments: Transaction[]; charged: bigint }

const noFee: WithdrawalFee = { fees: [], payments: [], charged: 0n }

/**
 * The fees on a withdrawal of `amount`: a share of its profit, which is the amount above the principal still
 * in the market. So the principal is withdrawn first, and no profit is charged twice. If the principal is
 * unknown, nothing is charged, and a note says so. Queued withdrawals pay nothing yet and are not charged,
 * and a collector is not charged on its own withdrawals.
 */
export async function withdrawalFeeOf(
  context: EngineContext,
  market: Market,
  wallet: Address,
  amount: bigint,
): Promise<WithdrawalFee> {
  const { profit: all } = await chargesOf(context)
  const charges = all.filter(({ to }) => !sameAddress(to, wallet))
  if (charges.length === 0 || market.queue) return noFee
  const { asset } = market.entry
  const principal = await readPrincipal(context, market, wallet)
  if (principal === null) {
    const note = 'The profit is unknown, so nothing is charged.'
    const uncharged = charges.map((charge) => statedFee('performance', charge, asset, 0n, amount))
    return { ...noFee, fees: uncharged.map(({ paidBy: _, ...fee }) => ({ ...fee, to: null, note })) }
  }
  const profit = amount > principal ? amount - principal : 0n
  const shares = chargesWithin(profit, charges)
  const charged = shares.reduce((sum, share) => sum + share, 0n)
  if (charged >= amount) return noFee
  const fees = charges.flatMap((charge, at) =>
    shares[at]! > 0n ? [statedFee('performance', charge, asset, shares[at]!, amount)] : [],
  )
  return { fees, payments: fees.map(feePayment), charged }
}
