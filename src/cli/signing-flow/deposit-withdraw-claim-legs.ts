import type { StrategyBytecode } from '../../api/unsigned-transactions.ts'
import { askNumber } from '../../chain/ask.ts'
import { type Address, sameAddress } from '../../domain/address.ts'
import { formatAmount, maxUint256, tokenAmount } from '../../domain/amount.ts'
import { AppError } from '../../domain/errors.ts'
import { advice } from '../../domain/text/next-step.ts'
import type { Token } from '../../domain/token.ts'
import { readClaim, readClaimWindow } from '../../guard/claim-payout-reads.ts'
import { balanceRead } from '../../guard/simulation/wallet-state-before-simulation.ts'
import {
  hasWithdrawalQueue,
  readReceiptUnits,
  refuseQueueRestart,
} from '../../guard/withdrawal-queue-reads.ts'
import {
  depositBounds,
  type ExchangeBounds,
  withdrawalBounds,
} from '../../planning/deposit-withdraw-previews.ts'
import type { ProposedLeg, ServiceProposal } from '../../planning/proposal.ts'
import { maturityOf } from '../../protocols/catalog-operations.ts'
import type { Catalog, StrategyEntry } from '../../protocols/catalog-types.ts'
import type { Intent } from '../../protocols/intent.ts'
import { stakingOf } from '../../protocols/registry.ts'
import { depositedAmount } from '../../transactions/outcome/received-amount.ts'
import type { Cli } from '../command-run-types.ts'
import { notesOn, statedFees } from './fees-in-response.ts'
import type { RequestedStrategy } from './strategy-lookup.ts'
import { swapIntent } from './swap-proposal.ts'
import { claimLines, queuedLine, queuedOf } from './withdrawal-queue-notes.ts'

/** The catalogue entry of a strategy. An unknown strategy cannot be checked, so it is refused. */
function entryOf({ strategies }: Catalog, { slug, id, chainId }: RequestedStrategy): StrategyEntry {
  const found = strategies.find(
    (entry) => (entry.slug === slug || entry.id === id) && (chainId === null || entry.chainId === chainId),
  )
  if (found) return found
  throw new AppError(
    'POLICY_CONTRACT_NOT_ALLOWED',
    `${slug} is not in the catalogue of this version, so its contracts cannot be checked`,
  )
}

/** A deposit as legs: on one chain, or a bridge and then the deposit of its minimum. `from` is the origin chain, if another. */
export async function depositProposal(
  cli: Cli,
  strategy: RequestedStrategy,
  amount: bigint,
  wallet: Address,
  made: StrategyBytecode,
  { from, slippage = null }: { from?: number | undefined; slippage?: number | null } = {},
): Promise<ServiceProposal> {
  const catalog = await cli.backend.catalog()
  const entry = entryOf(catalog, strategy)
  const origin = made.crossChain.isCrossChain ? made.chainIdIn : entry.chainId
  if (origin !== (from ?? entry.chainId))
    throw new AppError(
      'POLICY_CHAIN',
      `The service takes the funds from chain ${origin}, but the request was for ${from ?? entry.chainId}`,
    )
  const about = {
    strategyId: entry.id,
    strategySlug: entry.slug,
    receiver: wallet,
    amounts: { in: tokenAmount(amount, entry.asset), out: null },
  }
  if (!made.crossChain.isCrossChain) {
    const accepted = await depositBounds(entry, amount, asking(cli, entry), slippage)
    sayMaturity(cli, entry)
    const intent: Intent = {
      kind: 'deposit',
      wallet,
      strategy: entry,
      amount,
      ...(accepted && { least: accepted.least }),
    }
    const amounts = accepted
      ? { ...about.amounts, out: tokenAmount(accepted.expected, entry.receipt) }
      : about.amounts
    return {
      id: made.id,
      kind: 'deposit',
      legs: [{ chainId: entry.chainId, intent, transactions: made.bytecode }],
      quoteId: null,
      expiresAt: expiryOf(cli, accepted),
      about: { type: 'SAMECHAIN_INVESTMENT_DEPOSIT', ...about, amounts },
    }
  }
  return {
    id: made.id,
    kind: 'deposit',
    legs: await legsAcross(cli, entry, amount, wallet, made),
    quoteId: made.quote?.id ?? null,
    expiresAt: made.quote?.deadline ?? null,
    about: { type: 'CROSSCHAIN_INVESTMENT_DEPOSIT', ...about },
  }
}

/** Reads the chain of a strategy without the service. */
const asking =
  ({ backend }: Cli, { chainId }: { chainId: number }) =>
  (method: string, params: readonly unknown[]) =>
    backend.read(chainId, method, params)

/**
 * A withdrawal as one leg. For `max`, the shares are read from the receipt token on chain. A queued one
 * is announced; one that restarts the cooldown of earlier requests needs `restarts`.
 */
export async function withdrawProposal(
  cli: Cli,
  strategy: RequestedStrategy,
  amount: bigint,
  wallet: Address,
  made: StrategyBytecode,
  { restarts = false, slippage = null }: { restarts?: boolean | undefined; slippage?: number | null } = {},
): Promise<ServiceProposal> {
  const entry = entryOf(await cli.backend.catalog(), strategy)
  const ask = asking(cli, entry)
  await refuseQueueRestart(entry, wallet, ask, restarts)
  const isAll = amount === maxUint256
  const units = isAll ? undefined : await readReceiptUnits(entry, amount, ask)
  const queued = hasWithdrawalQueue(entry)
    ? queuedOf(entry, amount, made.queued?.seconds ?? null, await readClaimWindow(entry, ask))
    : undefined
  const isTold = cli.backend.kind === 'remote'
  if (queued) cli.notice(advice`${isTold ? 'The service says: ' : ''}${queuedLine(entry, queued)}`)
  const [shares] = isAll
    ? await Promise.all([heldOf(cli, entry.receipt, wallet), sayStaked(cli, entry, wallet)])
    : []
  const fees = statedFees(made.fees, entry.asset)
  for (const note of notesOn(made.fees))
    cli.notice(isTold ? `fee, according to the service: "${note}"` : `fee: ${note}`)
  const given = units ?? shares
  const accepted = given === undefined ? undefined : await withdrawalBounds(entry, given, ask, slippage)
  const intent: Intent = {
    kind: 'withdraw',
    wallet,
    strategy: entry,
    amount,
    ...(shares !== undefined && { shares }),
    ...(units !== undefined && { units }),
    ...(fees.length > 0 && { fees }),
    ...(accepted && { least: accepted.least }),
  }
  const out = accepted?.expected ?? (isAll || queued ? undefined : amount)
  return {
    id: made.id,
    kind: 'withdraw',
    legs: [{ chainId: entry.chainId, intent, transactions: made.bytecode }],
    quoteId: null,
    expiresAt: expiryOf(cli, accepted),
    about: {
      type: 'SAMECHAIN_INVESTMENT_WITHDRAW',
      strategyId: entry.id,
      strategySlug: entry.slug,
      receiver: wallet,
      amounts: { in: null, out: out === undefined ? null : tokenAmount(out, entry.asset) },
      ...(queued && { queued }),
    },
  }
}

/** The claim of queued withdrawals as one leg; its requests and amount are read from the chain. */
export async function claimProposal(
  cli: Cli,
  strategy: RequestedStrategy,
  wallet: Address,
  made: StrategyBytecode,
): Promise<ServiceProposal> {
  const entry = entryOf(await cli.backend.catalog(), strategy)
  const own = await readClaim(entry, wallet, asking(cli, entry), made.bytecode)
  const { ids, amount, takesBack } = own
  if (ids.length === 0)
    throw new AppError('NOTHING_CLAIMABLE', `${wallet} has nothing to claim from ${entry.slug} now`)
  for (const line of claimLines(entry, own)) cli.notice(line)
  return {
    id: made.id,
    kind: 'claim',
    legs: [
      {
        chainId: entry.chainId,
        intent: {
          kind: 'claim',
          wallet,
          strategy: entry,
          amount,
          ids,
          ...(takesBack && { takesBack: true }),
        },
        transactions: made.bytecode,
      },
    ],
    quoteId: null,
    expiresAt: null,
    about: {
      type: 'SAMECHAIN_INVESTMENT_CLAIM',
      strategyId: entry.id,
      strategySlug: entry.slug,
      receiver: wallet,
      amounts: { in: null, out: tokenAmount(amount, takesBack ? entry.receipt : entry.asset) },
    },
  }
}

/** Reads the token balance of an owner. */
async function heldOf(cli: Cli, token: Token, owner: Address): Promise<bigint> {
  const node = asking(cli, token)
  return askNumber(node, balanceRead(token, owner), `the balance of ${token.symbol}`)
}

/** Says how many receipts stay staked after a withdrawal of everything else. */
async function sayStaked(cli: Cli, entry: StrategyEntry, owner: Address): Promise<void> {
  const staking = stakingOf(entry)
  if (!staking) return
  const staked = await askNumber(
    asking(cli, entry),
    staking.staked(owner),
    `the staked ${entry.receipt.symbol}`,
  )
  if (staked > 0n)
    cli.notice(
      `${formatAmount(staked, entry.receipt)} are staked at ${staking.at} and are not withdrawn; unstake them there first`,
    )
}

/** A cross-chain deposit as legs: the bridge, and then the deposit of its minimum. */
async function legsAcross(
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
  // A deposit has no service fee.
  const { fees: _, ...bridge } = await swapIntent(cli, quote, { wallet, recipient: wallet, ...asked })
  if (
    bridge.amountIn !== amount ||
    !sameAddress(bridge.tokenOut.address, entry.asset.address) ||
    bridge.tokenOut.chainId !== entry.chainId
  )
    throw new AppError('POLICY_QUOTE_DRIFT', 'The bridge quote does not match the request')
  const minimum = quote.minAmountOut ?? depositOf(entry, home.at(-1), bridge.amountOut, quote.tokenOut.amount)
  return [
    // The guard requires the bridge to deliver all of the deposit, so that no other funds are used.
    { chainId: made.chainIdIn, intent: { ...bridge, amountOut: minimum }, transactions: away },
    {
      chainId: entry.chainId,
      intent: { kind: 'deposit', wallet, strategy: entry, amount: minimum },
      transactions: home,
      arrival: { token: entry.asset.address, minimum, recipient: wallet },
    },
  ]
}

/** The deposit amount if the quote has no minimum: that of the call, at most the quoted and at least the accepted amount. */
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

/** For so long a price that was read holds, in ms: as long as a quote. */
const priceLife = 300_000

/** When a plan at a price that moves is worth nothing any more; others never are. */
const expiryOf = ({ program }: Cli, accepted: ExchangeBounds | undefined): string | null =>
  accepted ? new Date(program.now() + priceLife).toISOString() : null

/** Warns that a fixed yield sells at market price before its maturity, and says when that is. */
function sayMaturity(cli: Cli, entry: StrategyEntry): void {
  const maturity = maturityOf(entry)
  if (maturity)
    cli.notice(
      `${entry.slug} matures on ${maturity}. The rate shown is earned only if held to maturity; before that, it sells at the market price`,
    )
}
