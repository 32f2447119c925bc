import { accessChanges } from '../api-keys/access-changes.ts'
import { keysSchema } from '../api-keys/keys.ts'
import { sharedLimits } from '../api-keys/shared-key-limits.ts'
import { deliveryQueries } from '../events/delivery-queries.ts'
import { endpointQueries } from '../events/endpoint-queries.ts'
import { eventQueries } from '../events/event-queries.ts'
import { deadLetters, eventPlaces, eventSchema, nextDeliveries, pageIndexes } from '../events/event-tables.ts'
import type { Announcing } from '../events/write-event.ts'
import type { Migration, Sql } from '../sql/sql-types.ts'
import { actionQueries } from './action-queries.ts'
import { actionsNewest, actionsOfWallet, drafts, hashesByCustomer, initialSchema } from './action-tables.ts'
import { actionWrites } from './action-writes.ts'
import { chainLogQueries, chainLogReset, chainLogSchema } from './chain-logs.ts'
import { chainsOfActions, chainTrackingQueries, chainTrackingSchema } from './chain-tracking.ts'
import { clientReportQueries, clientReportSchema } from './client-report-queries.ts'
import { settingChanges, settingQueries } from './customer-settings.ts'
import { idempotentRequestQueries, idempotentRequestSchema } from './idempotent-requests.ts'
import { issuedTransactionQueries } from './issued-transactions.ts'
import { lastOfDay, snapshotQueries, snapshotSchema } from './market-snapshots.ts'
import { submittedQueries, submittedSchema } from './nonce-transactions-cache.ts'
import { orderUseQueries, orderUseSchema } from './order-uses.ts'
import { quotePaymentQueries, quotePaymentSchema } from './quote-payments.ts'
import { actionsByQuote, quoteQueries } from './quote-queries.ts'

/** The table of jobs: one row for each queue and key. `due_at`, `again_at` and `claimed_until` are epoch ms. */
const jobsSchema = `create table jobs (
     queue text not null, key text not null, due_at bigint not null, again_at bigint, claim text, claimed_until bigint, primary key (queue, key));
   create index jobs_due on jobs (queue, due_at)`

/** The migrations of the engine's store, in order. */
export const engineMigrations: readonly Migration[] = [
  initialSchema,
  keysSchema,
  actionsByQuote,
  hashesByCustomer,
  chainLogSchema,
  snapshotSchema,
  actionsNewest,
  chainLogReset,
  submittedSchema,
  clientReportSchema,
  lastOfDay,
  settingChanges,
  actionsOfWallet,
  quotePaymentSchema,
  orderUseSchema,
  drafts,
  jobsSchema,
  sharedLimits,
  idempotentRequestSchema,
  chainTrackingSchema,
  eventSchema,
  deadLetters,
  eventPlaces,
  pageIndexes,
  nextDeliveries,
  accessChanges,
  chainsOfActions,
]

/** The engine's store; every query about a customer names it. */
export type EngineStore = ReturnType<typeof engineStore>

/** A store whose changes nobody waits for: their events are written, and a server that starts later numbers them. */
const unannounced: Announcing = { now: Date.now, add: async () => undefined }

/** The engine's queries over any SQL database. */
export function engineStore(sql: Sql, announcing = unannounced) {
  return {
    ...quoteQueries(sql, announcing),
    ...quotePaymentQueries(sql),
    ...orderUseQueries(sql),
    ...chainLogQueries(sql),
    ...snapshotQueries(sql),
    ...issuedTransactionQueries(sql),
    ...submittedQueries(sql),
    ...clientReportQueries(sql),
    ...settingQueries(sql),
    ...idempotentRequestQueries(sql),
    ...actionQueries(sql),
    ...chainTrackingQueries(sql),
    ...actionWrites(sql, announcing),
    ...eventQueries(sql, announcing),
    ...endpointQueries(sql, announcing),
    ...deliveryQueries(sql, announcing),
    close: sql.close,
  }
}
