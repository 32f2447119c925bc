import { existsSync } from 'node:fs'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import type { ActionStatus } from '../domain/swap-outcome.ts'
import { type OperationState, statusOfState } from './journal/states.ts'

/** An item with an id and a short description. */
export type RecentItem = { id: string; about: string }

/** A recent quote; `until` is its expiry in epoch ms, `null` if unknown. */
export type RecentQuote = RecentItem & { until: number | null }

/**
 * A quote whose swap was started; `isNamed` is 1 if the quote id was its key, so that naming it again continues the same operation.
 */
export type StartedSwap = { id: string; isNamed: 0 | 1; status: ActionStatus }

/** The newest operations of a journal, for shell completion. */
export const recentOperations = (journal: string): RecentItem[] =>
  rowsOf<{ id: string; kind: string } & Ended>(
    journal,
    `select id, kind, ${ended} from operation order by created desc, id desc limit 50`,
  ).map(({ id, kind, ...end }) => ({ id, about: `${kind} ${statusOf(end)}` }))

/** What the status of an operation is made of. */
type Ended = { state: OperationState; isRefunded: 0 | 1 }
const ended = `state, state = 'FAILED' and exit = 25
    and (json_extract(result, '$.refund') is not null or json_extract(result, '$.ended.status') = 'refunded') as isRefunded`

/** The status as the lists show it. */
const statusOf = ({ state, isRefunded }: Ended): ActionStatus =>
  isRefunded ? 'REFUNDED' : statusOfState[state]

/** The newest webhooks of the database of a server, for shell completion. */
export const recentWebhooks = (database: string): RecentItem[] =>
  rowsOf<RecentItem>(
    database,
    'select id, url as about from webhook_endpoints order by created_at desc limit 50',
  )

/** The newest deliveries of a webhook, for shell completion. */
export const recentDeliveries = (database: string, webhook: string): RecentItem[] =>
  rowsOf<RecentItem>(
    database,
    `select d.id, coalesce(e.type, '') || ' ' || d.state as about from webhook_deliveries d left join events e on e.id = d.event_id
     where d.endpoint_id = ? order by d.created_at desc limit 50`,
    webhook,
  )

/** The newest quotes of a profile, for shell completion. */
export const recentQuotes = (memory: string, profile: string): RecentQuote[] =>
  rowsOf<RecentQuote>(
    memory,
    `select id, json_extract(value, '$.seen.about') as about, json_extract(value, '$.seen.until') as until from memory
     where json_extract(value, '$.seen.profile') = ? order by at desc limit 50`,
    profile,
  )

/** The operations of a journal among these quote ids. */
export const startedSwaps = (journal: string, ids: readonly string[]): StartedSwap[] =>
  rowsOf<Omit<StartedSwap, 'status'> & Ended>(
    journal,
    `select id, idem_key = id and json_extract(request, '$.quote') is not null as isNamed, ${ended} from operation where state <> 'DROPPED' and id in (${ids.map(() => '?').join(', ')})`,
    ...ids,
  ).map(({ id, isNamed, ...end }) => ({ id, isNamed, status: statusOf(end) }))

/** The rows of a query; empty if the file cannot be read now. */
function rowsOf<row>(path: string, question: string, ...values: SQLInputValue[]): row[] {
  if (!existsSync(path)) return []
  let db: DatabaseSync | undefined
  try {
    // Read-only and without waiting: another process may be using it.
    db = new DatabaseSync(path, { readOnly: true, timeout: 20 })
    return db.prepare(question).all(...values) as row[]
  } catch {
    // Completion shows candidates or nothing.
    return []
  } finally {
    db?.close()
  }
}
