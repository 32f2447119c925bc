import type { StrategyBytecode } from '../../api/bytecode.ts'
import { type Address, sameAddress } from '../../domain/address.ts'
import { formatAmount } from '../../domain/amount.ts'
import { AppError } from '../../domain/errors.ts'
import type { ProposedLeg } from '../../planning/proposal.ts'
import type { StrategyEntry } from '../../protocols/catalog.ts'
import { depositedAmount } from '../../transactions/outcome/received-amount.ts'
import type { Cli } from '../cli.ts'
import { swapIntent } from './swap-proposal.ts'

/** A deposit from another chain as legs: the bridge first, and then the deposit of what it brings at least. */
export async function legsAcross(
  cli: Cli,
  entry: StrategyEntry,
  amount: bigint,
  wallet: Address,
  made: StrategyBytecode,
): Promise<readonly [ProposedLeg, ProposedLeg]> {
  const { quote } = made
  if (!quote)
    throw new AppError(
      'SERVICE_BAD_RESPONSE',
      'The service returned a cross-chain deposit without a bridge quote',
    )
  const on = (chainId: number) => made.bytecode.filter((transaction) => transaction.chainId === chainId)
  const [away, home] = [on(made.chainIdIn), on(entry.chainId)]
  if (away.length + home.length !== made.bytecode.length)
    throw new AppError('POLICY_CHAIN', 'The deposit has transactions on a network that was not requested')
  const asked = { exact: 'in', slippage: null, least: null } as const
  // A deposit pays the service nothing, whatever a quote says.
  const { fees: _, ...bridge } = await swapIntent(cli, quote, { wallet, recipient: wallet, ...asked })
  if (
    bridge.amountIn !== amount ||
    !sameAddress(bridge.tokenOut.address, entry.asset.address) ||
    bridge.tokenOut.chainId !== entry.chainId
  )
    throw new AppError('POLICY_QUOTE_DRIFT', 'The bridge quote does not match the request')
  const minimum = quote.minAmountOut ?? depositOf(entry, home.at(-1), bridge.amountOut, quote.tokenOut.amount)
  return [
    // The guard holds the bridge to all of what is deposited after it: nothing of it is left to the funds that were there before.
    { chainId: made.chainIdIn, intent: { ...bridge, amountOut: minimum }, transactions: away },
    {
      chainId: entry.chainId,
      intent: { kind: 'deposit', wallet, strategy: entry, amount: minimum },
      transactions: home,
      arrival: { token: entry.asset.address, minimum, recipient: wallet },
    },
  ]
}

/** What is deposited where the quote names no minimum: what the call says, at most what the quote shows and at least what is accepted for it. */
function depositOf(
  entry: StrategyEntry,
  action: StrategyBytecode['bytecode'][number] | undefined,
  least: bigint,
  most: bigint,
): bigint {
  const amount = (action && depositedAmount(entry, action)) ?? least
  const shown = (sum: bigint) => formatAmount(sum, entry.asset)
  if (amount < least)
    throw new AppError(
      'POLICY_MIN_OUT',
      `It deposits ${shown(amount)} after the bridge; the minimum for this quote is ${shown(least)}`,
    )
  if (amount > most)
    throw new AppError(
      'POLICY_AMOUNT',
      `It deposits ${shown(amount)} after the bridge; its quote delivers only ${shown(most)}`,
    )
  return amount
}
