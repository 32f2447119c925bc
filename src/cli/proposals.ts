import type { StrategyBytecode } from '../api/bytecode.ts'
import type { Quote } from '../api/quote.ts'
import type { Strategy } from '../api/strategy.ts'
import { type Address, sameAddress } from '../domain/address.ts'
import { maxUint256, type TokenAmount, tokenAmount } from '../domain/amount.ts'
import type { Catalog, StrategyEntry } from '../domain/catalog.ts'
import { AppError } from '../domain/errors.ts'
import type { Intent } from '../domain/intent.ts'
import { type Token, tokenAt } from '../domain/token.ts'
import type { Transaction } from '../domain/transaction.ts'
import type { Proposal, ProposedLeg } from '../wallet/plan.ts'
import type { Cli } from './cli.ts'

type Proposed = Omit<Proposal, 'request' | 'wallet'>

/** The entry of our own catalogue for a strategy that a service names: what is not in it cannot be checked, so it is refused. */
function entryOf({ strategies }: Catalog, { slug, id, chainId }: Strategy): StrategyEntry {
  const found = strategies.find(
    (entry) => (entry.slug === slug || entry.id === id) && (chainId === null || entry.chainId === chainId),
  )
  if (found) return found
  throw new AppError(
    'POLICY_CONTRACT_NOT_ALLOWED',
    `${slug} is not in the catalogue of this version, so its contracts cannot be checked`,
  )
}

/** A deposit as legs: on one chain, or the bridge first and then the deposit of what it brings at least. */
export function depositProposal(
  catalog: Catalog,
  strategy: Strategy,
  amount: bigint,
  wallet: Address,
  made: StrategyBytecode,
): Proposed {
  const entry = entryOf(catalog, strategy)
  const about = {
    strategyId: entry.id,
    strategySlug: entry.slug,
    receiver: wallet,
    amounts: { in: tokenAmount(amount, entry.asset), out: null },
  }
  if (!made.crossChain.isCrossChain) {
    const leg = {
      chainId: entry.chainId,
      intent: { kind: 'deposit' as const, wallet, strategy: entry, amount },
      transactions: made.bytecode,
    }
    return {
      id: made.id,
      kind: 'deposit',
      legs: [leg],
      quoteId: null,
      expiresAt: null,
      about: { type: 'SAMECHAIN_INVESTMENT_DEPOSIT', ...about },
    }
  }
  const { quote } = made
  if (!quote || quote.minAmountOut === null)
    throw new AppError('SERVICE_BAD_RESPONSE', 'A deposit across chains came without the quote of its bridge')
  const on = (chainId: number) => made.bytecode.filter((transaction) => transaction.chainId === chainId)
  if (on(made.chainIdIn).length + on(entry.chainId).length !== made.bytecode.length)
    throw new AppError('POLICY_CHAIN', 'The deposit has transactions for a chain that was not asked for')
  const bridge = swapIntent(catalog, quote, { wallet, recipient: wallet, exact: 'in' })
  if (
    bridge.amountIn !== amount ||
    !sameAddress(bridge.tokenOut.address, entry.asset.address) ||
    bridge.tokenOut.chainId !== entry.chainId
  )
    throw new AppError('POLICY_QUOTE_DRIFT', 'The bridge quote is not for what was asked')
  const minimum = quote.minAmountOut
  return {
    id: made.id,
    kind: 'deposit',
    legs: [
      { chainId: made.chainIdIn, intent: bridge, transactions: on(made.chainIdIn) },
      {
        chainId: entry.chainId,
        intent: { kind: 'deposit', wallet, strategy: entry, amount: minimum },
        transactions: on(entry.chainId),
        arrival: { token: entry.asset.address, minimum, recipient: wallet },
      },
    ],
    quoteId: quote.id,
    expiresAt: quote.deadline,
    about: { type: 'CROSSCHAIN_INVESTMENT_DEPOSIT', ...about },
  }
}

/** A withdrawal as one leg. For all of it, the shares are read from the receipt token by ourselves, not taken from the service. */
export async function withdrawProposal(
  cli: Cli,
  strategy: Strategy,
  amount: bigint,
  wallet: Address,
  made: StrategyBytecode,
): Promise<Proposed> {
  const entry = entryOf(await cli.place.catalog(), strategy)
  const isAll = amount === maxUint256
  const shares = isAll ? await balanceOf(cli, entry.receipt, wallet) : undefined
  const intent: Intent = {
    kind: 'withdraw',
    wallet,
    strategy: entry,
    amount,
    ...(shares !== undefined && { shares }),
  }
  return {
    id: made.id,
    kind: 'withdraw',
    legs: [{ chainId: entry.chainId, intent, transactions: made.bytecode }],
    quoteId: null,
    expiresAt: null,
    about: {
      type: 'SAMECHAIN_INVESTMENT_WITHDRAW',
      strategyId: entry.id,
      strategySlug: entry.slug,
      receiver: wallet,
      amounts: { in: null, out: isAll ? null : tokenAmount(amount, entry.asset) },
    },
  }
}

/** A balance by a raw call: `balanceOf(address)` is selector 0x70a08231. */
async function balanceOf({ place }: Cli, token: Token, owner: Address): Promise<bigint> {
  const data = `0x70a08231${owner.slice(2).toLowerCase().padStart(64, '0')}`
  const answer = await place.read(token.chainId, 'eth_call', [{ to: token.address, data }, 'latest'])
  if (typeof answer !== 'string' || !/^0x[0-9a-f]{64}$/.test(answer))
    throw new AppError('RPC_INCONSISTENT', `The node gives no balance of ${token.symbol}`)
  return BigInt(answer)
}

/** A swap as legs: the swap itself, and on another chain the wait for what it brings. */
export function swapProposal(
  catalog: Catalog,
  quote: Quote,
  order: { wallet: Address; recipient: Address; exact: 'in' | 'out' },
  transactions: readonly Transaction[],
): Proposed {
  const intent = swapIntent(catalog, quote, order)
  const across = quote.from.chainId !== quote.to.chainId
  const amounts: { in: TokenAmount; out: TokenAmount } = {
    in: tokenAmount(quote.tokenIn.amount, intent.tokenIn),
    out: tokenAmount(quote.tokenOut.amount, intent.tokenOut),
  }
  const swap: ProposedLeg = { chainId: quote.from.chainId, intent, transactions }
  const wait: ProposedLeg = {
    chainId: quote.to.chainId,
    intent: null,
    transactions: [],
    arrival: { token: intent.tokenOut.address, minimum: intent.amountOut, recipient: order.recipient },
  }
  return {
    id: quote.id,
    kind: 'swap',
    legs: across ? [swap, wait] : [swap],
    quoteId: quote.id,
    expiresAt: quote.deadline,
    about: {
      type: across ? 'CROSSCHAIN_SWAP' : 'SAMECHAIN_SWAP',
      strategyId: null,
      strategySlug: null,
      receiver: order.recipient,
      amounts,
    },
  }
}

/** What a quote promises, as the intent that calldata is bound to. Tokens are those of our own catalogue. */
function swapIntent(
  catalog: Catalog,
  quote: Quote,
  { wallet, recipient, exact }: { wallet: Address; recipient: Address; exact: 'in' | 'out' },
): Extract<Intent, { kind: 'swap' }> {
  if (quote.minAmountOut === null || quote.deadline === null)
    throw new AppError(
      'POLICY_MIN_OUT',
      'The quote names no minimum or no deadline, so what it brings cannot be checked',
    )
  const token = (side: Quote['tokenIn']): Token => {
    const known = tokenAt(catalog.tokens, side.chainId, side.address)
    if (!known)
      return {
        chainId: side.chainId,
        address: side.address,
        symbol: side.symbol,
        decimals: side.decimals,
        name: side.symbol,
      }
    if (known.decimals !== side.decimals)
      throw new AppError(
        'POLICY_TOKEN_METADATA',
        `${known.symbol} has ${known.decimals} decimals, and the quote says ${side.decimals}`,
      )
    return known
  }
  return {
    kind: 'swap',
    wallet,
    provider: quote.provider,
    tokenIn: token(quote.tokenIn),
    tokenOut: token(quote.tokenOut),
    exact,
    amountIn: exact === 'in' ? quote.tokenIn.amount : (quote.maxAmountIn ?? quote.tokenIn.amount),
    amountOut: quote.minAmountOut,
    recipient,
    deadline: Math.floor(Date.parse(quote.deadline) / 1000),
  }
}
