import { ask, askNumber } from '../chain/ask.ts'
import type { NodeCall } from '../chain/eth-call.ts'
import { readHeader, timeOf } from '../chain/head.ts'
import type { Address } from '../domain/address.ts'
import { formatAmount } from '../domain/amount.ts'
import { AppError } from '../domain/errors.ts'
import type { Token } from '../domain/token.ts'
import type { Transaction } from '../domain/transaction-types.ts'
import type { StrategyEntry } from '../protocols/catalog-types.ts'
import { calldataRulesOf, queueOf } from '../protocols/registry.ts'
import type { Request } from '../protocols/withdrawal-queue.ts'

/** The ERC-721 ticket of a market's withdrawal queue, as a token whose balance is watched; `undefined` without one. */
export function queueTicket(strategy: StrategyEntry): Token | undefined {
  const ticket = queueOf(strategy)?.ticket
  return ticket && { chainId: strategy.chainId, ...ticket, name: ticket.symbol, decimals: 0 }
}

/** Whether withdrawals from a market are queued and claimed later. */
export const hasWithdrawalQueue = (strategy: StrategyEntry): boolean => queueOf(strategy) !== undefined

/** The wallet's requests in a queue, read from the chain; if the contract does not list them, of the proposed ones. */
export async function queuedRequests(
  strategy: StrategyEntry,
  wallet: Address,
  node: NodeCall,
  proposed: readonly Transaction[] = [],
) {
  const queue = queueOf(strategy)
  if (!queue) throw new AppError('USAGE', `${strategy.slug} pays out at once: there is nothing to claim`)
  const now = timeOf(await readHeader(node, 'latest'), 'the time')
  const found = await ask(
    node,
    queue.requests(
      wallet,
      now,
      proposed.flatMap((one) => queue.named?.(one) ?? []),
    ),
  )
  if (found) return { queue, ...found }
  throw new AppError('RPC_INCONSISTENT', `The node returns no requests of the queue of ${strategy.slug}`)
}

/** Refuses a request that restarts the waiting time of all pending ones, unless accepted. */
export async function refuseQueueRestart(
  strategy: StrategyEntry,
  wallet: Address,
  node: NodeCall,
  accepted: boolean,
): Promise<void> {
  if (!queueOf(strategy)?.restarts || accepted) return
  const { pending, claimable } = await queuedRequests(strategy, wallet, node)
  const waits = [...pending, ...claimable]
  if (waits.length === 0) return
  const sum = waits.reduce((all: bigint, { amount }: Request) => all + amount, 0n)
  throw new AppError(
    'WITHDRAWAL_PENDING',
    `${formatAmount(sum, strategy.asset)} of ${wallet} is already in the queue of ${strategy.slug}; a new withdrawal restarts the wait for all of it`,
    { details: { pending: waits.map(({ id, amount }) => ({ id, amount: amount.toString() })) } },
  )
}

/** The receipt units that a partial withdrawal costs, read from the chain, if the market is left by returning those. */
export async function readReceiptUnits(
  strategy: StrategyEntry,
  amount: bigint,
  node: NodeCall,
): Promise<bigint | undefined> {
  const { byUnits, cost } = calldataRulesOf(strategy)
  if (!byUnits) return undefined
  const known = cost(amount)
  if ('units' in known) return known.units
  return known.unitsOf(await askNumber(node, known.read, 'the price of shares'))
}
