import type { QueuedWithdrawal } from '../api/queued.ts'
import type { Position } from '../api/wallet.ts'
import { noRequests, type Request, type Requests } from '../calls/queue.ts'
import type { Address } from '../domain/address.ts'
import { formatAmount, tokenAmount } from '../domain/amount.ts'
import { AppError } from '../domain/errors.ts'
import { headOf } from './chain.ts'
import type { Context } from './context.ts'
import type { Held } from './holdings.ts'
import type { Market, Step } from './markets/market.ts'
import { type Price, usd } from './prices.ts'
import { answered } from './rounds.ts'
import { noteSeen, ticketsOf, type Unsearched } from './tickets.ts'

/**
 * The withdrawals of an owner that are queued, by market; a market whose contracts do not answer is `null`, and one that pays at once is
 * not there. `isMeant`: it is just these that are asked about, so that nothing is too long a search; otherwise some are `unsearched`.
 */
export async function queuedOf(
  context: Context,
  markets: readonly Market[],
  owner: Address,
  isMeant = false,
): Promise<{ queued: ReadonlyMap<Market, Requests | null>; unsearched: readonly Unsearched[] }> {
  const later = markets.filter(({ queue }) => queue !== undefined)
  const perChain = [...Map.groupBy(later, ({ entry }) => entry.chainId)].map(async ([chainId, here]) => {
    const chain = context.chain(chainId)
    const head = await headOf(chain)
    const { tickets, unsearched } = await ticketsOf(context, chain, here, owner, { head, isMeant })
    const known = here.filter((market) => tickets.get(market) !== null)
    const lines = known.map((market) =>
      market.queue!.requests(owner, head.timestamp, tickets.get(market) ?? []),
    )
    const found = await answered(chain, lines)
    const rows = here.map((market) => [market, found[known.indexOf(market)] ?? null] as const)
    return { rows, unsearched }
  })
  const all = await Promise.all(perChain)
  return {
    queued: new Map(all.flatMap(({ rows }) => rows)),
    unsearched: all.flatMap((chain) => chain.unsearched),
  }
}

type Invested = Held & { principal: bigint | null }

/**
 * What an owner holds, and the markets beside in which a withdrawal of theirs is queued, or may be: those whose queue does not answer. Of what
 * was `asked`, markets that say nothing at all are none of these.
 */
export function withQueued(
  held: readonly Invested[],
  queued: ReadonlyMap<Market, Requests | null>,
  asked: readonly Invested[],
): Invested[] {
  const silent = new Map(asked.filter(({ shares }) => shares === null).map((one) => [one.market, one]))
  const others = [...queued].filter(
    ([market, found]) =>
      (found === null ? !silent.has(market) : found.pending.length + found.claimable.length > 0) &&
      !held.some((one) => one.market === market),
  )
  return [...held, ...others.map(([market]) => silent.get(market) ?? nothingIn(market))]
}

const nothingIn = (market: Market): Invested => ({ market, shares: 0n, balance: 0n, principal: 0n })

/** The queued withdrawals of one market, as a position lists them, and what they are worth at a price of the asset. */
export function queuedIn(
  market: Market,
  queued: ReadonlyMap<Market, Requests | null>,
  price: Price,
): Pick<Position, 'pending' | 'claimable' | 'queuedUsd'> {
  const found = queued.get(market)
  if (found === null) return { pending: null, claimable: null, queuedUsd: null }
  const { pending, claimable } = found ?? noRequests
  const all = [...pending, ...claimable]
  const sum = all.reduce((total, { amount }) => total + amount, 0n)
  return {
    pending: shownRequests(pending),
    claimable: shownRequests(claimable),
    queuedUsd: all.length === 0 ? '0' : usd(sum, market.entry.asset, price),
  }
}

/** Requests as the service shows them: times are ISO 8601. */
export function shownRequests(requests: readonly Request[]): QueuedWithdrawal[] {
  const iso = (at: number | null) => (at === null ? null : new Date(at * 1000).toISOString())
  return requests.map(({ id, amount, requestedAt, availableAt, until = null, back = null }) => ({
    id,
    amount,
    requestedAt: iso(requestedAt),
    availableAt: iso(availableAt),
    until: iso(until),
    back,
  }))
}

/** How long a withdrawal waits that an owner asks a market for, in seconds; `undefined` where it pays at once, `null` where no contract says. */
export async function waitOf(
  context: Context,
  market: Market,
  owner: Address,
): Promise<number | null | undefined> {
  const { entry, queue } = market
  if (!queue) return undefined
  if (queue.logged) await noteSeen(context.store, market, owner)
  if (!queue.wait) return null
  const [seconds] = await answered(context.chain(entry.chainId), [queue.wait()])
  return seconds!
}

/** The step that takes what can be claimed, and how much that is. */
export async function claimStep(
  context: Context,
  market: Market,
  owner: Address,
): Promise<Step & { amount: bigint }> {
  const { entry, queue } = market
  if (!queue)
    throw new AppError('VALIDATION_ERROR', `${entry.slug} pays out at once: there is nothing to claim`, {
      details: { errors: [{ path: 'action', message: 'there is nothing to claim' }] },
    })
  const requests = (await queuedOf(context, [market], owner, true)).queued.get(market)
  if (!requests)
    throw new AppError('BYTECODE_GENERATION_FAILED', `The queue of ${entry.slug} does not answer`)
  if (requests.claimable.length === 0) throw nothingYet(market, requests.pending, owner)
  const taken = queue.taken(requests.claimable)
  const made = queue.claim(owner, taken)
  const [transaction] = 'next' in made ? await answered(context.chain(entry.chainId), [made]) : [made]
  return { transaction: transaction!, amount: taken.reduce((sum, { amount }) => sum + amount, 0n) }
}

/** Says what waits, and when it can be claimed as far as that is known. */
function nothingYet({ entry }: Market, pending: readonly Request[], owner: Address): AppError {
  const shown = shownRequests(pending)
  const line = (one: QueuedWithdrawal, more: string) => {
    const since = one.requestedAt === null ? '' : `, asked for at ${one.requestedAt}`
    return `${formatAmount(one.amount, entry.asset)} (request ${one.id}${since}${more})`
  }
  const waiting = shown
    .filter(({ back }) => back === null)
    .map((one) =>
      line(one, one.availableAt === null ? ', and no contract says when' : `, from ${one.availableAt} on`),
    )
  const over = shown.filter(({ back }) => back !== null).map((one) => line(one, `, until ${one.until}`))
  const lapsed = pending.filter(({ back }) => back !== undefined)
  const [passed] = lapsed
  const sum = lapsed.reduce((total, { amount }) => total + amount, 0n)
  const { formatted } = tokenAmount(sum, entry.asset)
  const words = [
    ...(waiting.length > 0 ? [`${waiting.join('; ')} still waits`] : []),
    ...(passed ? [`${over.join('; ')} was let pass, and ${passed.back} gives it back`] : []),
  ]
  const waits = words.length === 0 ? 'nothing was asked for' : words.join('; ')
  return new AppError('NOTHING_CLAIMABLE', `${owner} can claim nothing from ${entry.slug} now: ${waits}`, {
    ...(passed && {
      hint: `Send ${passed.back} with the wallet of the request, then ask again: sluice withdraw ${entry.slug} --amount ${formatted}`,
    }),
    details: {
      pending: shownRequests(pending).map((request) => ({ ...request, amount: request.amount.toString() })),
    },
  })
}
