import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { databaseMeasures } from '../../src/app/serving/database-measures.ts'
import { readinessChecks } from '../../src/app/serving/server-operation.ts'
import { httpRpc } from '../../src/chain/rpc/failover.ts'
import { AppError } from '../../src/domain/errors.ts'
import { addSqliteJobs } from '../../src/jobs/sqlite-jobs.ts'
import { createApp } from '../../src/server/app.ts'
import type { Measure } from '../../src/server/measures.ts'
import { type ReadinessCheck, readinessOf } from '../../src/server/readiness.ts'
import { keyStore, newKey } from '../../src/store/api-keys/keys.ts'
import { engineMigrations } from '../../src/store/engine/store.ts'
import { sqliteSql } from '../../src/store/sql/sqlite.ts'
import { perform } from '../support/engine.ts'
import { eventStore } from '../support/event-store.ts'
import { type Listener, listener } from '../support/services/listener.ts'
import { useServe } from '../support/services/serve-as-process.ts'
import { onlyFor } from '../support/services/serve-in-process.ts'
import { startSluice } from '../support/spawn-program.ts'
import { type Document, oneDocument } from '../support/use-commands.ts'
import { useSandbox } from '../support/use-sandbox.ts'

const sandbox = useSandbox()
const served = useServe(sandbox)
const wallet = sandbox.user.address
const slug = 'aave-v3-usdc-sandbox-one'
const json = async (url: string, init?: RequestInit) => {
  const answer = await fetch(url, init)
  return { status: answer.status, body: (await answer.json()) as Document }
}
const until = async (isSo: () => Promise<boolean>) => {
  while (!(await isSo())) await sleep(50)
}

describe('/readyz', () => {
  const over = (checks: readonly ReadinessCheck[], isStopping = () => false) =>
    createApp({ ...onlyFor({} as never, 'key'), ready: readinessOf(checks, isStopping) })
  const ok = async () => undefined

  test('is 200 with every part of a server that answers', async () => {
    const { status, body } = await json(`${served.url()}/readyz`)
    expect(status).toBe(200)
    expect(body).toEqual({
      status: 'ready',
      checks: ['database', 'migrations', 'sandbox-one', 'sandbox-two'].map((name) => ({
        ...{ name, ok: true, problem: null },
      })),
      missing: [],
    })
  })

  test('is 503 with the names of a chain, a database and a schema that are missing, as codes without words of theirs', async () => {
    const sql = sqliteSql(':memory:', { migrations: engineMigrations })
    const catalog = sandbox.world.catalog()
    const closed = await listener(() => undefined)
    await closed.close()
    const rpc = (chainId: number) =>
      chainId === 31338
        ? httpRpc(`${closed.url}/v2/secret-token`, { retries: 0 })
        : sandbox.chain(chainId).rpc
    const probed = { sql, kind: 'sqlite' as const, schema: engineMigrations.length + 1 }
    await sql.query('pragma query_only = 1')
    const app = over(readinessChecks(probed, { catalog, rpc }))
    const answer = await app.inject('/readyz')
    expect(answer.statusCode).toBe(503)
    const body = answer.json()
    expect(body).toMatchObject({
      status: 'not-ready',
      missing: ['database', 'migrations', 'sandbox-two'],
      checks: [
        { name: 'database', ok: false },
        { name: 'migrations', ok: false, problem: 'STATE_UNUSABLE' },
        { name: 'sandbox-one', ok: true, problem: null },
        { name: 'sandbox-two', ok: false, problem: 'RPC_UNREACHABLE' },
      ],
    })
    expect(answer.body).not.toMatch(/secret|127\.0\.0\.1/)
    await app.close()
    await sql.close()
  })

  test.each<[string, down: string[], query: string, status: number]>([
    ['ready without one of two chains', ['one'], '', 200],
    ['not ready without a chain', ['one', 'two'], '', 503],
    ['not ready without its database', ['database'], '', 503],
    ['not ready without a chain that is required', ['one'], '?require=one', 503],
    ['ready without a chain if another one is required', ['one'], '?require=two', 200],
    ['not ready if a chain is required that it does not have', [], '?require=two&require=three', 503],
  ])('is %s: %j down%s', async (_, down, query, status) => {
    const check = (name: string) => ({
      name,
      work: async () => {
        if (down.includes(name)) throw new AppError('RPC_UNREACHABLE', 'down')
      },
    })
    const chain = (name: string) => ({ ...check(name), isChain: true as const })
    const app = over([check('database'), chain('one'), chain('two')])
    const answer = await app.inject(`/readyz${query}`)
    expect([answer.statusCode, answer.json().missing]).toEqual([
      status,
      query.includes('three') ? ['three'] : down,
    ])
    await app.close()
  })

  test('asks each part once for many who ask, and not for longer than its limit', async () => {
    let asked = 0
    const slow = { name: 'slow', work: () => new Promise<void>(() => undefined) }
    const refused = async () => {
      asked++
      throw new AppError('RPC_UNREACHABLE', 'The node at secret.example does not answer')
    }
    const app = over([{ name: 'node', work: refused }, { name: 'fine', work: ok }, slow])
    const answers = await Promise.all(Array.from({ length: 20 }, () => app.inject('/readyz')))
    expect(asked).toBe(1)
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(answers.map(() => 503))
    expect(answers[0]!.json().checks).toEqual([
      { name: 'node', ok: false, problem: 'RPC_UNREACHABLE' },
      { name: 'fine', ok: true, problem: null },
      { name: 'slow', ok: false, problem: 'TIMEOUT' },
    ])
    await app.close()
  })
})

describe('the measures of a database', () => {
  const valuesOf = async (source: () => readonly Measure[] | Promise<readonly Measure[]>) =>
    Object.fromEntries((await source()).map(({ name, samples }) => [name, samples.map(({ value }) => value)]))

  test('that does not answer are that it is down, in time, with one read at most under way', async () => {
    let reads = 0
    const never = async () => {
      reads++
      return new Promise<never>(() => undefined)
    }
    const sql = { query: never } as never
    const counts = () => ({ inUse: 10, idle: 0, waiting: 3 })
    const source = databaseMeasures({ sql, kind: 'postgres', schema: 1 }, counts, Date.now)
    const down = {
      sluice_database_up: [0],
      sluice_database_connections: [10, 0],
      sluice_database_waiting: [3],
    }
    expect(await Promise.all([valuesOf(source), valuesOf(source)])).toEqual([down, down])
    expect(reads).toBe(4)
    const failing = { query: async () => Promise.reject(new Error('no')) } as never
    expect(
      await valuesOf(databaseMeasures({ sql: failing, kind: 'sqlite', schema: 1 }, undefined, Date.now)),
    ).toEqual({ sluice_database_up: [0] })
  })

  test('are what it holds for later', async () => {
    const one = eventStore()
    const source = () =>
      valuesOf(databaseMeasures({ sql: one.sql, kind: 'sqlite', schema: 1 }, undefined, () => one.time.now))
    const nothing = {
      ...{ sluice_database_up: [1], sluice_jobs_due: [], sluice_events_unnumbered: [0] },
      ...{
        sluice_deliveries_waiting: [0],
        sluice_delivery_oldest_age_seconds: [0],
        sluice_dead_letters: [0],
      },
    }
    expect(await source()).toEqual(nothing)
    const { id } = await one.service().addWebhook({ url: 'http://127.0.0.1:9/' })
    await one.service().triggerEvent({ type: 'quote.expired' })
    expect(await source()).toMatchObject({ sluice_events_unnumbered: [1] })
    await one.store.numberEvents('acme')
    await one.service().triggerEvent({ type: 'strategy.paused' })
    await one.store.numberEvents('acme')
    await addSqliteJobs(() => 1)(one.sql, [{ queue: 'webhooks.deliver', key: id }])
    one.time.now += 90_000
    expect(await source()).toMatchObject({
      ...{ sluice_jobs_due: [1], sluice_events_unnumbered: [0] },
      ...{ sluice_deliveries_waiting: [2], sluice_delivery_oldest_age_seconds: [90] },
    })
    await one.store.disableEndpoint((await one.store.endpoint('acme', id))!, 'a test')
    expect(await source()).toMatchObject({ sluice_deliveries_waiting: [0], sluice_dead_letters: [2] })
  })
})

describe('a server that is told to stop', () => {
  test('is not ready at once, and answers until --drain is over', async () => {
    const database = `sqlite:${join(served.place().data, 'drain.db')}`
    const args = ['serve', '--port', '0', '--json', '--quiet', '--drain', '3s', '--database', database]
    const program = startSluice(served.place().home, args)
    const { url } = oneDocument(await program.line())
    expect((await json(`${url}/readyz`)).status).toBe(200)
    program.child.kill('SIGTERM')
    await until(async () => (await json(`${url}/readyz`)).body.status === 'stopping')
    expect((await json(`${url}/readyz`)).status).toBe(503)
    expect((await json(`${url}/healthz`)).body).toEqual({ status: 'ok' })
    expect((await fetch(`${url}/strategies`)).status).toBe(401)
    expect((await program.ended).exit).toBe(0)
  })
})

describe('a server with open actions', () => {
  test('follows them without a question of a client, and tells on /metrics what it asked of whom', async () => {
    const headers = { 'x-api-key': await served.newKey() }
    const path = `/strategies/${slug}/bytecode?action=lend&amount=250000000&wallet=${wallet}`
    const { status, body } = await json(`${served.url()}${path}`, { headers })
    expect(status, JSON.stringify(body)).toBe(200)
    const sent = body.bytecode.map((tx: { value: string }) => ({ ...tx, value: BigInt(tx.value) }))
    await perform(sandbox, wallet, sent)
    const db = new DatabaseSync(served.database(), { readOnly: true })
    const stored = db.prepare('select status from actions where id = ?')
    await until(async () => (stored.get(body.id) as { status: string }).status === 'fulfilled')
    db.close()
    const metrics = async () => (await fetch(`${served.url()}/metrics`)).text()
    // A pass counts once it is over.
    await until(async () => /^sluice_tracking_passes_total\{/m.test(await metrics()))
    const text = await metrics()
    for (const name of [
      'sluice_chain_requests_total{network="sandbox-one"}',
      'sluice_chain_request_duration_seconds_count{network="sandbox-one"}',
      'sluice_store_requests_total{kind="read"}',
      'sluice_store_requests_total{kind="write"}',
      'sluice_database_up',
      'sluice_tracking_passes_total{network="sandbox-one"}',
      'sluice_tracking_actions_read_total{network="sandbox-one"}',
      'sluice_tracking_block{network="sandbox-one"}',
    ])
      expect(text).toMatch(new RegExp(`^${name.replace(/[{}]/g, '\\$&')} [1-9][0-9]*$`, 'm'))
    expect(text).toMatch(/^sluice_dead_letters 0$/m)
    expect(text).toMatch(/^# TYPE sluice_provider_requests_total counter$/m)
  })
})

type Attribute = { key: string; value: { stringValue?: string; intValue?: number } }
type ToldSpan = {
  name: string
  traceId: string
  spanId: string
  parentSpanId?: string
  attributes: Attribute[]
}
type Told = { resourceSpans: { scopeSpans: { spans: ToldSpan[] }[] }[] }

describe('traces', () => {
  let receiver: Listener
  const got: { url: string; body: string }[] = []
  beforeAll(async () => {
    receiver = await listener(async (request, response) => {
      got.push({ url: request.url!, body: Buffer.concat(await request.toArray()).toString() })
      response.setHeader('content-type', 'application/json')
      response.end('{}')
    })
  })
  afterAll(() => receiver.close())

  test('have a span for each request, and inside of it one for each exchange with a node, without secrets', async () => {
    const database = `sqlite:${join(served.place().data, 'traces.db')}`
    const args = ['serve', '--port', '0', '--json', '--quiet', '--database', database]
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_SERVICE_NAME: 'sluice-test' }
    const program = startSluice(served.place().home, args, { env })
    const { url } = oneDocument(await program.line())
    const customer = 'secret-customer'
    const sql = sqliteSql(database.slice('sqlite:'.length), { migrations: engineMigrations })
    const key = newKey()
    const row = { id: 'key-1', customer, testnet: false, createdAt: Date.now(), revokedAt: null }
    await keyStore(sql).add(row, key)
    await sql.close()
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    const ask = async (apiKey: string) =>
      (await fetch(`${url}/wallets/${wallet}`, { headers: { 'x-api-key': apiKey, traceparent } })).status
    const wrong = newKey()
    expect([await ask(wrong), await ask(key)]).toEqual([401, 200])
    program.child.kill('SIGTERM')
    expect((await program.ended).exit).toBe(0)
    expect(new Set(got.map((one) => one.url))).toEqual(new Set(['/v1/traces']))
    const spans = got
      .map(({ body }) => JSON.parse(body) as Told)
      .flatMap(({ resourceSpans }) => resourceSpans.flatMap(({ scopeSpans }) => scopeSpans))
      .flatMap((one) => one.spans)
    const value = ({ attributes }: ToldSpan, name: string) => {
      const found = attributes.find((one) => one.key === name)?.value
      return found?.stringValue ?? found?.intValue
    }
    const requests = spans.filter(({ name }) => name === 'GET /wallets/:address')
    expect(requests.map((span) => value(span, 'http.response.status_code'))).toEqual([401, 200])
    for (const span of requests)
      expect(span).toMatchObject({ traceId: traceparent.slice(3, 35), parentSpanId: 'b7ad6b7169203331' })
    expect(requests.map((span) => value(span, 'sluice.customer'))).toEqual([
      undefined,
      expect.stringMatching(/^[0-9a-f]{16}$/),
    ])
    const calls = spans.filter(({ parentSpanId }) => parentSpanId === requests[1]!.spanId)
    expect(calls.map((span) => value(span, 'rpc.method'))).toContain('eth_call')
    expect(calls.every((span) => String(value(span, 'server.address')).startsWith('127.0.0.1'))).toBe(true)
    const all = got.map(({ body }) => body).join('')
    for (const secret of [key, wrong, customer, wallet]) expect(all).not.toContain(secret)
  })

  test('need a URL, and say so', async () => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' }
    const args = ['serve', '--port', '0', '--database', `sqlite:${join(served.place().data, 'no-traces.db')}`]
    const { exit, err } = await startSluice(served.place().home, args, { env }).ended
    expect(exit).toBe(2)
    expect(err).toContain('OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318')
  })
})

describe('docs/deploy/compose.yaml', () => {
  const root = join(import.meta.dirname, '..', '..')
  const compose = parse(readFileSync(join(root, 'docs/deploy/compose.yaml'), 'utf8'), { merge: true })
  const { services, configs, volumes, secrets } = compose
  const seconds = (text: string) => Number(/^(\d+)s$/.exec(text)![1])

  test('has two equal instances on one PostgreSQL, and a proxy that follows /readyz', () => {
    const [one, two] = ['sluice-1', 'sluice-2'].map((name) => services[name])
    expect({ ...one, volumes: 0 }).toEqual({ ...two, volumes: 0 })
    expect(one.volumes).not.toEqual(two.volumes)
    expect(Object.keys(services)).toEqual(['sluice-1', 'sluice-2', 'postgres', 'proxy'])
    const { content } = configs.caddy
    expect(content).toContain('reverse_proxy sluice-1:8080 sluice-2:8080')
    expect(content).toContain('health_uri /readyz')
    for (const service of Object.values<Document>(services)) {
      for (const secret of service.secrets ?? []) expect(Object.keys(secrets)).toContain(secret)
      for (const volume of service.volumes ?? []) expect(Object.keys(volumes)).toContain(volume.split(':')[0])
      for (const other of Object.keys(service.depends_on ?? {}))
        expect(services[other].healthcheck).toBeDefined()
    }
  })

  test('starts `serve` with options that it has, stops it later than it needs, and has no password in it', async () => {
    const { command, stop_grace_period: grace, environment, healthcheck } = services['sluice-1']
    expect(seconds(grace)).toBeGreaterThan(seconds(command[command.indexOf('--drain') + 1]) + 15)
    expect(seconds(healthcheck.timeout)).toBeGreaterThan(4)
    expect(environment.SLUICE_DATABASE_URL).not.toMatch(/:[^/@]+@/)
    // The database and the port of this test, everything else as it is in the file.
    const database = ['--database', `sqlite:${join(served.place().data, 'compose.db')}`]
    const args = command.map((word: string) => (word === '8080' ? '0' : word))
    const program = startSluice(served.place().home, [...args, ...database, '--json', '--quiet'])
    const { url } = oneDocument(await program.line())
    const port = new URL(url).port
    const { port: probed, pathname } = new URL(/http:[^']+/.exec(healthcheck.test[3])![0])
    expect([probed, pathname]).toEqual(['8080', '/readyz'])
    expect((await json(`http://127.0.0.1:${port}/readyz`)).body.status).toBe('ready')
    program.child.kill('SIGKILL')
    await program.ended
  })
})
