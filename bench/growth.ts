import { loadavg } from 'node:os'
import { type EngineStore, engineStore } from '../src/store/engine/store.ts'
import type { PostgresSql } from '../src/store/sql/postgres.ts'
import type { Sql } from '../src/store/sql/sql-types.ts'
import { type DatabaseKind, openOwnDatabase, ownDatabase } from './campaign-database.ts'
import { figure, flag } from './measure.ts'

/*
 * The least time of each paged read while its tables grow to `--rows`, all rows of one customer, on both databases; and the memory of this process.
 * `npm run bench:growth -- --rows 1000000 --rounds 15`
 */

const rows = flag('rows', 100_000)
const rounds = flag('rounds', 15)
const sizes = [1_000, 10_000, 100_000, 1_000_000].filter((size) => size <= rows)
const atOnce = 50_000

/** The numbers from one to another, as SQL. */
const numbers = (from: number, to: number) =>
  `(with recursive n(i) as (select ${from} union all select i + 1 from n where i < ${to}) select i from n) as n`
const wallet = (i: string) => `'0x' || (${i})`
const start = 1_700_000_000_000

/** The statements that add the rows with these numbers: one action in a hundred is open, one delivery in a hundred waits, one in fifty is dead. */
const statements = (from: number, to: number): string[] => {
  const of = numbers(from, to)
  return [
    `insert into quotes (id, customer, provider, origin_chain, destination_chain, wire, offer, created_at, expires_at, draft)
     select 'q' || i, 'acme', 'uniswap', 'base', 'ethereum', '{"id":"' || i || '"}', '{}', ${start} + i * 10, ${start} + i * 10 + 60000, case when i % 10 = 0 then 1 else 0 end from ${of}`,
    `insert into actions (id, customer, type, status, strategy_id, strategy_slug, wallet, receiver, amounts, quote_id, created_at, updated_at, finished_at, draft, chains)
     select 'a' || i, 'acme', 'SAMECHAIN_INVESTMENT_DEPOSIT', case when i % 100 = 1 then 'pending' else 'fulfilled' end, 's' || (i % 7), 's' || (i % 7),
       ${wallet('i / 100')}, ${wallet('i / 100')}, 'null', null, ${start} + i * 10, ${start} + i * 10, ${start} + i * 10, case when i % 10 = 0 then 1 else 0 end, '8453' from ${of}`,
    `insert into action_txs (action_id, idx, customer, kind, chain_id, recipient, data, value, from_block, from_nonce, hash, nonce, block_number, block_hash, succeeded, gas_used)
     select 'a' || i, 0, 'acme', case when i % 5 = 0 then 'fee' else 'deposit' end, 8453, '0xbee', '0x' || i, '0', i, i % 100, case when i % 10 = 0 or i % 100 = 1 then null else '0x' || i end,
       i % 100, i, '0xb', case when i % 10 = 0 or i % 100 = 1 then null else 1 end, '1' from ${of}`,
    `insert into events (id, customer, type, subject, seq, at, data, cursor)
     select 'evt_' || i, 'acme', case when i % 2 = 0 then 'action.created' else 'action.succeeded' end, 'action:a' || (i / 2), 1 + i % 2, ${start} + i * 10, '{}', i from ${of}`,
    `insert into webhook_deliveries (id, endpoint_id, event_id, customer, subject, seq, state, attempt, tries, due_at, created_at, updated_at)
     select 'dlv_' || i, 'we_one', 'evt_' || i, 'acme', 'action:a' || (i / 2), 1 + i % 2, case when i % 100 = 0 then 'pending' when i % 50 = 1 then 'dead' else 'delivered' end,
       1, 1, 0, ${start} + i * 10, ${start} + i * 10 from ${of}`,
    `insert into chain_logs (chain_id, source, owner, block, idx, log)
     select 8453, '0xsource', ${wallet('i / 100')}, i, 0, '{"blockNumber":"0x1","data":"0x0000000000000000"}' from ${of}`,
  ]
}

type Case = { name: string; read: (store: EngineStore, size: number, sql: Sql) => Promise<unknown> }

const filter = { wallet: null, states: null, start: null, hash: null, chainIds: [8453, 1] }
const page = { limit: 10, offset: 0 }
const quoteFilter = {
  ...{ originChain: null, destinationChain: null, provider: null, id: null, networks: ['base', 'ethereum'] },
}
const after = (cursor: number, since: number | null = null) => ({
  ...{ after: cursor, types: null, since, limit: 50 },
})

/** A list whose total is counted anew, as in the first request after the time for which a large total stands. */
const counted =
  (read: Case['read']) =>
  (_: EngineStore, size: number, sql: Sql): Promise<unknown> =>
    read(engineStore(sql), size, sql)

const cases: readonly Case[] = [
  { name: 'actions-counted', read: counted((store) => store.actionPage('acme', filter, page)) },
  { name: 'quotes-counted', read: counted((store) => store.quotes('acme', quoteFilter, 10, 0)) },
  {
    name: 'deliveries-counted',
    read: counted((store) => store.deliveries('acme', 'we_one', { state: null, ...page })),
  },
  { name: 'actions', read: (store) => store.actionPage('acme', filter, page) },
  {
    name: 'actions-open',
    read: (store) => store.actionPage('acme', { ...filter, states: ['pending'] }, page),
  },
  {
    name: 'actions-of-wallet',
    read: (store) => store.actionPage('acme', { ...filter, wallet: '0x3' }, page),
  },
  { name: 'quotes', read: (store) => store.quotes('acme', quoteFilter, 10, 0) },
  { name: 'deliveries', read: (store) => store.deliveries('acme', 'we_one', { state: null, ...page }) },
  {
    name: 'deliveries-dead',
    read: (store) => store.deliveries('acme', 'we_one', { state: 'dead', ...page }),
  },
  { name: 'deliveries-due', read: (store) => store.dueDeliveries('we_one', Date.now(), 8) },
  { name: 'deliveries-next', read: (store) => store.nextDue('we_one') },
  { name: 'events-first', read: (store) => store.events('acme', after(0)) },
  { name: 'events-last', read: (store, size) => store.events('acme', after(size - 60)) },
  { name: 'events-since', read: (store, size) => store.events('acme', after(0, start + (size - 60) * 10)) },
  { name: 'events-cursor', read: (store) => store.lastCursor('acme') },
  { name: 'history', read: (store) => store.storedLogs({ chainId: 8453, source: '0xsource', owner: '0x3' }) },
  { name: 'strategies-of-wallet', read: (store) => store.strategiesOf('0x3') },
  { name: 'fees-of-wallet', read: (store) => store.feePayments('acme', '0x3') },
  { name: 'chains-to-track', read: (store) => store.chainsToTrack(start + 1e11) },
]

async function fill(sql: Sql, from: number, to: number): Promise<void> {
  for (let at = from; at <= to; at += atOnce)
    for (const text of statements(at, Math.min(to, at + atOnce - 1))) await sql.query(text)
  // As the autovacuum of PostgreSQL does a little later; SQLite has no need of it.
  if ('pool' in sql)
    await (sql as PostgresSql).pool.query({ text: 'vacuum analyze', query_timeout: 600_000 } as never)
}

async function measured(kind: DatabaseKind): Promise<void> {
  const own = await ownDatabase(kind)
  const url = kind === 'postgres' ? `${own.url}?statement_timeout=600000` : own.url
  const sql = await openOwnDatabase(url)
  const store = engineStore(sql)
  const times = new Map<string, number[]>(cases.map(({ name }) => [name, []]))
  let filled = 0
  for (const size of sizes) {
    await fill(sql, filled + 1, size)
    filled = size
    const round: Map<string, number[]> = new Map(cases.map(({ name }) => [name, []]))
    for (let at = 0; at <= rounds; at++)
      for (const { name, read } of cases) {
        const began = performance.now()
        await read(store, size, sql)
        if (at > 0) round.get(name)!.push(performance.now() - began)
      }
    // The least time is that of the reads that nothing else on the machine held up.
    for (const { name } of cases) times.get(name)!.push(Math.min(...round.get(name)!))
    const { rss } = process.memoryUsage()
    process.stdout.write(
      `${kind} ${size} rows: memory ${(rss / 2 ** 20).toFixed(0)} MB, load ${loadavg()[0]!.toFixed(1)}\n`,
    )
  }
  for (const [name, all] of times) {
    process.stdout.write(
      `${kind.padEnd(8)} ${name.padEnd(20)} ${all.map((ms) => `${ms.toFixed(2)} ms`.padStart(12)).join('')}\n`,
    )
    figure('growth', `${kind}-${name}`, all.at(-1)! / all[0]!, 'none')
  }
  await sql.close()
  await own.close()
}

for (const kind of ['sqlite', 'postgres'] as const) await measured(kind)
