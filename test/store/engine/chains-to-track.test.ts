import { expect, test } from 'vitest'
import { engineMigrations, engineStore } from '../../../src/store/engine/store.ts'
import type { Sql } from '../../../src/store/sql/sql-types.ts'
import { issued } from '../../support/event-store.ts'
import { onBothDatabases, rowsVisited } from '../../support/postgres.ts'

const day = 24 * 3_600_000
const now = 100 * day

/** Issues an action with a transaction on each of these chains. */
async function issue(
  store: ReturnType<typeof engineStore>,
  id: string,
  { chains, createdAt = now, status = 'pending' }: { chains: number[]; createdAt?: number; status?: string },
) {
  const [action, [tx], how] = issued(id, { createdAt, status })
  const txs = chains.map((chainId, idx) => ({ ...tx!, chainId, idx }))
  await store.issueOperation(action, txs, how)
}

/** Adds open actions on the chains 10 and 8453, marked on one and with a watch on the other. */
const addMany = async (sql: Sql, count: number) => {
  await sql.query(
    `insert into actions (id, customer, type, status, wallet, receiver, amounts, created_at, updated_at, chains)
     with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
     select 'many' || i, 'acme', 'T', case when i % 3 = 0 then 'pending' else 'confirmed' end, 'w', 'w', 'null', i, i, case when i % 2 = 0 then '10' else '8453' end from n`,
  )
  await sql.query(
    `insert into marked_actions (chain_id, action_id, due_at) select 10, id, 0 from actions where chains = '10'`,
  )
  await sql.query(
    `insert into delivery_watches (chain_id, action_id, filter) select 8453, id, '{}' from actions where chains = '8453'`,
  )
  if ('pool' in sql) await sql.query('analyze')
}

onBothDatabases((open) => {
  test('the chains to track are those of every open action that was sent or is younger than a week, of marks and of watches', async () => {
    const sql = await open(engineMigrations)
    const store = engineStore(sql)
    expect(await store.chainsToTrack(now)).toEqual([])
    await issue(store, 'new', { chains: [10] })
    await issue(store, 'old', { chains: [20], createdAt: now - 8 * day })
    await issue(store, 'sent', { chains: [8453, 30, 30], createdAt: now - 8 * day, status: 'confirmed' })
    await issue(store, 'ended', { chains: [40], status: 'fulfilled' })
    await issue(store, 'empty', { chains: [] })
    await issue(store, 'older-version', { chains: [50] })
    await sql.query(`update actions set chains = null where id = 'older-version'`)
    await sql.query(
      `insert into marked_actions (chain_id, action_id, due_at) values (60, 'ended', 1), (61, 'ended', 1)`,
    )
    await store.watchDeliveries('ended', [{ chainId: 70, filter: '{}' }])
    const all = [10, 30, 50, 60, 61, 70, 8453]
    expect((await store.chainsToTrack(now)).toSorted((a, b) => a - b)).toEqual(all)
    await sql.query(`update actions set status = 'failed' where status in ('pending', 'confirmed')`)
    expect((await store.chainsToTrack(now)).toSorted()).toEqual([60, 61, 70])
  })

  test('the chains to track are found without reading the 3,000 open actions that have them', async () => {
    const sql = await open(engineMigrations)
    await addMany(sql, 3_000)
    const asked: [string, readonly (string | number)[]][] = []
    const store = engineStore({
      ...sql,
      query: <Row>(text: string, values: readonly (string | number)[] = []) => {
        asked.push([text, values])
        return sql.query<Row>(text, values)
      },
    } as Sql)
    expect((await store.chainsToTrack(now)).toSorted()).toEqual([10, 8453])
    expect(asked.length).toBe(1)
    const [text, values] = asked[0]!
    if ('pool' in sql) expect(await rowsVisited(sql, text, values)).toBeLessThan(40)
    else {
      const steps = await sql.query<{ detail: string }>(`explain query plan ${text}`, values)
      const tables = steps.filter(({ detail }) => /^(SCAN|SEARCH) (a|t|actions|action_txs)\b/.test(detail))
      expect(tables.filter(({ detail }) => !detail.startsWith('SEARCH'))).toEqual([])
    }
  })
})
