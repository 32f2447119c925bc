import { bitcoinNetwork } from '../../domain/bitcoin.ts'
import { subjectOf } from '../../domain/events/event-table.ts'
import { type Announcing, lastTold } from '../events/write-event.ts'
import { insertOf } from '../sql/insert.ts'
import type { Sql } from '../sql/sql-types.ts'
import { furthestFirst, isListedAction, isThere, type QuoteRow, quoteRowColumns } from './action-tables.ts'
import { conditions, totalsOf } from './list-conditions.ts'
import { tellExpiry, tellSwap } from './tell-changes.ts'

const bitcoin = bitcoinNetwork.name

/** A quote with its operation, if any: the swap itself, or the deposit whose bridge it is. */
export type QuoteWithAction = QuoteRow & { actionId: string | null }

/** The quote fields for a status without an operation. */
type QuoteSummary = Pick<
  QuoteWithAction,
  'provider' | 'originChain' | 'destinationChain' | 'expiresAt' | 'draft' | 'outcome' | 'actionId'
> &
  ToldQuote

/** The type of the operation of a quote, and the status that the last event of its swap told. */
type ToldQuote = { actionType: string | null; told: string | null }

/**
 * A quote with the last known state of its operation. `originBlock` is the block of its action, `null` if none; `bridged` is 1 if a
 * deposit's bridge was sent, 0 if it reverted.
 */
export type ListedQuote = QuoteWithAction &
  ToldQuote & {
    finishedAt: number | null
    actionStatus: string | null
    originBlock: number | null
    bridged: number | null
  }

/** The filters of a quote list; null is no filter. */
type QuoteFilter = {
  originChain: string | null
  destinationChain: string | null
  provider: string | null
  id: string | null
  networks: readonly string[]
}

/** The index for a quote's operation. */
export const actionsByQuote = 'create index actions_quote on actions (quote_id)'

/** The operation of a quote that counts. */
const ofAction = `from actions a where a.customer = quotes.customer and a.quote_id = quotes.id order by ${furthestFirst} limit 1`
const actionId = `(select a.id ${ofAction}) as "actionId"`
const told = `(select a.type ${ofAction}) as "actionType",
  (select s.told from event_subjects s where s.customer = quotes.customer and s.subject = 'quote:' || quotes.id) as told`
const listed = `${actionId}, ${told}, (select a.status ${ofAction}) as "actionStatus",
  (select a.finished_at ${ofAction}) as "finishedAt",
  (select t.block_number from action_txs t where t.kind <> 'fee' and t.action_id = (select a.id ${ofAction}) order by t.idx desc limit 1) as "originBlock",
  (select t.succeeded from action_txs t where t.kind = 'bridge' and t.action_id = (select a.id ${ofAction})) as "bridged"`

const inBrief = `select provider, origin_chain as "originChain", destination_chain as "destinationChain", expires_at as "expiresAt", draft, outcome, ${actionId}, ${told}
  from quotes where customer = $1 and id = $2`

/** A deposit whose bridge is sent. Its quote is followed, because the bridge is no action of its own. As SQL. */
const isBridged = `exists (select 1 from actions a join action_txs t on t.action_id = a.id where a.customer = quotes.customer and a.quote_id = quotes.id
  and t.kind = 'bridge' and t.hash is not null)`

/** A quote as the follower of quotes sees it. `isFollowed`: it begins on Bitcoin, or is the bridge of a deposit, and nothing else reads its chains. */
export type FollowedQuote = Pick<QuoteRow, 'customer' | 'createdAt' | 'expiresAt' | 'outcome'> & {
  isFollowed: boolean
}

/** The queries about quotes; each names its customer, unless it says otherwise. */
export const quoteQueries = (sql: Sql, announcing: Announcing) => {
  const totals = totalsOf(sql)
  /** Tells the status of a listed quote. */
  const tellQuote = async (tx: Pick<Sql, 'query'>, customer: string, id: string, status: string) => {
    const [listed] = await tx.query<{ id: string }>(
      'select id from quotes where customer = $1 and id = $2 and draft = 0',
      [customer, id],
    )
    if (listed) await tellSwap(tx, announcing, customer, id, status)
  }
  return {
    /** Stores a quote. The end of one that is listed is looked at when it expires. */
    saveQuote: (row: QuoteRow): Promise<void> =>
      sql.transaction(async (tx) => {
        await tx.query(...insertOf('quotes', row))
        // What begins on Bitcoin can be paid from now on.
        const at = row.originChain === bitcoin ? row.createdAt : row.expiresAt + 1
        if (row.draft === 0) await announcing.add(tx, [{ queue: 'quotes.expire', key: row.id, at }])
      }),

    /** Keeps the stored part of a quote as it has become. */
    keepOffer: (customer: string, id: string, offer: string) =>
      sql.query('update quotes set offer = $1 where customer = $2 and id = $3', [offer, customer, id]),

    quote: async (customer: string, id: string): Promise<QuoteWithAction | undefined> => {
      const text = `select ${quoteRowColumns}, ${actionId} from quotes where customer = $1 and id = $2`
      return (await sql.cachedQuery<QuoteWithAction>(text, [customer, id]))[0]
    },

    /** Keeps the final status of a quote as it was seen, and tells it, unless another reader has kept one since `was` was read. */
    keepOutcome: (customer: string, id: string, outcome: string, was: string | null): Promise<void> =>
      sql.transaction(async (tx) => {
        const kept = await tx.query(
          'update quotes set outcome = $1 where customer = $2 and id = $3 and outcome is not distinct from $4 returning id',
          [outcome, customer, id, was],
        )
        if (kept.length > 0) await tellQuote(tx, customer, id, outcome)
      }),

    /**
     * Tells the status of a quote whose swap is no action, as it was seen on its way, unless it has ended or another status was told since `was`
     * was read.
     */
    tellQuoteStatus: (customer: string, id: string, status: string, was: string | null): Promise<void> =>
      sql.transaction(async (tx) => {
        const [open] = await tx.query(
          'select id from quotes where customer = $1 and id = $2 and outcome is null',
          [customer, id],
        )
        const last = await lastTold(tx, customer, subjectOf('swap.status_changed', id))
        if (open && (last ?? null) === was) await tellQuote(tx, customer, id, status)
      }),

    /** Tells that a listed quote expired before its transactions were issued, if so. */
    tellQuoteExpiry: (id: string): Promise<void> => sql.transaction((tx) => tellExpiry(tx, announcing, id)),

    /** A quote of any customer, with what decides whether it is looked at again. */
    quoteOfAny: async (id: string): Promise<FollowedQuote | undefined> => {
      const [row] = await sql.query<
        Omit<FollowedQuote, 'isFollowed'> & { originChain: string; bridged: number }
      >(
        `select customer, origin_chain as "originChain", created_at as "createdAt", expires_at as "expiresAt", outcome,
         case when ${isBridged} then 1 else 0 end as bridged from quotes where id = $1`,
        [id],
      )
      if (!row) return undefined
      const { originChain, bridged, ...quote } = row
      return { ...quote, isFollowed: originChain === bitcoin || Number(bridged) === 1 }
    },

    /** The quotes of any customer that are followed and have no end, whose deadline is not before `from`. */
    followedQuotes: (from: number): Promise<{ id: string; createdAt: number }[]> =>
      sql.query<{ id: string; createdAt: number }>(
        `select id, created_at as "createdAt" from quotes where expires_at >= $1 and draft = 0 and outcome is null and (origin_chain = '${bitcoin}' or ${isBridged})`,
        [from],
      ),

    /** The ids of listed quotes that expired between two times, whose expiry is not told, of any customer. */
    expiredQuotes: async (from: number, to: number): Promise<string[]> =>
      (
        await sql.query<{ id: string }>(
          `select id from quotes where expires_at >= $1 and expires_at < $2 and draft = 0 and outcome is null
           and not exists (select 1 from actions a where a.customer = quotes.customer and a.quote_id = quotes.id)
           and not exists (select 1 from event_subjects told where told.customer = quotes.customer and told.subject = 'quote:' || quotes.id)`,
          [from, to],
        )
      ).map(({ id }) => id),

    /** Lists a quote that was a draft: its swap is seen. */
    listQuote: (customer: string, id: string): Promise<void> =>
      sql.transaction(async (tx) => {
        await tx.query('update quotes set draft = 0 where customer = $1 and id = $2', [customer, id])
        await announcing.add(tx, [{ queue: 'quotes.expire', key: id }])
      }),

    /** The route and expiry of a quote, without its content. */
    quoteSummary: async (customer: string, id: string): Promise<QuoteSummary | undefined> =>
      (await sql.cachedQuery<QuoteSummary>(inBrief, [customer, id]))[0],

    /** Newest first, between the given networks only. A draft is listed once its swap is seen, or an action of it is listed, or if its ID or the beginning of it is asked for. */
    quotes: async (customer: string, by: QuoteFilter, limit: number, offset: number) => {
      const { where, values } = conditions([customer])
      where.push('customer = $1')
      for (const [column, value] of [
        ['origin_chain', by.originChain],
        ['destination_chain', by.destinationChain],
        ['provider', by.provider],
      ] as const)
        if (value !== null) where.push(`${column} = ${values.mark(value)}`)
      where.push(
        `origin_chain in (${values.marks(by.networks)})`,
        `destination_chain in (${values.marks(by.networks)})`,
      )
      if (by.id !== null) {
        const mark = values.mark(by.id)
        where.push(`substr(id, 1, length(${mark})) = ${mark}`)
      } else
        where.push(
          `(draft = 0 or ${isThere(`from actions a where a.customer = quotes.customer and a.quote_id = quotes.id and ${isListedAction('a')}`)})`,
        )
      const all = where.join(' and ')
      const total = await totals(`select count(*) as n from quotes where ${all}`, values.list())
      const rows = await sql.query<ListedQuote>(
        `select ${quoteRowColumns}, ${listed} from quotes where ${all} order by created_at desc, id limit ${values.mark(limit)} offset ${values.mark(offset)}`,
        values.list(),
      )
      return { rows, total }
    },
  }
}
