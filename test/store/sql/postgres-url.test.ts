import { describe, expect, test } from 'vitest'
import { passwordInPassfile, postgresPlace } from '../../../src/store/sql/postgres-url.ts'

describe('the URL of a PostgreSQL database', () => {
  test('names host, port, user and database, and is shown without its password', () => {
    const place = postgresPlace(
      'postgresql://ann:p%40ss%2Fword@localhost:6432/my%20db?application_name=one&pool_max_conns=4&statement_timeout=5000',
    )
    expect(place).toMatchObject({
      host: 'localhost',
      port: 6432,
      user: 'ann',
      database: 'my db',
      password: 'p@ss/word',
      ssl: false,
      applicationName: 'one',
      poolSize: 4,
      statementTimeoutMs: 5_000,
      shown: 'postgres://ann@localhost:6432/my%20db',
    })
    expect(postgresPlace('postgres://ann@[::1]/db')).toMatchObject({
      host: '::1',
      port: 5432,
      shown: 'postgres://ann@[::1]/db',
    })
    expect(postgresPlace('postgres://ann@/db?host=/run/postgresql')).toMatchObject({
      host: '/run/postgresql',
      ssl: false,
      shown: 'postgres://ann@/db?host=/run/postgresql',
    })
  })

  test.each([
    ['postgres://db.example.com/db', /names no user/],
    ['postgres://ann@db.example.com', /names no database/],
    ['postgres://ann@/db', /names no host/],
    ['postgres://ann:s%zz@db.example.com/db', /% that encodes nothing/],
    ['postgres://ann:secret-word@db.example.com:99999/db', /malformed/],
    ['postgres://ann:secret-word@db.example.com/db?ssl_mode=require', /unknown parameter "ssl_mode"/],
    ['postgres://ann:secret-word@db.example.com/db?sslmode=require&sslmode=disable', /two values of sslmode/],
    ['postgres://ann:secret-word@db.example.com/db?sslmode=prefer', /in the clear/],
    ['postgres://ann:secret-word@db.example.com/db?sslmode=strict', /Unknown sslmode/],
    ['postgres://ann:secret-word@db.example.com/db?sslcert=a.pem', /given together/],
    ['postgres://ann:secret-word@db.example.com/db?pool_max_conns=0', /whole number/],
    ['postgres://ann:secret-word@a,b/db', /several hosts/],
    ['postgres://ann:secret#word@db.example.com/db', /names no host|malformed|after #/],
  ])('%s is refused in words', (url, words) => {
    const refusal = expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringMatching(words) })
    expect(() => postgresPlace(url)).toThrow(refusal)
    expect(() => postgresPlace(url)).not.toThrow(/secret/)
  })

  test('needs verified TLS for another machine, unless it says otherwise', () => {
    expect(postgresPlace('postgres://ann@db.example.com/db').ssl).toEqual({ rejectUnauthorized: true })
    expect(postgresPlace('postgres://ann@db/db?sslmode=disable').ssl).toBe(false)
    expect(postgresPlace('postgres://ann@db/db?sslmode=require').ssl).toMatchObject({
      rejectUnauthorized: false,
    })
  })
})

test('a password file is read as libpq reads it: first line that fits, escapes, any', () => {
  const place = postgresPlace('postgres://ann@db.example.com/main?sslmode=disable')
  const text = [
    '# db.example.com:5432:main:ann:comment',
    'db.example.com:6432:main:ann:other-port',
    'db.example.com:5432:main:bob:other-user',
    'db.example.com:*:main:ann:with\\:colon\\\\and:rest',
    '*:*:*:*:any',
  ].join('\r\n')
  expect(passwordInPassfile(text, place)).toBe('with:colon\\and:rest')
  expect(passwordInPassfile(text, { ...place, user: 'eve' })).toBe('any')
  expect(passwordInPassfile('db.example.com:5432:main:ann:\n', place)).toBeUndefined()
  expect(passwordInPassfile('localhost:5432:main:ann:local', { ...place, host: '/run/postgresql' })).toBe(
    'local',
  )
})
