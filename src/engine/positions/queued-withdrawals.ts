import type { Position, QueuedWithdrawal } from '../../api/wallet.ts'
import { latestBlock } from '../../chain/chain.ts'
import { answerRounds } from '../../chain/query-rounds.ts'
import type { Address } from '../../domain/address.ts'
import { formatAmount, type TokenAmount, tokenAmount } from '../../domain/amount.ts'
import { AppError } from '../../domain/errors.ts'
import { type Price, usd } from '../../domain/usd.ts'
import type { Market, Step } from '../../protocols/market.ts'
import { noRequests, type Request, type Requests } from '../../protocols/withdrawal-queue.ts'
import type { EngineContext } from '../context.ts'
import { readOwnerLogs } from '../history/logs/owner-logs.ts'
import type { InvestedHolding } from './principal.ts'
import { findTickets, storeRequest, type UnsearchedMarket } from './withdrawal-ticket-search.ts'

/**
 * The withdrawals of an owner that are queued, by market; a market whose contracts do not answer is `null`, and one that pays at once is
 * not there. `isMeant`: it is just these that are asked about, so that nothing is too long a search; otherwise some are `unsearched`.
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
    const found = await answerRounds(chain, lines)
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
 * What an owner holds, and the markets beside in which a withdrawal of theirs is queued, or may be: those whose queue does not answer. Of what
 * was `asked`, markets that say nothing at all are none of these.
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
  principal: 0n,
  realised: 0n,
})

/** The queued withdrawals of one market, as a position lists them, and what they are worth at a price of the asset. */
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

/** Requests as the service shows them: times are ISO 8601. */
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

/** How long a withdrawal waits that an owner asks a market for, in seconds; `undefined` where it pays at once, `null` where no contract says. */
export async function withdrawalWait(
  context: EngineContext,
  market: Market,
  owner: Address,
): Promise<number | null | undefined> {
  const { entry, queue } = market
  if (!queue) return undefined
  if (queue.logged) await storeRequest(context.store, market, owner)
  if (!queue.wait) return null
  const [seconds] = await answerRounds(context.chain(entry.chainId), [queue.wait()])
  return seconds!
}

/** The step that takes what can be claimed, and how much that is; where nothing can, the one that takes back the shares of what was let pass. */
export async function claimStep(
  context: EngineContext,
  market: Market,
  owner: Address,
): Promise<Step & { out: TokenAmount }> {
  const { entry, queue } = market
  if (!queue)
    throw new AppError('VALIDATION_ERROR', `${entry.slug} pays out at once: there is nothing to claim`, {
      details: { errors: [{ path: 'action', message: 'there is nothing to claim' }] },
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
  const [transaction] = 'next' in made ? await answerRounds(context.chain(entry.chainId), [made]) : [made]
  const amount = taken.reduce((sum, one) => sum + one.amount, 0n)
  return { transaction: transaction!, out: tokenAmount(amount, entry.asset) }
}

/** Says what waits, and when it can be claimed as far as that is known. */
function nothingClaimable({ entry }: Market, pending: readonly Request[], owner: Address): AppError {
  const shown = requestsOutput(pending)
  const lines = shown.map(({ amount, id, requestedAt, availableAt }) => {
    const since = requestedAt === null ? '' : `, asked for at ${requestedAt}`
    const from = availableAt === null ? ', and no contract says when' : `, from ${availableAt} on`
    return `${formatAmount(amount, entry.asset)} (request ${id}${since}${from})`
  })
  const waits = lines.length === 0 ? 'nothing was asked for' : `${lines.join('; ')} still waits`
  return new AppError('NOTHING_CLAIMABLE', `${owner} can claim nothing from ${entry.slug} now: ${waits}`, {
    details: { pending: shown.map((request) => ({ ...request, amount: request.amount.toString() })) },
  })
}

type QueuedByMarket = ReadonlyMap<Market, Requests | null>

/**
 * What is queued, with each request of a queue that several markets share under that one alone that it was made in, by its logs. What these do
 * not tell, or nobody can read, stands under the first of them.
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

/** In which of some markets the requests of an owner were made, as far as the logs can be read. */
async function marketsOfRequests(
  context: EngineContext,
  markets: readonly Market[],
  owner: Address,
): Promise<ReadonlyMap<string, Market>> {
  const chain = context.chain(markets[0]!.entry.chainId)
  try {
    const logs = await readOwnerLogs(context, chain, markets, owner, await latestBlock(chain))
    return new Map(
      markets.flatMap((market) =>
        (market.requested?.(owner, logs.get(market)!) ?? []).map((id) => [id, market] as const),
      ),
    )
  } catch (error) {
    const costs = ['RPC_ERROR', 'RPC_INCONSISTENT', 'HISTORY_UNREAD']
    if (error instanceof AppError && costs.includes(error.code)) return new Map()
    throw error
  }
}
