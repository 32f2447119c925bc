import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { expect, inject, onTestFinished, test } from 'vitest'
import { cachedKeyOwner, keyStore, newKey } from '../../../src/store/api-keys/keys.ts'
import { engineMigrations, engineStore } from '../../../src/store/engine/store.ts'
import { type PostgresSql, postgresSql } from '../../../src/store/sql/postgres.ts'
import { postgresFault } from '../../../src/store/sql/postgres-faults.ts'
import { postgresPlace } from '../../../src/store/sql/postgres-url.ts'
import type { Sql } from '../../../src/store/sql/sql-types.ts'
import {
  asAdmin,
  describePostgres,
  newDatabase,
  openPostgres,
  placeOf,
  postgresUrl,
} from '../../support/postgres.ts'
import { postgresPassword } from '../../support/postgres-server.ts'

const migrations = [
  'create table counts (name text primary key, n integer not null)',
  "insert into counts values ('a', 0), ('b', 0)",
]

/** Opens one database twice, as two instances do. */
async function twoInstances(): Promise<[PostgresSql, PostgresSql]> {
  const database = await newDatabase()
  const open = () => openPostgres(migrations, { database })
  const both = [await open(), await open()] as [PostgresSql, PostgresSql]
  onTestFinished(async () => {
    for (const one of both) await one.close()
  })
  return both
}

/** What a connection through the proxy loses: the answer to a commit, or the commit itself. Each happens once. */
type Loss = 'answer' | 'commit' | 'everything'

/** A proxy of the tests' server that cuts a connection at its first commit. */
async function cuttingProxy(loss: Loss): Promise<{ port: number; cuts: () => number }> {
  const { hostname, port } = new URL(postgresUrl())
  let cuts = 0
  const open = new Set<Socket>()
  const proxy = createServer((client) => {
    const server = connect(Number(port), hostname)
    for (const socket of [client, server]) {
      open.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        open.delete(socket)
        client.destroy()
        server.end()
      })
    }
    server.on('data', (bytes) => client.write(bytes))
    client.on('data', (bytes) => {
      const isCommit = bytes.includes('commit\0') && cuts === 0
      if (!isCommit) return void server.write(bytes)
      cuts++
      if (loss === 'everything') proxy.close()
      if (loss === 'commit') return void client.destroy()
      server.removeAllListeners('data')
      server.write(bytes)
      // The server has answered, and the answer is lost.
      server.once('data', () => client.destroy())
    })
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  onTestFinished(() => {
    for (const socket of open) socket.destroy()
    proxy.close()
  })
  return { port: (proxy.address() as AddressInfo).port, cuts: () => cuts }
}

describePostgres('PostgreSQL', () => {
  test('transactions of several instances have the effect of one after the other', async () => {
    const both = await twoInstances()
    // Each reads both rows and writes one of them: under a weaker isolation, some would write what another has made untrue.
    const move = (sql: PostgresSql, name: string) =>
      sql.transaction(async ({ query }) => {
        const [row] = await query<{ n: number }>('select sum(n)::integer as n from counts')
        await query('update counts set n = n + 1 where name = $1 and $2::integer < 10', [name, row!.n])
      })
    await Promise.all(both.flatMap((sql) => [...'abababab'].map((name) => move(sql, name))))
    expect(await both[0].query('select sum(n)::integer as n from counts')).toEqual([{ n: 10 }])
  })

  test('two writers that take the same key at once: one has it, and the other sees that', async () => {
    const database = await newDatabase()
    const stores = [
      engineStore(await openPostgres(engineMigrations, { database })),
      engineStore(await openPostgres(engineMigrations, { database })),
    ]
    const taken = await Promise.all(
      Array.from({ length: 12 }, (_, at) => stores[at % 2]!.takeOrder('order', `q${at}`, at)),
    )
    expect(taken.filter(Boolean)).toHaveLength(1)
    for (const store of stores) await store.close()
  })

  test('migrations run once although several instances start at once, and a newer schema is refused', async () => {
    const database = await newDatabase()
    const all = await Promise.all([1, 2, 3, 4].map(() => openPostgres(migrations, { database })))
    expect(await all[0]!.query('select name from counts order by name')).toEqual([
      { name: 'a' },
      { name: 'b' },
    ])
    for (const sql of all) await sql.close()
    const next = await openPostgres([...migrations, "update counts set n = 7 where name = 'a'"], { database })
    expect(await next.query("select n from counts where name = 'a'")).toEqual([{ n: 7 }])
    await next.close()
    await expect(openPostgres(migrations, { database })).rejects.toMatchObject({ code: 'STATE_NEWER_SCHEMA' })
    // A migration that fails leaves the schema as it was.
    const more = [...migrations, 'select 1', 'create table more (n integer)', 'nonsense']
    await expect(openPostgres(more, { database })).rejects.toThrow(/syntax/)
    const again = await openPostgres([...migrations, 'select 1'], { database })
    expect(await again.query("select to_regclass('more') is null as gone")).toEqual([{ gone: true }])
    await again.close()
  })

  test('a read whose connection was cut is read again', async () => {
    const sql = await openPostgres(migrations, { query: '?application_name=cut-reads&pool_max_conns=2' })
    const slow = sql.query("select n, pg_sleep(0.3)::text as slept from counts where name = 'a'")
    await expect
      .poll(() =>
        asAdmin(
          "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'cut-reads' and query like '%pg_sleep%'",
        ),
      )
      .not.toEqual([])
    expect(await slow).toEqual([{ n: 0, slept: '' }])
    await sql.close()
  })

  test('a write whose connection was cut before its commit runs again, and is stored once', async () => {
    const sql = await openPostgres(migrations)
    let runs = 0
    await sql.transaction(async ({ query }) => {
      const [{ pid }] = (await query<{ pid: number }>(
        "update counts set n = n + 1 where name = 'a' returning pg_backend_pid() as pid",
      )) as [{ pid: number }]
      if (++runs === 1) await asAdmin(`select pg_terminate_backend(${pid}, 5000)`)
      await query('select 1 as one')
    })
    expect(runs).toBe(2)
    expect(await sql.query("select n from counts where name = 'a'")).toEqual([{ n: 1 }])
    await sql.close()
  })

  test.each(['answer', 'commit'] as const)(
    'a write whose connection lost its %s is stored exactly once',
    async (loss) => {
      const database = await newDatabase()
      await (await openPostgres(migrations, { database })).close()
      const { port, cuts } = await cuttingProxy(loss)
      const place = { ...placeOf(database), port }
      const sql = await postgresSql(place, { migrations, password: () => place.password })
      expect(await sql.query("update counts set n = n + 1 where name = 'a' returning n")).toEqual([{ n: 1 }])
      expect(cuts()).toBe(1)
      expect(await sql.query("select n from counts where name = 'a'")).toEqual([{ n: 1 }])
      await sql.close()
    },
  )

  test('a write whose commit nobody can tell is not repeated and reports that', async () => {
    const database = await newDatabase()
    await (await openPostgres(migrations, { database })).close()
    const { port } = await cuttingProxy('everything')
    const place = { ...placeOf(database), port }
    const sql = await postgresSql(place, { migrations, password: () => place.password, patienceMs: 100 })
    await expect(sql.query("update counts set n = n + 1 where name = 'a'")).rejects.toMatchObject({
      code: 'WRITE_UNCONFIRMED',
    })
    await expect(sql.query('select 1 as one')).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      message: 'The database does not answer now',
    })
    await sql.close()
  })

  test('a cached query is asked twice for a crowd, and sees every commit before it', async () => {
    const [one, other] = await twoInstances()
    const text = 'select n from counts where name = $1'
    const read = () => one.cachedQuery<{ n: number }>(text, ['a'])
    const [first, second, third] = await Promise.all([read(), read(), read()])
    expect(second).not.toBe(first)
    expect(second).toBe(third)
    expect(() => Object.assign(first![0]!, { n: 9 })).toThrow(TypeError)
    expect(await read()).toEqual([{ n: 0 }])
    for (let n = 1; n <= 20; n++) {
      await (n % 2 ? one : other).query("update counts set n = $1 where name = 'a'", [n])
      // Also with an earlier read still under way.
      const [found] = await Promise.all([read(), one.query('select pg_sleep(0.01)::text as slept')])
      expect(found).toEqual([{ n }])
    }
    await expect(one.cachedQuery('select nothing from counts', [])).rejects.toThrow(/nothing/)
  })

  test('a prepared read is repeated without preparation where its connection lost it, as behind PgBouncer', async () => {
    const sql = await openPostgres(migrations, { query: '?pool_max_conns=2' })
    const read = () => sql.cachedQuery('select n from counts where name = $1', ['a'])
    const prepared = async () =>
      (await sql.pool.query('select count(*)::integer as n from pg_prepared_statements')).rows[0]
    expect(await read()).toEqual([{ n: 0 }])
    expect(await prepared()).toEqual({ n: 1 })
    await sql.pool.query('deallocate all')
    expect(await read()).toEqual([{ n: 0 }])
    expect(await read()).toEqual([{ n: 0 }])
    expect(await prepared()).toEqual({ n: 0 })
    await sql.close()
  })

  test('a key that another instance revoked is refused after 10 ms, and a setting that it changed applies, with no other reads', async () => {
    const database = await newDatabase()
    const [serving, other] = [
      await openPostgres(engineMigrations, { database }),
      await openPostgres(engineMigrations, { database }),
    ]
    const keys = keyStore(other)
    const key = newKey()
    await keys.add({ id: 'k', customer: 'acme', testnet: true, createdAt: 1, revokedAt: null }, key)
    const asked: string[] = []
    const counting: Pick<Sql, 'query'> = {
      query: (text, values) => {
        asked.push(text)
        return serving.query(text, values)
      },
    }
    const owner = cachedKeyOwner(counting, keyStore(counting as Sql), ({ id }) => id)
    expect(await owner(key)).toBe('k')
    // Other commits leave it known.
    await other.query("insert into event_places (customer, last) values ('acme', 1)")
    await setTimeout(15)
    expect(await owner(key)).toBe('k')
    expect(asked.filter((text) => /from api_keys/.test(text))).toHaveLength(1)
    await keys.revoke('k', 2)
    await setTimeout(15)
    expect(await owner(key)).toBeUndefined()
    // So are settings, and at once where this instance has changed them.
    const [one, two] = [engineStore(serving), engineStore(other)]
    expect(await one.settings('acme')).toEqual({})
    await two.saveSettings('acme', [['fee', '1']], { by: 'k', at: 1 })
    expect(await two.settings('acme')).toEqual({ fee: '1' })
    await setTimeout(15)
    expect(await one.settings('acme')).toEqual({ fee: '1' })
    await serving.close()
    await other.close()
  })

  test.each<[string, () => Promise<string> | string, RegExp]>([
    [
      'a port where nothing listens',
      () => `postgres://sluice:${postgresPassword}@127.0.0.1:1/x`,
      /connection is refused/,
    ],
    [
      'a host that does not exist',
      () => `postgres://sluice:${postgresPassword}@nowhere.invalid/x?sslmode=disable`,
      /host/,
    ],
    [
      'a wrong password',
      () => postgresUrl({ password: 'wrong-and-secret' }),
      /user or the password is wrong/,
    ],
    ['no password', () => postgresUrl({ password: '' }), /asks for a password, and none is set/],
    ['an unknown user', () => postgresUrl({ user: 'nobody' }), /user or the password is wrong/],
    ['an unknown database', () => postgresUrl({ database: 'not_there' }), /does not exist/],
    [
      'a certificate of an unknown authority',
      () => postgresUrl({ query: '?sslmode=verify-full' }),
      /certificate is not accepted|does not offer TLS/,
    ],
    [
      'a database that this user may not change',
      async () => {
        await asAdmin('drop role if exists guest', `create role guest login password '${postgresPassword}'`)
        return postgresUrl({ database: await newDatabase(), user: 'guest' })
      },
      /no permission \(permission denied for schema public\)/,
    ],
    [
      'a user with all connections in use',
      async () => {
        await asAdmin(
          'drop role if exists crowd',
          `create role crowd login password '${postgresPassword}' connection limit 0`,
        )
        return postgresUrl({ user: 'crowd' })
      },
      /too many connections/,
    ],
    [
      'a user who may only read, as on a standby',
      async () => {
        await asAdmin(
          'drop role if exists reader',
          `create role reader login password '${postgresPassword}'`,
          'alter role reader set default_transaction_read_only = on',
        )
        return postgresUrl({ database: await newDatabase(), user: 'reader' })
      },
      /read-only standby/,
    ],
    [
      'another encoding',
      async () => {
        const name = await newDatabase()
        await asAdmin(
          `drop database ${name}`,
          `create database ${name} template template0 encoding 'LATIN1' locale 'C'`,
        )
        return postgresUrl({ database: name })
      },
      /its encoding is LATIN1/,
    ],
  ])('%s is reported in words, without the password', async (_, url, words) => {
    const place = postgresPlace(await url())
    const error = await postgresSql(place, {
      migrations,
      password: () => place.password,
      patienceMs: 100,
    }).then(
      () => undefined,
      (fault: unknown) => fault,
    )
    expect(error).toMatchObject({
      code: 'STATE_UNUSABLE',
      message: expect.stringMatching(words),
      hint: expect.stringMatching(/./),
    })
    expect(JSON.stringify([error, String((error as Error).stack)])).not.toMatch(
      /only-for-tests|wrong-and-secret/,
    )
  })

  test('TLS is verified as sslmode says', async () => {
    const { ca } = inject('postgres')
    if (ca === null) return
    const opens = async (query: string, host = 'localhost') => {
      const url = new URL(postgresUrl({ database, query }))
      url.hostname = host
      const place = postgresPlace(url.href)
      try {
        const sql = await postgresSql(place, { migrations, password: () => place.password })
        const [row] = await sql.query<{ ssl: boolean }>(
          'select ssl from pg_stat_ssl where pid = pg_backend_pid()',
        )
        await sql.close()
        return row!.ssl
      } catch (error) {
        return (error as { code: string }).code
      }
    }
    const database = await newDatabase()
    const root = `&sslrootcert=${encodeURIComponent(ca)}`
    expect({
      none: await opens('', '127.0.0.1'),
      disable: await opens('?sslmode=disable'),
      require: await opens('?sslmode=require'),
      full: await opens(`?sslmode=verify-full${root}`),
      // The certificate is for localhost.
      otherName: await opens(`?sslmode=verify-full${root}`, '127.0.0.1'),
      authority: await opens(`?sslmode=verify-ca${root}`, '127.0.0.1'),
      unknownAuthority: await opens('?sslmode=verify-ca'),
      requireWithAuthority: await opens(`?sslmode=require${root}`, '127.0.0.1'),
    }).toEqual({
      none: false,
      disable: false,
      require: true,
      full: true,
      otherName: 'STATE_UNUSABLE',
      authority: true,
      unknownAuthority: 'STATE_UNUSABLE',
      requireWithAuthority: true,
    })
  })
})

test.each([
  [{ code: '53100' }, /disk is full/],
  [{ code: '57P03' }, /starting or stopping/],
  [{ code: '57014' }, /took too long/],
  [{ code: 'XX001' }, /damaged/],
  [{ code: '25006' }, /read-only standby/],
  [{ message: 'The server does not support SSL connections' }, /does not offer TLS/],
  [{ code: 'CERT_HAS_EXPIRED' }, /certificate is not accepted \(CERT_HAS_EXPIRED\)/],
])('the error %j of PostgreSQL is put into words', (error, words) => {
  expect(postgresFault(error, 'PostgreSQL')).toMatchObject({
    code: 'STATE_UNUSABLE',
    message: expect.stringMatching(words),
  })
})
