import { expect, test } from 'vitest'
import { engineMigrations, engineStore } from '../../../src/store/engine/store.ts'
import type { Sql } from '../../../src/store/sql/sql-types.ts'
import { issued } from '../../support/event-store.ts'
import { describePostgres, openPostgres } from '../../support/postgres.ts'

describePostgres('on PostgreSQL', () => {
  test('100 actions without a quote that are issued ten at a time are each stored at the first try, with their event', async () => {
    const sql = await openPostgres(engineMigrations)
    let tries = 0
    const store = engineStore({
      ...sql,
      transaction: (work, options) =>
        sql.transaction((tx) => {
          tries++
          return work(tx)
        }, options),
    } as Sql)
    for (let at = 0; at < 100; at += 10)
      await Promise.all(
        Array.from({ length: 10 }, (_, one) => store.issueOperation(...issued(`a${at + one}`))),
      )
    expect(tries).toBe(100)
    await store.numberEvents('acme')
    const events = await store.events('acme', { after: 0, types: null, since: null, limit: 200 })
    expect(events.map(({ type, seq }) => `${type} ${seq}`)).toEqual(Array(100).fill('action.created 1'))
    await sql.close()
  })
})
