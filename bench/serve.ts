import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { closeSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { keyDigest, newKey } from '../src/store/api-keys/keys.ts'
import { insertOf } from '../src/store/sql/insert.ts'
import { besideSlowSockets } from '../test/support/services/slow-sockets.ts'
import { openOwnDatabase, ownDatabase } from './campaign-database.ts'
import { type Load, load, type Next, one } from './load.ts'
import { figure, flag, home, median, run, sluice } from './measure.ts'

/*
 * The cost of serving: `sluice serve` with keys, limits and log, alternating with the bare server library that sends the
 * same bytes, with the same server over PostgreSQL, and with four of these over one PostgreSQL; and the response time of a normal client
 * beside 2,000 slow sockets. `npm run bench:serve -- --rounds 5 --seconds 2`
 */

const rounds = flag('rounds', 5)
const ms = flag('seconds', 2) * 1000
const place = home()
const children: ChildProcess[] = []
/** A PostgreSQL, where the machine has one: the same server over it takes turns with the one over SQLite. */
const postgres = await ownDatabase('postgres').catch((error: Error) => {
  process.stderr.write(`without PostgreSQL: ${error.message}\n`)
  return undefined
})

/** A process that prints its address. */
async function listening(command: readonly string[], log: number): Promise<Record<string, string>> {
  const child = spawn(command[0]!, command.slice(1), { env: place.env, stdio: ['ignore', 'pipe', log] })
  children.push(child)
  let said = ''
  for await (const part of child.stdout!) {
    said += String(part)
    if (said.includes('\n')) return JSON.parse(said) as Record<string, string>
  }
  throw new Error(`${command.join(' ')} ended before it listened`)
}

try {
  await run([...sluice, 'sandbox', 'up'], place.env)
  const log = openSync(join(place.env.HOME!, 'log'), 'a')
  const served = [...sluice, 'serve', '--port', '0', '--json']
  const ours = await listening(served, log)
  const keys = await manyKeys(ours.database!)
  if (postgres) place.env.SLUICE_DATABASE_URL = postgres.url
  const equal = postgres ? await Promise.all([1, 2, 3, 4].map(() => listening(served, log))) : []
  const [shared] = equal
  delete place.env.SLUICE_DATABASE_URL
  const sharedKeys = postgres ? await manyKeys(postgres.url) : []
  const sharedCases = shared && (await casesAt(shared.url!, sharedKeys[0]!))
  const cases = await casesAt(ours.url!, keys[0]!)
  const bytes = join(place.env.HOME!, 'bytes.json')
  writeFileSync(
    bytes,
    JSON.stringify(
      cases.map(({ method, path, answer }) => ({ method, url: path.split('?')[0], body: answer })),
    ),
  )
  const bare = await listening([process.execPath, join(import.meta.dirname, 'bare-server.ts'), bytes], log)
  const p99: number[] = []
  for (const { name, method, path, body } of cases) {
    let at = 0
    const next: Next = () => request(method, path, keys[at++ % keys.length]!, body)
    const theirs = sharedCases?.find((one) => one.name === name)
    const nextShared: Next = () =>
      request(method, theirs!.path, sharedKeys[at++ % sharedKeys.length]!, theirs!.body)
    const measured: { ours: Load[]; bare: Load[]; postgres: Load[]; four: Load[] } = {
      ...{ ours: [], bare: [], postgres: [], four: [] },
    }
    for (let round = 0; round <= rounds; round++) {
      // The first round warms both up.
      const mine = await load(ours.url!, next, { ms })
      const other = await load(bare.url!, next, { ms })
      const third = shared && (await load(shared.url!, nextShared, { ms }))
      const fourth = shared && (await loadAll(equal, nextShared))
      if (round === 0) continue
      if (third) measured.postgres.push(third)
      if (fourth) measured.four.push(fourth)
      measured.ours.push(mine)
      measured.bare.push(other)
    }
    const of = (who: keyof typeof measured, what: keyof Load) => median(measured[who].map((one) => one[what]))
    for (const who of ['ours', 'bare', ...(shared ? (['postgres', 'four'] as const) : [])] as const)
      process.stdout.write(
        `${name.padEnd(15)} ${who.padEnd(8)} ${of(who, 'perSecond').toFixed(0).padStart(7)} req/s   p50 ${of(who, 'p50').toFixed(2)} ms   p99 ${of(who, 'p99').toFixed(2)} ms\n`,
      )
    figure('serve', name, of('ours', 'perSecond') / of('bare', 'perSecond'), 'fastify')
    if (shared) {
      figure('serve', `${name}-postgres`, of('postgres', 'perSecond') / of('ours', 'perSecond'), 'sqlite')
      figure('serve', `${name}-four`, of('four', 'perSecond') / of('postgres', 'perSecond'), 'one instance')
    }
    if (!body && name !== 'get-bytecode') p99.push(of('ours', 'p99') / of('bare', 'p99'))
  }
  figure('serve', 'p99-ratio', Math.max(...p99), 'fastify')
  const { took } = await besideSlowSockets(ours.url!, 2_000)
  process.stdout.write(
    `beside 2,000 slow sockets: ${took.length} answers   p50 ${median(took).toFixed(2)} ms   p99 ${took[Math.floor(took.length * 0.99)]!.toFixed(2)} ms\n`,
  )
  closeSync(log)
} finally {
  for (const child of children) child.kill('SIGTERM')
  await place.close()
  await postgres?.close()
}

/** The same number of connections, shared by instances of one database: their requests add up. */
async function loadAll(instances: readonly Record<string, string>[], next: Next): Promise<Load> {
  const each = await Promise.all(
    instances.map(({ url }) => load(url!, next, { ms, connections: 64 / instances.length })),
  )
  const perSecond = each.reduce((sum, one) => sum + one.perSecond, 0)
  return { perSecond, p50: median(each.map(({ p50 }) => p50)), p99: Math.max(...each.map(({ p99 }) => p99)) }
}

/** Enough keys that none reaches its limit: they belong to one customer, and alternate. */
async function manyKeys(database: string): Promise<string[]> {
  const sql = await openOwnDatabase(database)
  const keys = Array.from({ length: 9_000 }, newKey)
  await sql.transaction(async ({ query }) => {
    for (const key of keys)
      await query(
        ...insertOf('api_keys', {
          ...{ id: randomUUID(), digest: keyDigest(key), customer: 'bench', testnet: 0 },
          createdAt: Date.now(),
        }),
      )
  })
  await sql.close()
  return keys
}

/** The measured requests with their responses. */
async function casesAt(url: string, key: string) {
  const { out } = await run([...sluice, 'sandbox', 'status', '--json'], place.env)
  const { tokens, accounts } = JSON.parse(out) as {
    tokens: { symbol: string; address: string }[]
    accounts: { address: string }[]
  }
  const token = (symbol: string) => tokens.find((one) => one.symbol === symbol)!.address
  const ask = async (method: string, path: string, body?: string): Promise<string> => {
    const { hostname, port } = new URL(url)
    const text = (await one(hostname, Number(port), request(method, path, key, body))).toString('utf8')
    if (!text.startsWith('HTTP/1.1 200')) throw new Error(text)
    return text.slice(text.indexOf('\r\n\r\n') + 4)
  }
  const swap = `chainIdIn=31337&chainIdOut=31337&tokenIn=${token('USDC')}&tokenOut=${token('WETH')}&amountIn=1000000`
  const quoted = await ask('GET', `/v2/swap/quote?${swap}`)
  const { quote } = JSON.parse(quoted) as { quote: { id: string } }
  const other = JSON.parse(await ask('GET', `/v2/swap/quote?${swap}`)) as { quote: { id: string } }
  const body = JSON.stringify({ quote: other.quote, walletAddress: accounts[0]!.address })
  const deposit = `/strategies/aave-v3-usdc-sandbox-one/bytecode?action=lend&amount=1000000&wallet=${accounts[0]!.address}`
  const cases = [
    { name: 'get-strategies', method: 'GET', path: '/strategies', body: undefined },
    { name: 'get-quote', method: 'GET', path: `/v2/swap/status/${quote.id}`, body: undefined },
    { name: 'post-bytecode', method: 'POST', path: '/v2/swap/bytecode', body },
    { name: 'get-bytecode', method: 'GET', path: deposit, body: undefined },
  ]
  return Promise.all(
    cases.map(async (each) => ({ ...each, answer: await ask(each.method, each.path, each.body) })),
  )
}

/** A request as bytes. */
function request(method: string, path: string, key: string, body?: string): string {
  const more =
    body === undefined
      ? ''
      : `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n`
  return `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nx-api-key: ${key}\r\naccept: application/json\r\n${more}\r\n${body ?? ''}`
}
