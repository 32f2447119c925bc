import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { request as httpsRequest } from 'node:https'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { describePostgres, newDatabase, postgresUrl } from '../support/postgres.ts'
import { postgresPassword } from '../support/postgres-server.ts'
import { selfSignedCertificate } from '../support/self-signed-certificate.ts'
import { exchange, statusesIn } from '../support/services/raw-http-exchange.ts'
import { useServe } from '../support/services/serve-as-process.ts'
import { programHome, startSluice } from '../support/spawn-program.ts'
import { type Document, oneDocument, useCommands } from '../support/use-commands.ts'
import { useSandbox } from '../support/use-sandbox.ts'

const sandbox = useSandbox()
const served = useServe(sandbox)
const { run } = useCommands(sandbox)
const home = () => served.place().home
const other = (name: string) => `sqlite:${join(served.place().data, name)}`
const end = async (...args: string[]) => startSluice(home(), ['serve', ...args]).ended

/** Runs a second server beside the one of this file, and stops it by a signal at the end. */
async function serving<value>(
  args: readonly string[],
  work: (url: string) => Promise<value>,
  signal: 'SIGTERM' | 'SIGINT' = 'SIGTERM',
): Promise<{ value: value; exit: number | string; out: string; err: string }> {
  const program = startSluice(home(), ['serve', '--port', '0', '--json', ...args])
  const { url } = oneDocument(await program.line())
  const value = await work(url)
  program.child.kill(signal)
  return { value, ...(await program.ended) }
}

describe('serve', () => {
  test('prints one document with its address on stdout, and creates private database files', async () => {
    const { out, exit, value } = await serving(
      ['--database', other('one.db')],
      async (url) => (await fetch(`${url}/healthz`)).json(),
      'SIGINT',
    )
    expect(exit).toBe(0)
    expect(value).toEqual({ status: 'ok' })
    expect(oneDocument(out)).toEqual({
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      profile: 'sandbox',
      database: join(served.place().data, 'one.db'),
      pid: expect.any(Number),
    })
    for (const name of ['one.db', 'one.db.limits'])
      expect(statSync(join(served.place().data, name)).mode & 0o077).toBe(0)
  })

  test('--check reports database and networks, and exits 0', async () => {
    const { exit, out } = await end('--check', '--json', '--database', other('check.db'))
    expect(exit).toBe(0)
    expect(oneDocument(out)).toEqual({
      database: join(served.place().data, 'check.db'),
      keys: 0,
      strategies: sandbox.world.catalog().strategies.length,
      networks: [
        { network: 'sandbox-one', chainId: 31337, blockNumber: expect.any(Number) },
        { network: 'sandbox-two', chainId: 31338, blockNumber: expect.any(Number) },
      ],
    })
  })

  test.each<[string[], RegExp]>([
    [['--port', '70000'], /port/],
    [['--port', 'x'], /port/],
    [['--port', '-1'], /port/],
    [['--host', '0.0.0.0'], /TLS is needed/],
    [['--host', '::'], /TLS is needed/],
    [['--host', 'example.org'], /TLS is needed/],
    [['--tls-cert', 'a.pem'], /must be given together/],
    [['--tls-key', 'a.pem'], /must be given together/],
    [['--tls-cert', 'no.pem', '--tls-key', 'no.pem'], /Cannot read/],
    [['--database', 'postgres://localhost/x'], /names no user/],
    [['--database', 'postgres://u:secret-word@localhost/x'], /not accepted on the command line/],
    [['--database', 'postgres://u@localhost/x?password=secret-word'], /not accepted on the command line/],
    [
      ['--database', 'host=localhost dbname=x user=u password=secret-word'],
      /not accepted on the command line/,
    ],
    [['--database', 'postgresql://dbname=x password=secret-word host=h'], /not accepted on the command line/],
    [['--database', 'host=localhost dbname=x'], /SQLite/],
    [['--database', 'mysql://localhost/x'], /SQLite/],
    [['--behind-proxy', '--tls-cert', 'a.pem', '--tls-key', 'b.pem'], /cannot be combined/],
    [['--timeout', '5s'], /--timeout does not apply/],
    [['--profile', 'engine'], /RPC/],
    [['--nonsense'], /unknown option/],
  ])('%j is refused with exit code 2 and a hint', async (args, says) => {
    const { exit, json } = await run(['serve', '--json', '--port', '0', ...args])
    const { error } = json
    expect({ exit, message: error.message }).toEqual({ exit: 2, message: expect.stringMatching(says) })
    expect(error.hint).toEqual(expect.any(String))
    expect(JSON.stringify(error)).not.toContain('secret-word')
  })

  test('refuses an address of another machine with exit code 2', async () => {
    const { exit, json } = await run(
      `serve --json --host 203.0.113.7 --behind-proxy --database ${other('host.db')}`,
    )
    expect({ exit, error: json.error.message }).toEqual({
      exit: 2,
      error: '203.0.113.7 is not an address of this machine',
    })
  })

  test('serves a client that has only URL and API key, and starts no chain', async () => {
    const away = programHome()
    const env = { SLUICE_BASE_URL: served.url(), SLUICE_API_KEY: await served.newKey() }
    const list = await startSluice(away.home, ['strategies', 'list', '--network', 'sandbox-two', '--json'], {
      env,
    }).ended
    expect({ exit: list.exit, err: list.err }).toEqual({ exit: 0, err: '' })
    expect(oneDocument(list.out).items.length).toBeGreaterThan(3)
    const show = await startSluice(away.home, ['wallet', 'show', sandbox.user.address, '--json'], { env })
      .ended
    expect({ exit: show.exit, err: show.err }).toEqual({ exit: 0, err: '' })
    const cache = join(away.home, '.cache', 'sluice')
    expect(existsSync(cache) ? readdirSync(cache).filter((name) => name.startsWith('genesis')) : []).toEqual(
      [],
    )
    expect(away.processes()).toEqual([])
    await away.end()
  })

  test('refuses a database that another server uses under another name', async () => {
    const real = join(served.place().data, 'real.db')
    await serving(['--database', real], async () => {
      symlinkSync(real, join(served.place().data, 'link.db'))
      expect((await end('--json', '--port', '0', '--database', other('link.db'))).exit).toBe(12)
    })
  })

  test('exits when its launcher is killed', async () => {
    const file = join(home(), 'launcher.mjs')
    writeFileSync(
      file,
      `import { spawn } from 'node:child_process'
       spawn(process.execPath, [process.argv[2], 'serve', '--port', '0', '--json', '--database', 'sqlite:launched.db'], {
         stdio: 'inherit', env: { ...process.env, SLUICE_LAUNCHER: String(process.pid) } })`,
    )
    const bin = join(import.meta.dirname, '..', '..', 'bin', 'sluice.js')
    const launcher = spawn(process.execPath, [file, bin], {
      cwd: home(),
      env: { PATH: process.env.PATH, HOME: home() },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const [line] = (await once(launcher.stdout, 'data')) as [Buffer]
    const { url } = JSON.parse(line.toString()) as { url: string }
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
    launcher.kill('SIGKILL')
    for (let at = 0; at < 100; at++) {
      const isThere = await fetch(`${url}/healthz`).then(
        () => true,
        () => false,
      )
      if (!isThere) return
      await sleep(50)
    }
    throw new Error('the server outlived its launcher')
  })

  test('refuses a port in use with exit code 2', async () => {
    const { port } = new URL(served.url())
    const { exit, json } = await run(`serve --json --port ${port} --database ${other('port.db')}`)
    expect({ exit, error: json.error.message }).toEqual({
      exit: 2,
      error: `Port ${port} on 127.0.0.1 is in use`,
    })
  })

  test.each(['SIGTERM'] as const)('finishes pending responses on %s, and exits 0', async (signal) => {
    const database = other('stop.db')
    const program = startSluice(home(), ['serve', '--port', '0', '--json', '--database', database])
    const { url } = oneDocument(await program.line())
    const made = await startSluice(home(), [
      'keys',
      'create',
      '--customer',
      'a',
      '--json',
      '--database',
      database,
    ]).ended
    const { key } = oneDocument(made.out)
    const sent = `GET /strategies?limit=100 HTTP/1.1\r\nhost: x\r\nx-api-key: ${key}\r\nconnection: close\r\n\r\n`
    const answers = Array.from({ length: 60 }, () => exchange(url, sent, { quietMs: 5_000 }))
    await Promise.race(answers)
    program.child.kill(signal)
    const whole = (await Promise.all(answers)).map((text) => {
      if (text === '') return 'not taken'
      const [head, body] = text.split('\r\n\r\n')
      expect(Number(/content-length: (\d+)/.exec(head!)![1])).toBe(body!.length)
      return statusesIn(text)[0]
    })
    expect(whole).toContain(200)
    expect(whole.filter((one) => one !== 200 && one !== 503 && one !== 'not taken')).toEqual([])
    expect((await program.ended).exit).toBe(0)
    await expect(fetch(`${url}/healthz`)).rejects.toThrow()
  })

  const hasOpenssl = spawnSync('openssl', ['version']).status === 0
  test.skipIf(!hasOpenssl)(
    'speaks only TLS with a certificate, and refuses swapped files (needs openssl)',
    async () => {
      const [cert, keyFile] = [join(home(), 'cert.pem'), join(home(), 'key.pem')]
      selfSignedCertificate(cert, keyFile)
      const get = (url: string): Promise<number> =>
        new Promise((resolve, reject) => {
          httpsRequest(`${url}/healthz`, { ca: readFileSync(cert), servername: 'localhost' }, (response) => {
            response.resume()
            resolve(response.statusCode!)
          })
            .on('error', reject)
            .end()
        })
      const { value, exit } = await serving(
        ['--host', '0.0.0.0', '--tls-cert', cert, '--tls-key', keyFile, '--database', other('tls.db')],
        async (url) => {
          expect(url).toMatch(/^https:/)
          const here = url.replace('0.0.0.0', 'localhost')
          await expect(fetch(here.replace('https', 'http'))).rejects.toThrow()
          return get(here)
        },
      )
      expect([value, exit]).toEqual([200, 0])
      const swapped = await end(
        '--json',
        '--tls-cert',
        keyFile,
        '--tls-key',
        cert,
        '--port',
        '0',
        '--database',
        other('tls.db'),
      )
      expect(swapped.exit).toBe(2)
    },
  )
})

describePostgres('serve on PostgreSQL', () => {
  test('two servers share keys, quotes and limits, and neither prints the password', async () => {
    const database = await newDatabase()
    const url = postgresUrl({ database })
    const env = { SLUICE_DATABASE_URL: url }
    const shown = url.replace(`:${postgresPassword}@`, '@')
    const command = async (...args: string[]) => {
      const { exit, out, err } = await startSluice(home(), [...args, '--json', '--debug'], { env }).ended
      expect([exit, `${out}${err}`.includes(postgresPassword)]).toEqual([0, false])
      return oneDocument(out)
    }
    const key = await command('keys', 'create', '--customer', 'acme')
    expect(await command('fees', 'set', '--max-markup-bps', '33')).toBeDefined()
    expect((await command('fees', 'show', '--operator')).maxMarkupBps).toBe(33)
    const servers = [1, 2].map(() =>
      startSluice(home(), ['serve', '--port', '0', '--json', '--debug'], { env }),
    )
    const started = await Promise.all(servers.map(async (one) => oneDocument(await one.line())))
    expect(started.map((one) => one.database)).toEqual([shown, shown])
    const ask = async (at: number, path: string, body?: unknown) => {
      const answer = await fetch(`${started[at]!.url}${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { 'x-api-key': key.key, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      return { status: answer.status, json: (await answer.json()) as Document }
    }
    expect((await ask(0, '/healthz')).json).toEqual({ status: 'ok' })
    const all = await Promise.all(Array.from({ length: 150 }, (_, at) => ask(at % 2, '/fees')))
    expect(all.filter(({ status }) => status === 200)).toHaveLength(100)
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set([200, 429]))
    const checked = await command('serve', '--check')
    expect(checked).toMatchObject({ database: shown, keys: 1 })
    await command('keys', 'revoke', key.id, '--yes')
    await sleep(20)
    expect([(await ask(0, '/fees')).status, (await ask(1, '/fees')).status]).toEqual([401, 401])
    for (const one of servers) one.child.kill('SIGTERM')
    for (const one of servers) {
      const { exit, out, err } = await one.ended
      expect([exit, `${out}${err}`.includes(postgresPassword)]).toEqual([0, false])
    }
  })
})

describe('server log', () => {
  test('has one JSON line per request on stderr, with the customer and without secrets', async () => {
    const database = other('log.db')
    const made = await startSluice(home(), [
      'keys',
      'create',
      '--customer',
      'acme',
      '--json',
      '--database',
      database,
    ]).ended
    const { key, id } = oneDocument(made.out)
    // A quote of an older version, which is unreadable.
    const sql = new DatabaseSync(database.replace(/^sqlite:/, ''))
    sql.exec(`insert into quotes (id, customer, provider, origin_chain, destination_chain, wire, offer, created_at, expires_at)
      values ('broken', 'acme', 'cctp', 'sandbox-one', 'sandbox-two', '{"canary-6":', '', 1, 2)`)
    sql.close()
    const { err } = await serving(['--database', database], async (url) => {
      const headers = { 'x-api-key': key, authorization: 'Bearer canary-1', cookie: 'canary-2' }
      for (const _ of [1, 2])
        expect(await (await fetch(`${url}/quotes`, { headers })).json()).toMatchObject({
          docs: [],
          totalDocs: 1,
        })
      await fetch(`${url}/strategies?limit=3&secret=canary-3`, { headers })
      await fetch(`${url}/fees`, { headers: { 'x-api-key': 'canary-4' } })
      await fetch(`${url}/transfer/bytecode`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: '{"token":"canary-5"}',
      })
    })
    const lines = err
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Document)
    expect(lines.filter(({ route }) => route !== '/quotes')).toEqual([
      { time: expect.any(String), level: 'error', quote: 'broken', error: expect.any(String) },
      {
        time: expect.any(String),
        level: 'info',
        id: expect.any(String),
        method: 'GET',
        route: '/strategies',
        path: '/strategies',
        status: 200,
        ms: expect.any(Number),
        customer: 'acme',
        key: id,
      },
      {
        time: expect.any(String),
        level: 'info',
        id: expect.any(String),
        method: 'GET',
        route: '/fees',
        path: '/fees',
        status: 401,
        ms: expect.any(Number),
      },
      {
        time: expect.any(String),
        level: 'info',
        id: expect.any(String),
        method: 'POST',
        route: '/transfer/bytecode',
        path: '/transfer/bytecode',
        status: 422,
        ms: expect.any(Number),
        customer: 'acme',
        key: id,
      },
    ])
    expect(err).not.toContain('canary')
    expect(err).not.toContain(key)
    for (const name of ['log.db', 'log.db-wal', 'log.db.limits', 'log.db.limits-wal']) {
      const path = join(served.place().data, name)
      if (existsSync(path)) expect(readFileSync(path).includes(key)).toBe(false)
    }
  })
})

describe('metrics and documentation', () => {
  const page = async (path: string) => {
    const answer = await fetch(served.url() + path)
    return {
      status: answer.status,
      type: answer.headers.get('content-type'),
      csp: answer.headers.get('content-security-policy'),
      text: await answer.text(),
    }
  }

  test('/metrics counts requests by route and status, without customer names', async () => {
    const key = await served.newKey('secret-customer')
    await fetch(`${served.url()}/strategies?limit=1`, { headers: { 'x-api-key': key } })
    const { status, type, text } = await page('/metrics')
    expect(status).toBe(200)
    expect(type).toMatch(/^text\/plain; version=0\.0\.4/)
    expect(text).toMatch(
      /^sluice_http_requests_total\{route="\/strategies",method="GET",status="200"\} \d+$/m,
    )
    expect(text).toMatch(
      /^sluice_http_request_duration_seconds_bucket\{le="\+Inf",route="\/strategies"\} \d+$/m,
    )
    expect(text).toMatch(/^sluice_process_resident_memory_bytes \d+$/m)
    expect(text).not.toContain('secret-customer')
    for (const line of text.split('\n').filter(Boolean))
      expect(line).toMatch(/^(# (HELP|TYPE) |[a-zA-Z_:][a-zA-Z0-9_:]*(\{.*\})? [-+0-9.eE]+(NaN|Inf)?$)/)
  })

  test('/docs loads no resources and runs no scripts', async () => {
    const { status, type, csp, text } = await page('/docs')
    expect([status, type]).toEqual([200, 'text/html; charset=utf-8'])
    expect(csp).toContain("default-src 'none'")
    expect(text).not.toMatch(/<script|<link|<img|<iframe|src=|url\(|@import|https?:\/\//)
    for (const path of [
      '/yield/{identifier}',
      '/v2/swap/quote',
      '/v1/wallets/{address}',
      '/transfer/bytecode',
    ])
      expect(text).toContain(path)
  })

  test('/openapi.json matches the responses, and marks extensions of the specification', async () => {
    const { text } = await page('/openapi.json')
    const document = JSON.parse(text) as Document
    expect(document.openapi).toBe('3.1.0')
    expect(document.info.version).toMatch(/^\d+\.\d+\.\d+$/)
    const ajv = new Ajv2020({ strict: false })
    for (const [path, methods] of Object.entries(document.paths as Record<string, Document>))
      for (const [method, operation] of Object.entries(methods as Record<string, Document>)) {
        const shown = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
        expect(
          operation.parameters
            .filter((one: Document) => one.in === 'path')
            .map((one: Document) => one.name)
            .sort(),
        ).toEqual(shown.sort())
        expect(operation.summary.length).toBeGreaterThan(10)
        expect(operation.deprecated === true).toBe(/^\/(v1|swap)\//.test(path))
        const { content } = operation.responses[200]
        expect(Object.keys(content)).toEqual([path === '/updates' ? 'text/event-stream' : 'application/json'])
        expect(() => ajv.compile(Object.values<Document>(content)[0]!.schema)).not.toThrow()
        expect(method).toMatch(/^(get|post|put|delete)$/)
        // What is in the path is not asked for again in a body.
        const inBody = operation.requestBody?.content['application/json'].schema.properties ?? {}
        for (const { name, in: where } of operation.parameters)
          if (where === 'path') expect(Object.keys(inBody)).not.toContain(name)
      }
    const key = await served.newKey()
    const wallet = sandbox.user.address
    const slug = 'aave-v3-usdc-sandbox-one'
    const quote = `chainIdIn=31337&chainIdOut=31337&tokenIn=${sandbox.token(31337, 'USDC').address}&tokenOut=${sandbox.token(31337, 'WETH').address}&amountIn=1000000`
    for (const [pattern, path] of [
      ['/yield/{identifier}', `/yield/USDC?wallet=${wallet}&amount=1000000`],
      ['/strategies', '/strategies?limit=100'],
      ['/strategies/analytics', '/strategies/analytics'],
      ['/strategies/{id}', `/strategies/${slug}`],
      [
        '/strategies/{id}/bytecode',
        `/strategies/${slug}/bytecode?action=lend&amount=1000000&wallet=${wallet}`,
      ],
      ['/wallets/{address}', `/wallets/${wallet}`],
      ['/wallets/{address}/history/{strategyId}', `/wallets/${wallet}/history/${slug}`],
      ['/strategies', '/strategies?shape=quickstart&limit=2'],
      ['/wallets/{address}', `/wallets/${wallet}?shape=quickstart`],
      ['/quotes', '/quotes'],
      ['/v2/swap/quote', `/v2/swap/quote?${quote}`],
      ['/customers/by-api-key', '/customers/by-api-key'],
      ['/fees', '/fees'],
      ['/v1/strategies', '/v1/strategies'],
      ['/v1/strategies/{id}', `/v1/strategies/${slug}`],
    ] as const) {
      const answer = await fetch(served.url() + path, { headers: { 'x-api-key': key } })
      const schema = document.paths[pattern].get.responses[200].content['application/json'].schema
      const isValid = ajv.validate(schema, await answer.json())
      expect({ path, status: answer.status, isValid, errors: ajv.errors }).toEqual({
        path,
        status: 200,
        isValid: true,
        errors: null,
      })
    }
    const refused = await (await fetch(`${served.url()}/nope`)).json()
    expect(ajv.validate(document.components.schemas.Error, refused)).toBe(true)
    for (const path of ['/fees', '/actions/ingest/wallet', '/customers/by-api-key'])
      expect(JSON.stringify(document.paths[path])).toMatch(/extension|leaves the shape open/i)
  })
})
