import type { Position, QueuedWithdrawal } from '../../api/wallet-positions.ts'
import { ask, askRounds } from '../../chain/ask.ts'
import { latestBlock } from '../../chain/head.ts'
import type { Address } from '../../domain/address.ts'
import { formatAmount, type TokenAmount, tokenAmount } from '../../domain/amount.ts'
import { AppError } from '../../domain/errors.ts'
import { type Price, usd } from '../../domain/usd.ts'
import type { CallWithAllowance, Market } from '../../protocols/market-adapter.ts'
import { noRequests, type Request, type Requests } from '../../protocols/withdrawal-queue.ts'
import type { EngineContext } from '../engine.ts'
import { fieldError } from '../field-error.ts'
import { readOwnerLogs } from '../history/logs/owner-logs.ts'
import { undefinedIfUnread } from '../undefined-if-unread.ts'
import type { InvestedHolding } from './principal.ts'
import { nothingInvested } from './principal-rule.ts'
import { findTickets, storeRequest, type UnsearchedMarket } from './withdrawal-ticket-search.ts'

/**
 * Reads the queued withdrawals of an owner, by market. A market whose contracts do not answer is `null`; a market that pays at once is
 * missing. With `isMeant` the request is about these markets, so every search is made; otherwise some are `unsearched`.
 */
export async function readQueued(
  context: EngineContext,
  markets: readonly Market[],
  owner: Address,
  isMeant = false,
): Promise<{ queued: ReadonlyMap<Market, Requests | null>; unsearched: readonly UnsearchedMarket[] }> {
  const later = markets.filter(({ queue }) => queue !== undefined)
  const perChain = [...Map.groupBy(later, ({ entry }) => entry.chainId)].map(async ([chainId, here]) => {
    const chain = context.chain(chainId)
    const head = await latestBlock(chain)
    const { tickets, unsearched } = await findTickets(context, chain, here, owner, { head, isMeant })
    const known = here.filter((market) => tickets.get(market) !== null)
    const lines = known.map((market) =>
      market.queue!.requests(owner, head.timestamp, tickets.get(market) ?? []),
    )
    const found = await askRounds(chain, lines)
    const rows = here.map((market) => [market, found[known.indexOf(market)] ?? null] as const)
    return { rows, unsearched }
  })
  const all = await Promise.all(perChain)
  return {
    queued: new Map(all.flatMap(({ rows }) => rows)),
    unsearched: all.flatMap((chain) => chain.unsearched),
  }
}

/**
 * Adds to the holdings of an owner the markets with queued withdrawals only, and those whose queue does not answer. Markets in `asked` that
 * do not answer at all are left out.
 */
export function withQueuedOnly(
  held: readonly InvestedHolding[],
  queued: ReadonlyMap<Market, Requests | null>,
  asked: readonly InvestedHolding[],
): InvestedHolding[] {
  const silent = new Map(asked.filter(({ shares }) => shares === null).map((one) => [one.market, one]))
  const others = [...queued].filter(
    ([market, found]) =>
      (found === null ? !silent.has(market) : found.pending.length + found.claimable.length > 0) &&
      !held.some((one) => one.market === market),
  )
  return [...held, ...others.map(([market]) => silent.get(market) ?? emptyHolding(market))]
}

const emptyHolding = (market: Market): InvestedHolding => ({
  market,
  shares: 0n,
  balance: 0n,
  staked: null,
  invested: nothingInvested,
})

/** The queued withdrawals of one market in a position, with their value in USD. */
export function queuedFields(
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
    pending: requestsOutput(pending),
    claimable: requestsOutput(claimable),
    queuedUsd: all.length === 0 ? '0' : usd(sum, market.entry.asset, price),
  }
}

/** Requests as the service returns them, with ISO 8601 times. */
function requestsOutput(requests: readonly Request[]): QueuedWithdrawal[] {
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

/** The waiting time of a new withdrawal, in seconds; `undefined` if the market pays at once, `null` if no contract states it. */
export async function withdrawalWait(
  context: EngineContext,
  market: Market,
  owner: Address,
): Promise<number | null | undefined> {
  const { entry, queue } = market
  if (!queue) return undefined
  if (queue.logged) await storeRequest(context.store, market, owner)
  if (!queue.wait) return null
  const seconds = await ask(context.chain(entry.chainId), queue.wait())
  return seconds!
}

/**
 * Builds the step that claims all claimable withdrawals, with its amount; if there are none, the step that takes back
 * the shares of lapsed requests.
 */
export async function claimStep(
  context: EngineContext,
  market: Market,
  owner: Address,
): Promise<CallWithAllowance & { out: TokenAmount }> {
  const { entry, queue } = market
  if (!queue)
    throw fieldError('action', 'there is nothing to claim', {
      text: `${entry.slug} pays out at once: there is nothing to claim`,
    })
  const requests = (await readQueued(context, [market], owner, true)).queued.get(market)
  if (!requests)
    throw new AppError('BYTECODE_GENERATION_FAILED', `The queue of ${entry.slug} does not answer`)
  const lapsed = requests.pending.filter(({ shares }) => shares !== undefined)
  if (requests.claimable.length === 0) {
    if (!queue.lapses || lapsed.length === 0) throw nothingClaimable(market, requests.pending, owner)
    const shares = lapsed.reduce((sum, one) => sum + (one.shares ?? 0n), 0n)
    return { transaction: queue.lapses.takeBack, out: tokenAmount(shares, entry.receipt) }
  }
  const taken = queue.taken(requests.claimable)
  const made = queue.claim(owner, taken)
  const [transaction] = 'next' in made ? await askRounds(context.chain(entry.chainId), [made]) : [made]
  const amount = taken.reduce((sum, one) => sum + one.amount, 0n)
  return { transaction: transaction!, out: tokenAmount(amount, entry.asset) }
}

/** NOTHING_CLAIMABLE, with the waiting requests and when they can be claimed, if known. */
function nothingClaimable({ entry }: Market, pending: readonly Request[], owner: Address): AppError {
  const shown = requestsOutput(pending)
  const lines = shown.map(({ amount, id, requestedAt, availableAt }) => {
    const since = requestedAt === null ? '' : `, requested at ${requestedAt}`
    const from = availableAt === null ? ', claimable at an unknown time' : `, claimable from ${availableAt}`
    return `${formatAmount(amount, entry.asset)} (request ${id}${since}${from})`
  })
  const waits = lines.length === 0 ? 'there are no requests' : `still queued: ${lines.join('; ')}`
  return new AppError('NOTHING_CLAIMABLE', `${owner} can claim nothing from ${entry.slug} now: ${waits}`, {
    details: { pending: shown.map((request) => ({ ...request, amount: request.amount.toString() })) },
  })
}

type QueuedByMarket = ReadonlyMap<Market, Requests | null>

/**
 * Assigns each request in a queue shared by several markets to the market it was made in, by its logs. A request without a readable log is
 * assigned to the first market.
 */
export async function assignSharedRequests(
  context: EngineContext,
  queued: QueuedByMarket,
  owner: Address,
): Promise<QueuedByMarket> {
  const shared = [
    ...Map.groupBy(queued.keys(), ({ entry, queue }) => `${entry.chainId} ${queue!.place}`).values(),
  ]
  const rows = await Promise.all(
    shared.map(async (markets) => {
      const found = queued.get(markets[0]!) ?? null
      const isNone = found !== null && found.pending.length + found.claimable.length === 0
      if (markets.length === 1 || found === null || isNone)
        return markets.map((market, at) => [market, at === 0 ? found : noRequests] as const)
      return splitByMarket(markets, found, await marketsOfRequests(context, markets, owner))
    }),
  )
  return new Map(rows.flat())
}

function splitByMarket(markets: readonly Market[], found: Requests, made: ReadonlyMap<string, Market>) {
  const isIn = (market: Market) => (request: Request) => (made.get(request.id) ?? markets[0]) === market
  return markets.map(
    (market) =>
      [
        market,
        { pending: found.pending.filter(isIn(market)), claimable: found.claimable.filter(isIn(market)) },
      ] as const,
  )
}

/** The markets in which the requests of an owner were made, as far as their logs can be read. */
async function marketsOfRequests(
  context: EngineContext,
  markets: readonly Market[],
  owner: Address,
): Promise<ReadonlyMap<string, Market>> {
  const chain = context.chain(markets[0]!.entry.chainId)
  const reading = latestBlock(chain).then((head) => readOwnerLogs(context, chain, markets, owner, head))
  const logs = await undefinedIfUnread(reading)
  return new Map(
    markets.flatMap((market) =>
      ((logs && market.requested?.(owner, logs.get(market)!)) ?? []).map((id) => [id, market] as const),
    ),
  )
}
