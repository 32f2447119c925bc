import { expect, test } from 'vitest'
import { engineMigrations, engineStore } from '../../../src/store/engine/store.ts'
import { nextDeliveries } from '../../../src/store/events/event-tables.ts'
import type { Sql } from '../../../src/store/sql/sql-types.ts'
import { sqliteSql } from '../../../src/store/sql/sqlite.ts'
import { describePostgres, onBothDatabases, openPostgres, rowsVisited } from '../../support/postgres.ts'

/** The most rows of deliveries that a query reads: those that PostgreSQL visited, or all that are in the index that SQLite chose. */
async function deliveriesRead(sql: Sql, text: string, values: readonly (string | number)[]): Promise<number> {
  const indexes = await sql
    .query<{ name: string; sql: string }>(`select name, sql from sqlite_master where type = 'index'`)
    .catch(() => undefined)
  if (indexes === undefined) return rowsVisited(sql, text, values)
  const steps = await sql.query<{ detail: string }>(`explain query plan ${text}`, values)
  const name = steps
    .map(({ detail }) => /^S\w+ d USING (?:COVERING )?INDEX (\w+)/.exec(detail)?.[1])
    .find((found) => found)
  const condition = indexes.find((index) => index.name === name)?.sql.split(/ where /i)[1] ?? 'true'
  const [row] = await sql.query<{ n: number }>(
    `select count(*) as n from webhook_deliveries where ${condition}`,
  )
  return Number(row!.n)
}

/** Adds events of a subject to acme, which are not numbered yet. */
const addEvents = (sql: Sql, { subject, from, to }: { subject: string; from: number; to: number }) =>
  sql.query(
    `insert into events (id, customer, type, subject, seq, at, data) with recursive n(seq) as (select ${from} union all select seq + 1 from n where seq < ${to})
     select 'evt_${subject}-' || seq, 'acme', 'action.updated', '${subject}', seq, seq, '{}' from n`,
  )

/** A store with one endpoint of acme; its clock stands at 1,000. */
async function withEndpoint(sql: Sql) {
  const store = engineStore(sql, { now: () => 1_000, add: async () => undefined })
  const endpoint = { customer: 'acme', url: 'u', types: null, payload: 'full' as const, apyLine: null }
  const rest = { liquidityLine: null, secrets: '[]', createdAt: 1, disabledAt: null, reason: null }
  await store.addEndpoint({ id: 'we_1', ...endpoint, ...rest, failures: 0, restsUntil: 0 }, 9)
  return {
    store,
    due: async () =>
      (await store.dueDeliveries('we_1', 1_000, 8)).map(({ subject, seq }) => `${subject}${seq}`).toSorted(),
    /** Claims the first due delivery of a subject; returns how its attempt ends. */
    claim: async (subject: string) => {
      const all = await store.dueDeliveries('we_1', 1_000, 8)
      const delivery = all.find((one) => one.subject === subject)!
      await store.claimDelivery(delivery, { now: 1_000, leaseMs: 10 })
      const attempt = Number(delivery.attempt) + 1
      return (state: 'delivered' | 'dead' | 'pending' = 'delivered', dueAt = 0) =>
        store.keepAttempt(
          { id: delivery.id, attempt },
          { state, tries: 1, dueAt, response: 200, error: null },
          1_000,
        )
    },
  }
}

onBothDatabases((open) => {
  test('2,000 deliveries that wait behind one of their subject are not read to find the next one, also when it is sent', async () => {
    const sql = await open(engineMigrations)
    const asked: [string, readonly (string | number)[]][] = []
    const watched = {
      ...sql,
      query: <Row>(text: string, values: readonly (string | number)[] = []) => {
        asked.push([text, values])
        return sql.query<Row>(text, values)
      },
      transaction: (work, options) =>
        sql.transaction(
          (tx) =>
            work({
              query: (text, values = []) => {
                if (text.includes('set is_next')) marked.push([text, values as never])
                return tx.query(text, values)
              },
            }),
          options,
        ),
    } as Sql
    const marked: [string, readonly (string | number)[]][] = []
    const { store, due, claim } = await withEndpoint(watched)
    await addEvents(sql, { subject: 's', from: 1, to: 1_000 })
    await addEvents(sql, { subject: 't', from: 1, to: 3 })
    for (let batch = 0; batch < 3; batch++) await store.numberEvents('acme')
    await addEvents(sql, { subject: 's', from: 1_001, to: 2_000 })
    for (let batch = 0; batch < 3; batch++) await store.numberEvents('acme')
    const rounds: string[][] = []
    for (let round = 0; round < 4; round++) {
      asked.length = 0
      const subjects = await due()
      await store.nextDue('we_1')
      for (const [text, values] of asked) expect(await deliveriesRead(sql, text, values)).toBeLessThan(20)
      rounds.push(subjects)
      for (const subject of subjects) await (await claim(subject[0]!))()
    }
    // What the end of a delivery reads to mark the next; SQLite does not say how many rows a search with an order reads.
    expect(marked.length).toBe(7)
    if ('pool' in sql)
      for (const [text, values] of marked) expect(await deliveriesRead(sql, text, values)).toBeLessThan(20)
    expect(rounds).toEqual([['s1', 't1'], ['s2', 't2'], ['s3', 't3'], ['s4']])
    await sql.close()
  })

  test('the next delivery of a subject is due after the one before was given up, sent again, replayed, or ended by an older version', async () => {
    const sql = await open(engineMigrations)
    const { store, due, claim } = await withEndpoint(sql)
    for (const seq of [1, 2, 3, 4]) {
      await addEvents(sql, { subject: 's', from: seq, to: seq })
      await store.numberEvents('acme')
    }
    await (await claim('s'))('pending', 2_000)
    expect([await due(), await store.nextDue('we_1')]).toEqual([[], 2_000])
    const again = (id: string) => store.resend({ customer: 'acme', endpointId: 'we_1', id: `dlv_${id}_1` })
    await again('s-1')
    await (await claim('s'))('dead')
    // The second is under way while the first is sent again.
    const second = await claim('s')
    expect(await store.nextDue('we_1')).toBe(1_010)
    await again('s-1')
    const first = await claim('s')
    await Promise.all([first(), second()])
    expect(await due()).toEqual(['s3'])
    await store.replay({ customer: 'acme', endpointId: 'we_1', since: 0 })
    for (const seq of [1, 2, 3, 4]) {
      expect(await due()).toEqual([`s${seq}`])
      await (await claim('s'))()
    }
    await store.replay({ customer: 'acme', endpointId: 'we_1', since: 0 })
    await sql.query(`update webhook_deliveries set state = 'delivered' where seq = 1`)
    expect(await due()).toEqual([])
    await store.markNext()
    expect(await due()).toEqual(['s2'])
    await sql.close()
  })
})

test('the next delivery of each subject is marked in a database of an older version', async () => {
  const sql = sqliteSql(':memory:', { migrations: engineMigrations })
  const { store, due } = await withEndpoint(sql)
  await addEvents(sql, { subject: 's', from: 1, to: 9 })
  await store.numberEvents('acme')
  await sql.query('drop index deliveries_next')
  await sql.query('drop index deliveries_next_of_subject')
  await sql.query('alter table webhook_deliveries drop column is_next')
  await sql.query('alter table webhook_deliveries drop column followed')
  await sql.query('create index deliveries_due_in_order on webhook_deliveries (seq)')
  for (const text of nextDeliveries.split(';')) await sql.query(text)
  expect(await due()).toEqual(['s1'])
  expect(await sql.query('select seq from webhook_deliveries where is_next = 1')).toEqual([{ seq: 1 }])
  await sql.close()
})

describePostgres('on PostgreSQL', () => {
  for (const isEndFirst of [true, false])
    test(`a delivery is due that is added while the one before it ends, if ${isEndFirst ? 'the end' : 'the addition'} is committed first`, async () => {
      const sql = await openPostgres(engineMigrations)
      const { store, claim, due } = await withEndpoint(sql)
      await addEvents(sql, { subject: 's', from: 1, to: 1 })
      await store.numberEvents('acme')
      await addEvents(sql, { subject: 's', from: 2, to: 2 })
      /** The same store, whose transactions wait before their commit. */
      const reached = Promise.withResolvers<void>()
      const gate = Promise.withResolvers<void>()
      const slow = engineStore(
        {
          ...sql,
          transaction: (work, options) =>
            sql.transaction(async (tx) => {
              const result = await work(tx)
              reached.resolve()
              await gate.promise
              return result
            }, options),
        },
        { now: () => 1_000, add: async () => undefined },
      )
      const [delivery] = await store.dueDeliveries('we_1', 1_000, 1)
      await claim('s')
      const end = (by: typeof store) =>
        by.keepAttempt(
          { id: delivery!.id, attempt: 1 },
          { state: 'delivered', tries: 1, dueAt: 0, response: 200, error: null },
          1_000,
        )
      const add = (by: typeof store) => by.numberEvents('acme')
      const one = isEndFirst ? end(slow) : add(slow)
      await reached.promise
      let isDone = false
      const other = (isEndFirst ? add(store) : end(store)).then(() => {
        isDone = true
      })
      // The second has ended, or waits for the first.
      for (let waits = 0; !isDone && waits === 0; ) {
        const [row] = await sql.query<{ n: number }>(
          `select count(*) as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        )
        waits = Number(row!.n)
      }
      gate.resolve()
      await Promise.all([one, other])
      expect(await due()).toEqual(['s2'])
      await sql.close()
    })
})
