import type { StrategyBytecode, StrategyBytecodeInput } from '../api/bytecode.ts'
import { sameAddress } from '../domain/address.ts'
import { maxUint256, tokenAmount } from '../domain/amount.ts'
import { AppError } from '../domain/errors.ts'
import type { Network } from '../domain/network.ts'
import type { Transaction } from '../domain/transaction.ts'
import { track } from './actions/track.ts'
import { kindsOf, withApprovals } from './approvals.ts'
import { type Context, endNamed, marketNamed, networkOf } from './context.ts'
import type { Market, MarketState, Step } from './markets/market.ts'
import { mayDeposit } from './may-deposit.ts'
import { claimStep, waitOf } from './queued.ts'
import { quoteFor } from './quotes.ts'
import { refuseLost } from './refuse-lost.ts'
import { stepIn } from './step-in.ts'
import { offerOf, providerNamed, quoteRow, routeOf } from './stored-quote.ts'
import { standings } from './strategies.ts'
import { withdrawal } from './withdrawal.ts'
import { type WithdrawalFee, withdrawalFee } from './withdrawal-fee.ts'

/** The ordered transactions of a deposit or a withdrawal, tracked under the id that comes with them. */
export async function strategyBytecode(
  context: Context,
  input: StrategyBytecodeInput,
): Promise<StrategyBytecode> {
  const market = marketNamed(context, input.id)
  if (input.amount === 0n)
    throw new AppError('VALIDATION_ERROR', 'The amount must be above zero', {
      details: { errors: [{ path: 'amount', message: 'must be above zero' }] },
    })
  refuseLost(context, market.entry.chainId, input.wallet, 'wallet')
  if (input.action === 'claim') return claimed(context, input, market)
  const [standing] = await standings(context, [market])
  if (!standing?.state)
    throw new AppError('BYTECODE_GENERATION_FAILED', `The contracts of ${market.entry.slug} do not answer`)
  const home = networkOf(context, market.entry)
  const origin = input.from === undefined ? home : endNamed(context, input.from)
  if (input.action === 'withdraw') {
    const { step, out } = await withdrawal(context, market, standing.state, input)
    return sameChain(context, input, market, step, await withdrawalFee(context, market, input.wallet, out))
  }
  if (origin.chainId !== home.chainId) return crossChain(context, input, market, standing.state, origin, home)
  mayDeposit(market, standing.state, input.amount)
  return sameChain(context, input, market, await stepIn(context, market, input))
}

/** All that can be claimed; what is asked for is always all of it. */
async function claimed(
  context: Context,
  input: StrategyBytecodeInput,
  market: Market,
): Promise<StrategyBytecode> {
  if (input.amount !== maxUint256)
    throw new AppError('VALIDATION_ERROR', 'A claim takes all that there is: its amount is 2^256 - 1', {
      details: { errors: [{ path: 'amount', message: 'its amount is 2^256 - 1' }] },
    })
  const { transaction, amount } = await claimStep(context, market, input.wallet)
  return finished(context, { ...input, amount }, market, {
    type: 'SAMECHAIN_INVESTMENT_CLAIM',
    bytecode: [transaction],
    kinds: ['claim'],
    chainIdIn: market.entry.chainId,
    quote: null,
    queued: null,
  })
}

async function sameChain(
  context: Context,
  input: StrategyBytecodeInput,
  market: Market,
  step: Step,
  fee?: WithdrawalFee,
): Promise<StrategyBytecode> {
  const { chainId } = market.entry
  const payments = fee?.payments ?? []
  const bytecode = await withApprovals(context.chain(chainId), input.wallet, step)
  const isDeposit = input.action === 'lend'
  const seconds = isDeposit ? undefined : await waitOf(context, market, input.wallet)
  return finished(context, input, market, {
    type: isDeposit ? 'SAMECHAIN_INVESTMENT_DEPOSIT' : 'SAMECHAIN_INVESTMENT_WITHDRAW',
    bytecode: [...bytecode, ...payments],
    kinds: [...kindsOf(bytecode, isDeposit ? 'deposit' : 'withdraw'), ...payments.map(() => 'fee')],
    ...(fee && { fee }),
    chainIdIn: chainId,
    quote: null,
    queued: seconds === undefined ? null : { seconds },
  })
}

/** A deposit whose funds are on another chain: the bridge first, then the deposit of what the bridge brings at least. Deposits are not charged. */
async function crossChain(
  context: Context,
  input: StrategyBytecodeInput,
  market: Market,
  state: MarketState,
  from: Network,
  to: Network,
): Promise<StrategyBytecode> {
  const { asset } = market.entry
  const bridges = context.catalog.cctpV2
  const [here, there] = [
    bridges.find(({ chainId }) => chainId === from.chainId),
    bridges.find(({ chainId }) => chainId === to.chainId),
  ]
  if (market.exchange)
    throw new AppError(
      'NO_ROUTE_FOUND',
      `${market.entry.slug} is bought at a price that moves, and a bridge takes a while: bring ${asset.symbol} to ${to.name} first`,
    )
  if (!here || !there || !sameAddress(there.token, asset.address))
    throw new AppError('NO_ROUTE_FOUND', `No bridge brings ${asset.symbol} from ${from.name} to ${to.name}`)
  const quote = await quoteFor(
    context,
    {
      chainIdIn: from.chainId,
      chainIdOut: to.chainId,
      tokenIn: here.token,
      tokenOut: there.token,
      amountIn: input.amount,
      destinationAddress: input.wallet,
    },
    null,
  )
  const row = await quoteRow(context, quote.id)
  const offer = offerOf(row!)
  mayDeposit(market, state, offer.minAmountOut)
  const burn = providerNamed(context, quote.provider).build(routeOf(context, row!), offer, {
    wallet: input.wallet,
    recipient: input.wallet,
    deadline: Math.floor(row!.expiresAt / 1000),
  })
  const away = await withApprovals(context.chain(from.chainId), input.wallet, burn)
  const home = await withApprovals(
    context.chain(to.chainId),
    input.wallet,
    market.deposit({ amount: offer.minAmountOut, owner: input.wallet }),
  )
  return finished(context, input, market, {
    type: 'CROSSCHAIN_INVESTMENT_DEPOSIT',
    bytecode: [...away, ...home],
    kinds: [...kindsOf(away, 'bridge'), ...kindsOf(home, 'deposit')],
    chainIdIn: from.chainId,
    quote,
    queued: null,
  })
}

type Made = {
  type: string
  bytecode: Transaction[]
  kinds: string[]
  chainIdIn: number
  fee?: WithdrawalFee
} & Pick<StrategyBytecode, 'quote' | 'queued'>

async function finished(
  context: Context,
  { wallet, amount, action }: StrategyBytecodeInput,
  { entry }: Market,
  made: Made,
): Promise<StrategyBytecode> {
  const id = context.newId()
  // A request moves nothing yet.
  const moved = amount === maxUint256 || made.queued ? null : tokenAmount(amount, entry.asset)
  await track(context, {
    id,
    type: made.type,
    strategyId: entry.id,
    strategySlug: entry.slug,
    quoteId: made.quote?.id ?? null,
    wallet,
    receiver: wallet,
    amounts: action === 'lend' ? { in: moved, out: null } : { in: null, out: moved },
    transactions: made.bytecode,
    kinds: made.kinds,
  })
  return {
    id,
    feeCharged: String(made.fee?.charged ?? 0n),
    fees: made.fee?.fees ?? [],
    chainIdIn: made.chainIdIn,
    chainIdOut: entry.chainId,
    crossChain: {
      isCrossChain: made.chainIdIn !== entry.chainId,
      chainIdIn: made.chainIdIn,
      chainIdOut: entry.chainId,
    },
    quote: made.quote,
    queued: made.queued,
    bytecode: made.bytecode,
  }
}
