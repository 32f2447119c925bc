import { answerQueries, type NodeCall } from '../chain/reads.ts'
import { quantity } from '../chain/rpc/answer-numbers.ts'
import type { Address } from '../domain/address.ts'
import { formatAmount } from '../domain/amount.ts'
import { AppError } from '../domain/errors.ts'
import type { Token } from '../domain/token.ts'
import type { Transaction } from '../domain/transaction.ts'
import { placeOf, queueOf } from '../protocols/bindings.ts'
import type { StrategyEntry } from '../protocols/catalog.ts'
import type { Request } from '../protocols/withdrawal-queue.ts'
import { firstWord } from './simulation/reads.ts'

/** The token (ERC-721) that stands for a request in the queue of a market, as something whose balance is watched; `undefined` where there is none. */
export function queueTicket(strategy: StrategyEntry): Token | undefined {
  const ticket = queueOf(strategy)?.ticket
  return ticket && { chainId: strategy.chainId, ...ticket, name: ticket.symbol, decimals: 0 }
}

/** Whether what is withdrawn from a market waits in a queue, and is claimed later. */
export const hasWithdrawalQueue = (strategy: StrategyEntry): boolean => queueOf(strategy) !== undefined

/** Whether a withdrawal of a strategy only asks for its funds, which are claimed later. */
export const isQueuedWithdrawal = (strategy: StrategyEntry): boolean => queueOf(strategy) !== undefined

/** What a wallet has in the queue of a strategy, read by ourselves: where its contract does not list tickets, of those that are proposed to be claimed. */
async function requestsOf(
  strategy: StrategyEntry,
  wallet: Address,
  ask: NodeCall,
  proposed: readonly Transaction[] = [],
) {
  const queue = queueOf(strategy)
  if (!queue) throw new AppError('USAGE', `${strategy.slug} pays out at once: there is nothing to claim`)
  const head = (await ask('eth_getBlockByNumber', ['latest', false])) as { timestamp?: unknown } | null
  const now = Number(quantity(head?.timestamp, 'the time'))
  const found = await answerQueries(
    queue.requests(
      wallet,
      now,
      proposed.flatMap((one) => queue.named?.(one) ?? []),
    ),
    ask,
  )
  if (found) return { queue, ...found }
  throw new AppError('RPC_INCONSISTENT', `The node gives no requests of the queue of ${strategy.slug}`)
}

/**
 * What a claim takes: the requests of the wallet that one transaction claims, and what they pay. Nothing is an empty list. Where nothing can be
 * claimed, it takes back what was let pass: the `amount` is of the receipt then, and `was` is what that is worth. What `lapsed` beside stays.
 */
export async function readClaim(
  strategy: StrategyEntry,
  wallet: Address,
  ask: NodeCall,
  proposed: readonly Transaction[],
): Promise<{
  ids: string[]
  amount: bigint
  left: number
  lapsed: number
  takesBack?: { was: bigint }
}> {
  const { queue, pending, claimable } = await requestsOf(strategy, wallet, ask, proposed)
  const lapsed = pending.filter(({ shares }) => shares !== undefined)
  const ids = (some: readonly Request[]) => some.map(({ id }) => id)
  const sum = (some: readonly Request[]) => some.reduce((all, { amount }) => all + amount, 0n)
  if (claimable.length === 0 && lapsed.length > 0) {
    const amount = lapsed.reduce((all, { shares = 0n }) => all + shares, 0n)
    return { ids: ids(lapsed), amount, left: 0, lapsed: 0, takesBack: { was: sum(lapsed) } }
  }
  const taken = queue.taken(claimable)
  return {
    ids: ids(taken),
    amount: sum(taken),
    left: claimable.length - taken.length,
    lapsed: lapsed.length,
  }
}

/** For how many seconds what is asked for can be claimed once it can be, and what gives back what was let pass; `undefined` where it can be for ever. */
export async function readClaimWindow(
  strategy: StrategyEntry,
  ask: NodeCall,
): Promise<{ seconds: number | null; back: string } | undefined> {
  const lapses = queueOf(strategy)?.lapses
  return lapses && { seconds: await answerQueries(lapses.window(), ask), back: lapses.back }
}

/** Refuses a request that makes all that waits begin again, unless that is accepted. */
export async function refuseQueueRestart(
  strategy: StrategyEntry,
  wallet: Address,
  ask: NodeCall,
  accepted: boolean,
): Promise<void> {
  if (!queueOf(strategy)?.restarts || accepted) return
  const { pending, claimable } = await requestsOf(strategy, wallet, ask)
  const waits = [...pending, ...claimable]
  if (waits.length === 0) return
  const sum = waits.reduce((all: bigint, { amount }: Request) => all + amount, 0n)
  throw new AppError(
    'WITHDRAWAL_PENDING',
    `${formatAmount(sum, strategy.asset)} of ${wallet} is in the queue of ${strategy.slug} already, and a new withdrawal makes all of it wait from the beginning`,
    { details: { pending: waits.map(({ id, amount }) => ({ id, amount: amount.toString() })) } },
  )
}

/** What a part of a position costs in units of its receipt, read by ourselves, where one leaves the market by giving those back. */
export async function readReceiptUnits(
  strategy: StrategyEntry,
  amount: bigint,
  ask: NodeCall,
): Promise<bigint | undefined> {
  const { byUnits, cost } = placeOf(strategy)
  if (!byUnits) return undefined
  const known = cost(amount)
  if ('units' in known) return known.units
  return known.unitsOf(firstWord(await ask('eth_call', [known.read, 'latest']), 'the price of shares'))
}
