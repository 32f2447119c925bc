import type { StrategyBytecode, StrategyBytecodeInput } from '../../api/unsigned-transactions.ts'
import { maxUint256, type TokenAmount, tokenAmount } from '../../domain/amount.ts'
import { AppError } from '../../domain/errors.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import type { Market, MarketState } from '../../protocols/market-adapter.ts'
import { readSearchStarts, type SearchStarts, trackOperation } from '../actions/issued-actions.ts'
import { marketNamed, networkOf, routeNetworkNamed } from '../catalog-lookups.ts'
import type { EngineContext } from '../engine.ts'
import { fieldError } from '../field-error.ts'
import { claimStep, withdrawalWait } from '../positions/queued-withdrawals.ts'
import { refuseUnrecoverable } from '../quotes/recipient-check.ts'
import { readMarkets } from '../strategies/market-state.ts'
import { kindsOf, withApprovals } from './approvals.ts'
import { crossChainDeposit } from './cross-chain-deposit.ts'
import { depositStep, requireDepositOpen, stateFor } from './deposit.ts'
import { requireValidSlippage } from './exchange-bounds.ts'
import { withdrawalStep } from './withdrawal.ts'
import { type WithdrawalFee, withdrawalFeeOf } from './withdrawal-fee.ts'

/** Builds the ordered transactions of a deposit, withdrawal or claim, and tracks them under the returned id. */
export async function strategyBytecode(
  context: EngineContext,
  input: StrategyBytecodeInput,
): Promise<StrategyBytecode> {
  const market = marketNamed(context, input.id)
  if (input.amount === 0n)
    throw fieldError('amount', 'must be above zero', { text: 'The amount must be above zero' })
  refuseUnrecoverable(context, market.entry.chainId, input.wallet, 'wallet')
  if (input.slippage !== undefined) requireValidSlippage(input.slippage)
  const home = networkOf(context, market.entry)
  const origin = input.from === undefined ? home : routeNetworkNamed(context, input.from)
  if (input.action !== 'lend' && origin.chainId !== home.chainId)
    throw fieldError('from', `is not ${home.name}, where this strategy is`, {
      text: `from: ${market.entry.slug} is on ${home.name}, so a withdrawal starts there`,
    })
  // Independent reads run in parallel.
  const starts = readSearchStarts(context, input.wallet, [origin.chainId, home.chainId])
  if (input.action === 'claim') return claimBytecode(context, input, market, starts)
  const reading = currentState(context, market)
  if (input.action === 'withdraw') {
    const { step, out } = await withdrawalStep(context, market, reading, input)
    const [bytecode, fee] = await Promise.all([
      withApprovals(context.chain(home.chainId), input.wallet, step),
      withdrawalFeeOf(context, market, input.wallet, out),
    ])
    return sameChainBytecode(context, input, market, { bytecode, starts, fee })
  }
  const open = stateFor(context, market, input.wallet, reading)
  if (origin.chainId !== home.chainId) {
    const { row, ...prepared } = await crossChainDeposit(context, input, market, await open, origin, home)
    const answer = await trackedBytecode(context, input, market, { ...prepared, starts })
    // The quote is stored only now: if a check fails, no client has received it.
    await context.store.saveQuote(row)
    return answer
  }
  const making = depositStep(context, market, input).then((step) =>
    withApprovals(context.chain(home.chainId), input.wallet, step, market.entry.asset),
  )
  making.catch(() => undefined) // Awaited below, because a closed market is reported first.
  requireDepositOpen(market, await open, input.amount)
  return sameChainBytecode(context, input, market, { bytecode: await making, starts })
}

/** Reads the current state of a market; BYTECODE_GENERATION_FAILED if its contracts do not answer. */
async function currentState(context: EngineContext, market: Market): Promise<MarketState> {
  const [current] = await readMarkets(context, [market])
  if (current?.state) return current.state
  throw new AppError('BYTECODE_GENERATION_FAILED', `The contracts of ${market.entry.slug} do not answer`)
}

/** Claims everything claimable, or takes back the shares of lapsed requests. A claim always takes the whole amount. */
async function claimBytecode(
  context: EngineContext,
  input: StrategyBytecodeInput,
  market: Market,
  starts: Promise<SearchStarts>,
): Promise<StrategyBytecode> {
  if (input.amount !== maxUint256)
    throw fieldError('amount', 'must be 2^256 - 1', {
      text: 'A claim always takes everything: its amount must be 2^256 - 1',
    })
  const { transaction, out } = await claimStep(context, market, input.wallet)
  return trackedBytecode(context, input, market, {
    starts,
    out,
    type: 'SAMECHAIN_INVESTMENT_CLAIM',
    bytecode: [transaction],
    kinds: ['claim'],
    chainIdIn: market.entry.chainId,
    quote: null,
    queued: null,
  })
}

async function sameChainBytecode(
  context: EngineContext,
  input: StrategyBytecodeInput,
  market: Market,
  { bytecode, starts, fee }: { bytecode: Transaction[]; starts: Promise<SearchStarts>; fee?: WithdrawalFee },
): Promise<StrategyBytecode> {
  const { chainId } = market.entry
  const payments = fee?.payments ?? []
  const isDeposit = input.action === 'lend'
  const seconds = isDeposit ? undefined : await withdrawalWait(context, market, input.wallet)
  return trackedBytecode(context, input, market, {
    starts,
    type: isDeposit ? 'SAMECHAIN_INVESTMENT_DEPOSIT' : 'SAMECHAIN_INVESTMENT_WITHDRAW',
    bytecode: [...bytecode, ...payments],
    kinds: [...kindsOf(bytecode, isDeposit ? 'deposit' : 'withdraw'), ...payments.map(() => 'fee')],
    ...(fee && { fee }),
    chainIdIn: chainId,
    quote: null,
    queued: seconds === undefined ? null : { seconds },
  })
}

type PreparedBytecode = {
  type: string
  bytecode: Transaction[]
  kinds: string[]
  chainIdIn: number
  starts: Promise<SearchStarts>
  fee?: WithdrawalFee
  /** The amount paid out, if it differs from the requested amount. */
  out?: TokenAmount
} & Pick<StrategyBytecode, 'quote' | 'queued'>

async function trackedBytecode(
  context: EngineContext,
  { wallet, amount, action }: StrategyBytecodeInput,
  { entry }: Market,
  prepared: PreparedBytecode,
): Promise<StrategyBytecode> {
  const id = context.newId()
  // Queueing a withdrawal moves no funds yet.
  const asked = amount === maxUint256 || prepared.queued ? null : tokenAmount(amount, entry.asset)
  const moved = prepared.out ?? asked
  await trackOperation(context, {
    id,
    type: prepared.type,
    strategyId: entry.id,
    strategySlug: entry.slug,
    quoteId: prepared.quote?.id ?? null,
    wallet,
    receiver: wallet,
    amounts: action === 'lend' ? { in: moved, out: null } : { in: null, out: moved },
    transactions: prepared.bytecode,
    kinds: prepared.kinds,
    starts: prepared.starts,
  })
  return {
    id,
    feeCharged: String(prepared.fee?.charged ?? 0n),
    fees: prepared.fee?.fees ?? [],
    chainIdIn: prepared.chainIdIn,
    chainIdOut: entry.chainId,
    crossChain: {
      isCrossChain: prepared.chainIdIn !== entry.chainId,
      chainIdIn: prepared.chainIdIn,
      chainIdOut: entry.chainId,
    },
    quote: prepared.quote,
    queued: prepared.queued,
    bytecode: prepared.bytecode,
  }
}
