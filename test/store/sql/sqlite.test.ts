import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { acquireLock, tryLock } from '../../../src/store/file-lock.ts'
import { sqliteSql, storeFault } from '../../../src/store/sql/sqlite.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'sluice-store-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const migrations = ['CREATE TABLE pair (a TEXT, b TEXT) STRICT']

describe('the SQLite driver', () => {
  it('binds numbered placeholders, also repeated and out of order', async () => {
    const sql = sqliteSql(join(home, 'x.db'), { migrations })
    await sql.query('INSERT INTO pair VALUES ($2, $1), ($1, $1)', ['one', 'two'])
    expect(await sql.query('SELECT a FROM pair WHERE b = $1 ORDER BY a', ['one'])).toEqual([
      { a: 'one' },
      { a: 'two' },
    ])
    await sql.close()
  })

  it('binds more than nine placeholders', async () => {
    const sql = sqliteSql(':memory:', { migrations: [] })
    const values = Array.from({ length: 12 }, (_, i) => i)
    const names = values.map((i) => `$${i + 1} AS c${i + 1}`)
    expect(await sql.query(`SELECT ${names.join(', ')}`, values)).toEqual([
      Object.fromEntries(values.map((i) => [`c${i + 1}`, i])),
    ])
    await sql.close()
  })

  it('rolls back a transaction that throws, and runs no other statement in between', async () => {
    const sql = sqliteSql(join(home, 'x.db'), { migrations })
    const failing = sql.transaction(async (inside) => {
      await inside.query("INSERT INTO pair VALUES ('lost', '')")
      throw new Error('no')
    })
    const waiting = sql.query("INSERT INTO pair VALUES ('kept', '')")
    await expect(failing).rejects.toThrow('no')
    await waiting
    expect(await sql.query('SELECT a FROM pair')).toEqual([{ a: 'kept' }])
    await sql.close()
  })

  it('commits the concurrent writes together, before the first one returns', async () => {
    const path = join(home, 'x.db')
    const sql = sqliteSql(path, { migrations })
    const add = (name: string) =>
      sql.transaction(async ({ query }) => {
        await query('INSERT INTO pair VALUES ($1, $1)', [name])
        if (name === 'bad') throw new Error('no')
        return name
      })
    const other = new DatabaseSync(path)
    const seen = () =>
      other
        .prepare('SELECT a FROM pair ORDER BY a')
        .all()
        .map(({ a }) => a)
    const bad = add('bad').catch((error: Error) => error.message)
    const first = add('first').then((name) => [name, seen()])
    const second = add('second')
    const third = sql.query("INSERT INTO pair VALUES ('third', '') RETURNING a")
    expect(await first).toEqual(['first', ['first', 'second', 'third']])
    // A failed write does not undo the others.
    expect([await bad, await second, await third]).toEqual(['no', 'second', [{ a: 'third' }]])
    other.close()
    await sql.close()
  })

  it('creates files and directories with access for their owner only', async () => {
    const path = join(home, 'deep', 'x.db')
    await sqliteSql(path, { migrations }).close()
    expect([statSync(path).mode & 0o777, statSync(join(home, 'deep')).mode & 0o777]).toEqual([0o600, 0o700])
  })

  it('runs new migrations once', async () => {
    const path = join(home, 'x.db')
    await sqliteSql(path, { migrations }).close()
    const sql = sqliteSql(path, { migrations: [...migrations, "INSERT INTO pair VALUES ('second', '')"] })
    expect(await sql.query('SELECT a FROM pair')).toEqual([{ a: 'second' }])
    await sql.close()
  })

  it('refuses a schema of a newer version', async () => {
    const path = join(home, 'x.db')
    await sqliteSql(path, { migrations: [...migrations, 'SELECT 1'] }).close()
    expect(() => sqliteSql(path, { migrations })).toThrow(
      expect.objectContaining({ code: 'STATE_NEWER_SCHEMA' }),
    )
  })

  it('leaves the schema unchanged when a migration fails', async () => {
    const path = join(home, 'x.db')
    await sqliteSql(path, { migrations }).close()
    expect(() =>
      sqliteSql(path, { migrations: [...migrations, 'CREATE TABLE more (x TEXT)', 'nonsense'] }),
    ).toThrow()
    const sql = sqliteSql(path, { migrations })
    expect(await sql.query("SELECT name FROM sqlite_master WHERE name = 'more'")).toEqual([])
    await sql.close()
  })

  it('reports a damaged file with the error code that the caller passes', () => {
    const path = join(home, 'x.db')
    writeFileSync(path, 'this is no database, and never was one; it only has the name of one'.repeat(20))
    expect(() => sqliteSql(path, { migrations })).toThrow(expect.objectContaining({ code: 'STATE_UNUSABLE' }))
    expect(() => sqliteSql(path, { migrations, corrupt: 'JOURNAL_UNREADABLE' })).toThrow(
      expect.objectContaining({ code: 'JOURNAL_UNREADABLE' }),
    )
  })

  it('reports a path that cannot be written as STATE_UNUSABLE', () => {
    writeFileSync(join(home, 'file'), '')
    expect(() => sqliteSql(join(home, 'file', 'x.db'), { migrations })).toThrow(
      expect.objectContaining({ code: 'STATE_UNUSABLE' }),
    )
  })

  it.skipIf(process.getuid?.() === 0)(
    'reports a read-only directory as STATE_UNUSABLE (not as root, who may write anywhere)',
    () => {
      chmodSync(home, 0o500)
      expect(() => sqliteSql(join(home, 'x.db'), { migrations })).toThrow(
        expect.objectContaining({ code: 'STATE_UNUSABLE' }),
      )
    },
  )

  it('reports a full disk', async () => {
    const path = join(home, 'x.db')
    const db = new DatabaseSync(path)
    db.exec('CREATE TABLE pair (a TEXT); PRAGMA max_page_count = 3')
    let fault: unknown
    try {
      db.exec(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 10000) INSERT INTO pair SELECT 'much' || i FROM n",
      )
    } catch (error) {
      fault = storeFault(error, path)
    }
    expect(fault).toMatchObject({
      code: 'STATE_UNUSABLE',
      message: expect.stringContaining('the disk is full'),
    })
    expect(storeFault(Object.assign(new Error('x'), { code: 'EROFS' }), path)).toMatchObject({
      code: 'STATE_UNUSABLE',
    })
    db.close()
    truncateSync(path)
  })
})

describe('a file lock', () => {
  it('has one holder, and is free again when released', async () => {
    const path = join(home, 'wallet.lock')
    const held = tryLock(path)
    expect(held).toBeDefined()
    expect(tryLock(path)).toBeUndefined()
    expect(await acquireLock(path, 60)).toBeUndefined()
    held!.release()
    held!.release()
    expect(tryLock(path)).toBeDefined()
  })

  it('is acquired when its holder releases it', async () => {
    const path = join(home, 'wallet.lock')
    const held = tryLock(path)!
    const waiting = acquireLock(path, 5_000)
    setTimeout(held.release, 50)
    expect(await waiting).toBeDefined()
  })

  it('is free again after its holder was killed', async () => {
    const path = join(home, 'wallet.lock')
    const module = fileURLToPath(new URL('../../../src/store/file-lock.ts', import.meta.url))
    // A lock without references is released by garbage collection.
    const hold = `const { tryLock } = await import(${JSON.stringify(module)}); globalThis.lock = tryLock(${JSON.stringify(path)}); console.log('held'); setInterval(() => {}, 1000)`
    const child = spawn(process.execPath, ['--input-type=module', '-e', hold], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    const ended = once(child, 'close')
    const [said] = await Promise.race([once(child.stdout, 'data'), ended])
    expect(String(said)).toBe('held\n')
    expect(tryLock(path)).toBeUndefined()
    child.kill('SIGKILL')
    expect(await ended).toEqual([null, 'SIGKILL'])
    expect(await acquireLock(path, 30_000)).toBeDefined()
  })
})

it('a cached statement returns correct rows among many others, and after a schema change', async () => {
  const sql = sqliteSql(':memory:', { migrations: ['create table kept (a integer, b text)'] })
  for (let at = 0; at < 500; at++) {
    await sql.query('insert into kept (a, b) values ($1, $2)', [at, at % 2 === 0 ? null : 'odd'])
    expect(await sql.query(`select ${at} as n`)).toEqual([{ n: at }])
    expect(await sql.query('select * from kept where a = $1', [at])).toEqual([
      { a: at, b: at % 2 === 0 ? null : 'odd' },
    ])
  }
  await expect(sql.query('insert into kept (a, nothing) values ($1, $2)', [1, 2])).rejects.toThrow()
  await sql.query('alter table kept add column c integer default 7')
  expect(await sql.query('select * from kept where a = $1', [3])).toEqual([{ a: 3, b: 'odd', c: 7 }])
  await sql.close()
})

describe('a cached query', () => {
  const text = 'SELECT b FROM pair WHERE a = $1'
  const opened = async () => {
    const path = join(home, 'x.db')
    const sql = sqliteSql(path, { migrations })
    await sql.query("INSERT INTO pair VALUES ('one', 'first'), ('two', 'other')")
    const ask = async (a: string) => sql.cachedQuery<{ b: string }>(text, [a])
    return { path, sql, ask }
  }

  it('returns the same frozen rows again, for each parameter its own', async () => {
    const { sql, ask } = await opened()
    const [one, two] = await Promise.all([ask('one'), ask('two')])
    expect([one, two]).toEqual([[{ b: 'first' }], [{ b: 'other' }]])
    const again = await ask('one')
    expect(again[0]).toBe(one[0])
    expect(() => Object.assign(again[0]!, { b: 'changed' })).toThrow(TypeError)
    expect(() => (again as { b: string }[]).pop()).toThrow(TypeError)
    expect(await ask('one')).toEqual([{ b: 'first' }])
    await sql.close()
  })

  it('is read again after a write of the same connection, also a concurrent one', async () => {
    const { sql, ask } = await opened()
    expect(await ask('one')).toEqual([{ b: 'first' }])
    const before = ask('one')
    const writing = sql.query("UPDATE pair SET b = 'second' WHERE a = 'one'")
    const after = ask('one')
    await writing
    expect([await before, await after]).toEqual([[{ b: 'first' }], [{ b: 'second' }]])
    expect(await ask('one')).toEqual([{ b: 'second' }])
    await sql.transaction(async ({ query }) => void (await query("UPDATE pair SET b = 'third'")))
    expect(await ask('one')).toEqual([{ b: 'third' }])
    await sql.close()
  })

  it('is read again after another connection wrote', async () => {
    const { path, sql, ask } = await opened()
    expect([await ask('one'), await ask('none')]).toEqual([[{ b: 'first' }], []])
    const other = new DatabaseSync(path)
    other.exec("UPDATE pair SET b = 'theirs'; INSERT INTO pair VALUES ('none', 'now there')")
    other.close()
    expect(await ask('one')).toEqual([{ b: 'theirs' }])
    expect(await ask('none')).toEqual([{ b: 'now there' }])
    await sql.close()
  })

  it('reports an SQL error, and works afterwards', async () => {
    const { sql, ask } = await opened()
    await expect(sql.cachedQuery('SELECT nothing FROM pair', [])).rejects.toThrow()
    expect(await ask('one')).toEqual([{ b: 'first' }])
    await sql.close()
  })
})

it('a write waits for a lock of another process without blocking reads or the event loop', async () => {
  const path = join(home, 'held.db')
  const options = { migrations: ['CREATE TABLE notes (text TEXT) STRICT'] }
  const sql = sqliteSql(path, options)
  const other = new DatabaseSync(path)
  other.exec('BEGIN IMMEDIATE')
  let over = false
  const written = Promise.all([
    sql.query('insert into notes values ($1)', ['one']),
    sql.transaction(({ query }) => query('insert into notes values ($1)', ['two'])),
  ]).then(() => {
    over = true
  })
  // Reads do not wait for the lock.
  await sql.query('select text from notes')
  expect(await sql.cachedQuery('select text from notes where text = $1', ['one'])).toEqual([])
  expect(over).toBe(false)
  let turns = 0
  for (const until = performance.now() + 600; performance.now() < until; turns++) await sleep(5)
  expect(over).toBe(false)
  // A blocked event loop would have had one turn.
  expect(turns).toBeGreaterThan(10)
  other.exec('COMMIT')
  await written
  expect(await sql.query('select text from notes order by text')).toEqual([{ text: 'one' }, { text: 'two' }])
  other.close()
  await sql.close()
})

it('a write that waits too long for another process fails, and writes nothing', async () => {
  const path = join(home, 'held.db')
  const options = { migrations: ['CREATE TABLE notes (text TEXT) STRICT'], busyMs: 200 }
  const sql = sqliteSql(path, options)
  const other = new DatabaseSync(path)
  other.exec('BEGIN IMMEDIATE')
  // All waiting writes share one time limit.
  const began = performance.now()
  const all = await Promise.allSettled(
    ['one', 'two', 'three', 'four', 'five'].map((one) => sql.query('insert into notes values ($1)', [one])),
  )
  expect(all.map((one) => one.status === 'rejected' && one.reason.code)).toEqual(
    all.map(() => 'STATE_UNUSABLE'),
  )
  expect(performance.now() - began).toBeLessThan(1_500)
  other.exec('COMMIT')
  expect(await sql.query('select text from notes')).toEqual([])
  other.close()
  await sql.close()
})
