import { onTestFinished } from 'vitest'
import { eventService } from '../../src/events/event-service.ts'
import type { ActionRow, ActionTxRow } from '../../src/store/engine/action-tables.ts'
import { engineMigrations, engineStore } from '../../src/store/engine/store.ts'
import { sqliteSql } from '../../src/store/sql/sqlite.ts'

/** A store of the engine in memory, with its clock and the jobs that its changes added. */
export function eventStore() {
  const sql = sqliteSql(':memory:', { migrations: engineMigrations })
  const time = { now: 1_800_000_000_000 }
  const jobs: { queue: string; key: string; at?: number }[] = []
  const now = () => time.now
  const store = engineStore(sql, { now, add: async (_, added) => void jobs.push(...added) })
  onTestFinished(() => sql.close())
  return {
    sql,
    store,
    time,
    jobs,
    service: (customer = 'acme') => eventService({ store, customer, now, allowLoopback: true }),
    /** The types of a customer's events with their subjects and numbers, in their order. */
    told: async (customer = 'acme') => {
      await store.numberEvents(customer)
      const rows = await store.events(customer, { after: 0, types: null, since: null, limit: 1_000 })
      return rows.map(({ type, subject, seq }) => `${subject} ${seq} ${type}`)
    },
  }
}

/** An action as it is issued, with one transaction. */
export const issued = (
  id: string,
  change: Partial<ActionRow> = {},
): [row: ActionRow, txs: ActionTxRow[], how: { otherId: string; most: number }] => [
  {
    id,
    customer: 'acme',
    type: 'STRATEGY_DEPOSIT',
    status: 'pending',
    strategyId: 's',
    strategySlug: 's',
    wallet: '0x1',
    receiver: '0x1',
    amounts: '{}',
    quoteId: null,
    destinationHash: null,
    createdAt: 1,
    updatedAt: 1,
    finishedAt: null,
    draft: 0,
    cancelledAt: null,
    ...change,
  },
  [
    {
      actionId: id,
      idx: 0,
      kind: 'deposit',
      chainId: 1,
      recipient: '0x2',
      data: `0x${id}`,
      value: '0',
      fromBlock: 1,
      fromNonce: 0,
      hash: null,
      nonce: null,
      blockNumber: null,
      blockHash: null,
      succeeded: null,
      gasUsed: null,
    },
  ],
  { otherId: `${id}-again`, most: 8 },
]
