import { type EventType, subjectOf } from '../../domain/events/event-table.ts'
import { actionStatus, shownState, swapStatusOf } from '../../domain/swap-outcome.ts'
import { type Announcing, lastTold, writeEvent } from '../events/write-event.ts'
import type { Sql } from '../sql/sql-types.ts'
import {
  type ActionRow,
  actionColumns,
  furthestFirst,
  isListedAction,
  isSwapColumn,
  type QuoteRow,
  quoteRowColumns,
} from './action-tables.ts'

/** Whether a type is a swap. */
const isSwapType = (type: string): boolean => type.endsWith('_SWAP')

/** An issue of an action, with what its shown state needs. */
type Issue = ActionRow & { listed: number; parts: number; originBlock: number | null; told: string | null }

const issueColumns = `${actionColumns}, case when ${isListedAction('a')} then 1 else 0 end as listed,
  (select count(*) from action_txs t where t.action_id = a.id and t.succeeded = 1) as parts,
  (select t.block_number from action_txs t where t.action_id = a.id and t.kind <> 'fee' order by t.idx desc limit 1) as "originBlock",
  (select told from event_subjects s where s.customer = a.customer and s.subject = 'action:' || case when ${isSwapColumn('a.type')} then coalesce(a.quote_id, a.id) else a.id end) as told`

const iso = (time: number): string => new Date(time).toISOString()

/**
 * Writes the events of an action whose rows changed in this transaction, and of its swap: what differs from what was told last. The issues of a quote are
 * one action, whose furthest one counts. An action that is not listed has no events.
 */
export async function tellAction(
  tx: Pick<Sql, 'query'>,
  announcing: Announcing,
  customer: string,
  actionId: string,
): Promise<void> {
  const issues = await tx.query<Issue>(
    `select ${issueColumns} from actions a where id in (select id from actions where id = $2 and customer = $1 union
       select issue.id from actions one join actions issue on issue.customer = one.customer and issue.quote_id = one.quote_id
       where one.id = $2 and one.customer = $1 and ${isSwapColumn('one.type')} and ${isSwapColumn('issue.type')}) order by ${furthestFirst}`,
    [customer, actionId],
  )
  const [counted] = issues
  if (!counted || !issues.some(({ listed }) => Number(listed) === 1)) return
  const isSwap = isSwapType(counted.type) && counted.quoteId !== null
  const id = isSwap ? counted.quoteId! : counted.id
  const told = counted.told ?? undefined
  const state = shownState(counted.status, Number(counted.parts) > 0)
  const write = (type: EventType & `action.${string}`, shown: typeof state) =>
    writeEvent(tx, announcing, {
      customer,
      type,
      id,
      told: shown,
      data: {
        actionId: id,
        type: counted.type,
        status: actionStatus[shown],
        state: shown,
        strategyId: counted.strategyId,
        strategySlug: counted.strategySlug,
        quoteId: counted.quoteId,
        originAddress: counted.wallet,
        receiverAddress: counted.receiver,
        createdAt: iso(Number(counted.createdAt)),
        updatedAt: iso(Number(counted.updatedAt)),
        finishedAt: counted.finishedAt === null ? null : iso(Number(counted.finishedAt)),
      },
    })
  if (told === undefined) await write('action.created', 'pending')
  if (state !== (told ?? 'pending')) await write(eventOfState[state], state)
  if (isSwap) await tellSwap(tx, announcing, customer, id, swapStatusOf(counted.status, counted.originBlock))
  // The bridge of a deposit is followed by its quote.
  else if (counted.quoteId !== null)
    await announcing.add(tx, [{ queue: 'quotes.expire', key: counted.quoteId }])
}

/** The event of an action that has come into a state. */
const eventOfState = {
  pending: 'action.updated',
  expired: 'action.updated',
  confirmed: 'action.updated',
  processing: 'action.updated',
  fulfilled: 'action.succeeded',
  failed: 'action.failed',
  refunded: 'action.refunded',
} as const satisfies Record<keyof typeof actionStatus, EventType>

/** Writes the event of a swap whose status differs from what was told last. A quote begins as `pending`. */
export async function tellSwap(
  tx: Pick<Sql, 'query'>,
  announcing: Announcing,
  customer: string,
  quoteId: string,
  status: string,
): Promise<void> {
  const previousStatus = (await lastTold(tx, customer, subjectOf('quote.expired', quoteId))) ?? 'pending'
  if (previousStatus === status) return
  const quote = await quoteData(tx, customer, quoteId)
  if (!quote) return
  const data = { ...quote, status, previousStatus }
  await writeEvent(tx, announcing, {
    customer,
    type: 'swap.status_changed',
    id: quoteId,
    told: status,
    data,
  })
}

/** Writes the event of a listed quote that expired before its transactions were issued, once. */
export async function tellExpiry(
  tx: Pick<Sql, 'query'>,
  announcing: Announcing,
  quoteId: string,
): Promise<void> {
  const [row] = await tx.query<{ customer: string }>(
    `select customer from quotes where id = $1 and draft = 0 and outcome is null and expires_at <= $2
     and not exists (select 1 from actions a where a.customer = quotes.customer and a.quote_id = quotes.id)`,
    [quoteId, announcing.now()],
  )
  const told = row && (await lastTold(tx, row.customer, subjectOf('quote.expired', quoteId)))
  const data = row && told === undefined ? await quoteData(tx, row.customer, quoteId) : undefined
  if (!row || !data) return
  await writeEvent(tx, announcing, {
    customer: row.customer,
    type: 'quote.expired',
    id: quoteId,
    told: 'expired',
    data,
  })
}

async function quoteData({ query }: Pick<Sql, 'query'>, customer: string, quoteId: string) {
  const [row] = await query<QuoteRow>(
    `select ${quoteRowColumns} from quotes where customer = $1 and id = $2`,
    [customer, quoteId],
  )
  return (
    row && {
      quoteId,
      provider: row.provider,
      originChain: row.originChain,
      destinationChain: row.destinationChain,
      expiresAt: iso(Number(row.expiresAt)),
    }
  )
}
