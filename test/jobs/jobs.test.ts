import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Jobs } from '../../src/jobs/jobs-type.ts'
import { postgresJobs } from '../../src/jobs/postgres-jobs.ts'
import { sqliteJobs } from '../../src/jobs/sqlite-jobs.ts'
import { engineMigrations } from '../../src/store/engine/store.ts'
import type { Sql } from '../../src/store/sql/sql-types.ts'
import { sqliteSql } from '../../src/store/sql/sqlite.ts'
import { describePostgres, newDatabase, openPostgres } from '../support/postgres.ts'

/** An engine of jobs under test: `open` makes one more process of the same database. */
type Opened = { sql: Sql; jobs: Jobs; errors: unknown[] }
type Engine = { name: string; database: () => { open: () => Promise<Opened> } }

const sqlite: Engine = {
  name: 'SQLite',
  database: () => {
    const dir = mkdtempSync(join(tmpdir(), 'sluice-jobs-'))
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
    return {
      open: async () => {
        const sql = sqliteSql(join(dir, 'jobs.db'), { migrations: engineMigrations })
        const errors: unknown[] = []
        const times = { leaseMs: 400, pollMs: 20, retryMs: 10 }
        const jobs = sqliteJobs(sql, { now: Date.now, times, onError: (_, error) => errors.push(error) })
        onTestFinished(async () => {
          await jobs.stop()
          await sql.close()
        })
        return { sql, jobs, errors }
      },
    }
  },
}

const postgres: Engine = {
  name: 'PostgreSQL',
  database: () => {
    let made: Promise<string> | undefined
    return {
      open: async () => {
        made ??= newDatabase()
        const sql = await openPostgres(engineMigrations, { database: await made })
        const errors: unknown[] = []
        const times = { poll: 0.5, heartbeat: 10, supervise: 1, retry: 0.01 }
        const onError = (_: unknown, error: unknown) => void errors.push(error)
        const jobs = await postgresJobs(sql, { password: () => sql.place.password, onError, times })
        onTestFinished(async () => {
          await jobs.stop()
          await sql.close()
        })
        return { sql, jobs, errors }
      },
    }
  },
}

const queue = 'quotes.expire'

/** Waits until `is` holds. */
const until = (is: () => boolean) => expect.poll(is, { timeout: 10_000, interval: 5 }).toBe(true)

/** A promise with its resolver. */
const gate = () => Promise.withResolvers<void>()

const laws = ({ database }: Engine) => {
  it('runs a job that was added in a transaction, and none whose transaction was undone', async () => {
    const { sql, jobs } = await database().open()
    const seen: string[] = []
    jobs.work(queue, { concurrency: 2 }, async ({ key }) => void seen.push(key))
    await jobs.start()
    const undone = sql.transaction(async (tx) => {
      await jobs.add(tx, [{ queue, key: 'undone' }])
      throw new Error('no')
    })
    await expect(undone).rejects.toThrow('no')
    await sql.transaction((tx) => jobs.add(tx, [{ queue, key: 'kept' }]))
    await until(() => seen.includes('kept'))
    expect(seen).toEqual(['kept'])
  })

  it('runs jobs that were added before it started, each only by the handler of its queue', async () => {
    const { open } = database()
    const { sql, jobs } = await open()
    await sql.transaction((tx) =>
      jobs.add(tx, [
        { queue, key: 'a' },
        { queue: 'strategies.watch', key: 'a' },
      ]),
    )
    const seen: string[] = []
    jobs.work(queue, { concurrency: 1 }, async (job) => void seen.push(job.queue))
    jobs.work('strategies.watch', { concurrency: 1 }, async (job) => void seen.push(job.queue))
    await jobs.start()
    await until(() => seen.length === 2)
    expect(seen.toSorted()).toEqual([queue, 'strategies.watch'])
  })

  it('never runs two jobs of one key at a time in two processes, and runs what was added meanwhile afterwards', async () => {
    const { open } = database()
    const [one, two] = [await open(), await open()]
    let running = 0
    let most = 0
    let runs = 0
    const others: string[] = []
    const first = gate()
    for (const { jobs } of [one, two])
      jobs.work(queue, { concurrency: 4 }, async ({ key }) => {
        if (key !== 'a') return void others.push(key)
        most = Math.max(most, ++running)
        if (runs++ === 0) await first.promise
        running--
      })
    await one.jobs.start()
    await two.jobs.start()
    await one.sql.transaction((tx) => one.jobs.add(tx, [{ queue, key: 'a' }]))
    await until(() => running === 1)
    await two.sql.transaction((tx) =>
      two.jobs.add(tx, [
        { queue, key: 'a' },
        { queue, key: 'b' },
      ]),
    )
    await until(() => others.includes('b'))
    expect(runs).toBe(1)
    first.resolve()
    await until(() => runs === 2)
    expect(most).toBe(1)
  })

  it('runs a job not before its time, and earlier if an earlier one of its key is added', async () => {
    const { sql, jobs } = await database().open()
    const seen: number[] = []
    jobs.work(queue, { concurrency: 1 }, async () => void seen.push(Date.now()))
    await jobs.start()
    const at = Date.now() + 150
    await sql.transaction((tx) => jobs.add(tx, [{ queue, key: 'a', at: at + 3_600_000 }]))
    await sql.transaction((tx) => jobs.add(tx, [{ queue, key: 'a', at }]))
    await sql.transaction((tx) => jobs.add(tx, [{ queue, key: 'a', at: at + 3_600_000 }]))
    await until(() => seen.length > 0)
    expect(seen[0]).toBeGreaterThanOrEqual(at)
    expect(seen).toHaveLength(1)
  })

  it('runs a job again that its own handler added, and one whose handler failed', async () => {
    const { sql, jobs, errors } = await database().open()
    let runs = 0
    jobs.work(queue, { concurrency: 1 }, async ({ key }) => {
      runs++
      if (runs === 1) throw new Error('once')
      if (runs === 2) await sql.transaction((tx) => jobs.add(tx, [{ queue, key }]))
    })
    await jobs.start()
    await sql.transaction((tx) => jobs.add(tx, [{ queue, key: 'a' }]))
    await until(() => runs === 3)
    expect(errors).toHaveLength(1)
  })

  it('stops only after its handlers have ended, and takes no more', async () => {
    const { sql, jobs } = await database().open()
    const [began, mayEnd] = [gate(), gate()]
    const seen: string[] = []
    jobs.work(queue, { concurrency: 1 }, async ({ key }) => {
      began.resolve()
      await mayEnd.promise
      seen.push(key)
    })
    await jobs.start()
    await sql.transaction((tx) =>
      jobs.add(tx, [
        { queue, key: 'a' },
        { queue, key: 'b' },
      ]),
    )
    await began.promise
    const stopped = jobs.stop()
    mayEnd.resolve()
    await stopped
    expect(seen).toHaveLength(1)
  })
}

describe('jobs on SQLite', () => laws(sqlite))
describePostgres('jobs on PostgreSQL', () => {
  laws(postgres)

  it('starts in several processes at once on an empty database', async () => {
    const { open } = postgres.database()
    const all = await Promise.all([open(), open(), open()])
    const seen: string[] = []
    all[2].jobs.work(queue, { concurrency: 1 }, async ({ key }) => void seen.push(key))
    await all[2].jobs.start()
    await all[0].sql.transaction((tx) => all[1].jobs.add(tx, [{ queue, key: 'a' }]))
    await until(() => seen.includes('a'))
  })

  it('runs a job again whose process ended, and then what was added for its key meanwhile', async () => {
    const { sql, jobs } = await postgres.database().open()
    const stored = async (count: number) =>
      expect
        .poll(() => sql.query('select id from sluice_jobs.job'), { timeout: 10_000, interval: 5 })
        .toHaveLength(count)
    await sql.transaction((tx) => jobs.add(tx, [{ queue, key: 'a' }]))
    await stored(1)
    // As a process leaves it that was killed a minute ago.
    await sql.query(
      "update sluice_jobs.job set state = 'active', started_on = now() - interval '1 minute', heartbeat_on = now() - interval '1 minute', retry_count = 1",
    )
    await sql.transaction((tx) =>
      jobs.add(tx, [
        { queue, key: 'a' },
        { queue, key: 'b' },
      ]),
    )
    await stored(3)
    const seen: string[] = []
    jobs.work(queue, { concurrency: 2 }, async ({ key }) => void seen.push(key))
    await jobs.start()
    await until(() => seen.length === 3)
    expect(seen).toEqual(['b', 'a', 'a'])
  })

  it('does not lose a job whose key waits already, although that one begins before the transaction has ended', async () => {
    const { sql, jobs } = await postgres.database().open()
    const seen: number[] = []
    let isBegun = false
    jobs.work(queue, { concurrency: 2 }, async ({ key }) => {
      if (key === 'b') {
        isBegun = true
        return
      }
      const [row] = await sql.query<{ n: number }>("select count(*) as n from settings where customer = 'a'")
      seen.push(row!.n)
    })
    await sql.transaction((tx) => jobs.add(tx, [{ queue, key: 'a' }]))
    const [added, mayEnd] = [gate(), gate()]
    const change = sql.transaction(async (tx) => {
      await tx.query("insert into settings values ('a', 'b', 'c') on conflict do nothing")
      await jobs.add(tx, [{ queue, key: 'a' }])
      added.resolve()
      await mayEnd.promise
    })
    await added.promise
    await jobs.start()
    // It comes after the one of the other key.
    await sql.transaction((tx) => jobs.add(tx, [{ queue, key: 'b' }]))
    await until(() => isBegun)
    mayEnd.resolve()
    await change
    await until(() => seen.includes(1))
  })
})

describe('the lease of a job on SQLite', () => {
  it('renews the lease of a job that runs long, and takes over one whose process ended', async () => {
    const { open } = sqlite.database()
    const [dead, two] = [await open(), await open()]
    const dueAt = Date.now()
    await dead.sql.query(
      `insert into jobs (queue, key, due_at, claim, claimed_until) values ('${queue}', 'left', $1, 'ended', $2)`,
      [dueAt, dueAt + 200],
    )
    const long = gate()
    const seen: string[] = []
    for (const { jobs } of [dead, two])
      jobs.work(queue, { concurrency: 2 }, async ({ key }) => {
        seen.push(key)
        if (key === 'long') await long.promise
      })
    await two.jobs.start()
    await dead.jobs.start()
    await two.sql.transaction((tx) => two.jobs.add(tx, [{ queue, key: 'long' }]))
    await until(() => seen.includes('left'))
    // More than the lease of a process that had not renewed it.
    await until(() => Date.now() > dueAt + 1_000)
    expect(seen.toSorted()).toEqual(['left', 'long'])
    long.resolve()
  })
})
