import type { Quote } from '../../api/quote.ts'
import { readHeader } from '../../chain/head.ts'
import { type AmountRequest, type Amounts, acceptedAmounts } from '../../domain/accepted-amounts.ts'
import type { Address } from '../../domain/address.ts'
import { type TokenAmount, tokenAmount } from '../../domain/amount.ts'
import { AppError } from '../../domain/errors.ts'
import { type Token, tokenAt } from '../../domain/token.ts'
import type { Transaction } from '../../domain/transaction-types.ts'
import type { ProposedLeg, ServiceProposal } from '../../planning/proposal.ts'
import { isPaidLater } from '../../planning/swap-payout-guarantees.ts'
import type { IntentOf } from '../../protocols/intent.ts'
import type { Cli } from '../command-run-types.ts'
import { statedFees } from './fees-in-response.ts'

/** The wallet and recipient of a swap, and the terms of its quote. */
export type SwapOrder = AmountRequest & {
  wallet: Address
  recipient: Address
  speed?: 'fast' | 'standard' | null | undefined
}

/** A swap as legs: the swap itself, and across chains, or where it is paid out later, the wait for its delivery. The chain's clock is read while the service is asked. */
export async function swapProposal(
  cli: Cli,
  quote: Quote,
  order: SwapOrder,
  making: Promise<readonly Transaction[]>,
): Promise<ServiceProposal> {
  const reading = swapIntent(cli, quote, order)
  reading.catch(() => undefined) // Awaited below: what the service says is told first.
  const transactions = await making
  const intent = await reading
  const across = quote.from.chainId !== quote.to.chainId
  const isLater = across || isPaidLater(intent)
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
    // The older shape may have none.
    id: quote.id === '' ? cli.program.newId() : quote.id,
    kind: 'swap',
    legs: isLater ? [swap, wait] : [swap],
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

/** The amounts and deadline that the transactions of a quote are checked against. */
export function promised(quote: Quote, asked: AmountRequest): Amounts & { deadline: string } {
  const { tokenIn, tokenOut, deadline } = quote
  if (deadline === null)
    throw new AppError('POLICY_MIN_OUT', 'The quote has no deadline, so its output cannot be checked')
  const shown = { ...quote, amountIn: tokenIn.amount, amountOut: tokenOut.amount }
  return { ...acceptedAmounts(shown, asked), deadline }
}

/** A quote as the intent that calldata is checked against, with the tokens of the local catalogue. */
export async function swapIntent(cli: Cli, quote: Quote, order: SwapOrder): Promise<IntentOf<'swap'>> {
  const { tokens } = await cli.backend.catalog()
  const { wallet, recipient, exact } = order
  const { amountIn, amountOut, deadline } = promised(quote, order)
  const token = (side: Quote['tokenIn']): Token => {
    const known = tokenAt(tokens, side.chainId, side.address)
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
        `${known.symbol} has ${known.decimals} decimals, but the quote says ${side.decimals}`,
      )
    return known
  }
  const tokenIn = token(quote.tokenIn)
  const fees = statedFees(quote.fees, tokenIn)
  return {
    kind: 'swap',
    wallet,
    provider: quote.provider,
    tokenIn,
    tokenOut: token(quote.tokenOut),
    exact,
    amountIn,
    amountOut,
    recipient,
    deadline: await deadlineOnChain(cli, quote.from.chainId, deadline),
    ...(fees.length > 0 && { fees }),
    ...(order.speed && { speed: order.speed }),
  }
}

/** The longest life of a swap transaction, in seconds, whatever the quote says. */
const longestLife = 300

/** A chain whose clock is further ahead than this, in seconds, has its own clock. */
const ownClock = 60

/**
 * The deadline by the clock of its chain, in Unix seconds, plus two for rounding. A clock that is far
 * ahead may not have advanced since the quote, so it gets the longest life.
 */
async function deadlineOnChain(
  { backend, program }: Cli,
  chainId: number,
  deadline: string,
): Promise<number> {
  const blocks = await Promise.all(
    ['latest', 'pending'].map((tag) =>
      readHeader((method, params) => backend.read(chainId, method, params), tag),
    ),
  )
  const times = blocks.map((block) => Number(block?.timestamp ?? 0))
  const now = Math.floor(program.now() / 1000)
  const time = Math.max(now, ...times)
  const left = Math.ceil((Date.parse(deadline) - program.now()) / 1000)
  const life = time - now > ownClock ? longestLife : Math.min(longestLife, left)
  return time + life + 2
}
