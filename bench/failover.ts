import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { httpRpc } from '../src/chain/rpc/failover.ts'
import { keyStore, newKey } from '../src/store/api-keys/keys.ts'
import type { Sql } from '../src/store/sql/sql-types.ts'
import { openOwnDatabase, ownDatabase } from './campaign-database.ts'
import type { FailoverSabotage } from './failover-sabotage.ts'
import { home, run, sluice } from './measure.ts'
import { seeded } from './seeded.ts'

/** The course of a campaign: `cells` writes by clients, while something is killed, cut or restarted every `everyMs`. */
export type FailoverCampaign = {
  cells: number
  seed: number
  everyMs: number
  seconds?: number | undefined
  instances?: number
  sabotage?: FailoverSabotage | undefined
}

/** A write of a client: `id` is what the service answered, once it has accepted it. */
type Write = { kind: 'webhook' | 'transfer'; customer: string; mark: string; id?: string; sent?: boolean }

const sources = join(import.meta.dirname, '..', 'src', 'app', 'launch.ts')
const nobody = '0x00000000000000000000000000000000000bee71'
const clients = 6
/** How long a client tries the same write again, in ms: above the time for which a request that died holds its key. */
const patienceMs = 150_000
/** How many writes go to one customer: below the most endpoints, and the limit of its key. */
const writesOfCustomer = 30

/** Runs the campaign over a sandbox of `place`, and returns how many writes there were, what was done to the servers, and what was wrong. */
export async function failoverCampaign(
  options: FailoverCampaign,
): Promise<{ writes: number; accepted: number; faults: Record<string, number>; wrong: string[] }> {
  const { cells, seed, everyMs, instances: count = 4, sabotage } = options
  const random = seeded(seed)
  const place = home()
  const mark = join(place.env.HOME!, 'sabotaged')
  const own = await ownDatabase('postgres')
  const children = new Set<ChildProcess>()
  process.once('exit', () => {
    for (const child of children) child.kill('SIGKILL')
  })
  try {
    await run([...sluice, 'sandbox', 'up'], place.env)
    const { out } = await run([...sluice, 'sandbox', 'status', '--json'], place.env)
    const { chains, accounts } = JSON.parse(out) as {
      chains: { chainId: number; rpcUrl: string }[]
      accounts: { address: string }[]
    }
    const { chainId, rpcUrl } = chains[0]!
    const rpc = httpRpc(rpcUrl, { retries: 0 })
    await rpc.request('anvil_autoImpersonateAccount', [true])
    const sql = await openOwnDatabase(own.url)
    const keys = new Map<string, string>()
    for (let at = 0; at * writesOfCustomer < cells + writesOfCustomer; at++) {
      const key = newKey()
      await keyStore(sql).add(
        { id: randomUUID(), customer: `c${at}`, testnet: false, createdAt: Date.now(), revokedAt: null },
        key,
      )
      keys.set(`c${at}`, key)
    }

    const wrong: string[] = []
    const urls: (string | undefined)[] = []
    const running: (ChildProcess | undefined)[] = []
    const start = async (at: number): Promise<void> => {
      const [node, program] = sluice
      const command = [
        ...(sabotage ? ['--import', join(import.meta.dirname, 'failover-sabotage.ts'), sources] : [program!]),
        'serve',
        '--port',
        '0',
        '--json',
        '--quiet',
        '--allow-http',
      ]
      const child = spawn(node!, command, {
        env: {
          ...place.env,
          SLUICE_DATABASE_URL: own.url,
          ...(sabotage && { FAILOVER_SABOTAGE: sabotage, FAILOVER_SABOTAGE_MARK: mark }),
        },
        stdio: ['ignore', 'pipe', 'ignore'],
      })
      children.add(child)
      running[at] = child
      let said = ''
      for await (const part of child.stdout!) {
        said += String(part)
        if (said.includes('\n')) break
      }
      // A database that restarts may end a start.
      if (said.includes('"url"') && running[at] === child) urls[at] = JSON.parse(said).url
      else if (running[at] === child && !isOver) await sleep(500).then(() => start(at))
    }
    let isOver = false
    const stop = async (at: number, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> => {
      const child = running[at]
      urls[at] = undefined
      running[at] = undefined
      if (!child || child.exitCode !== null) return
      const ended = once(child, 'exit')
      child.kill(signal)
      const [code] = (await ended) as [number | null]
      children.delete(child)
      if (signal === 'SIGTERM' && code !== 0 && code !== null)
        wrong.push(`an instance that was asked to stop ended with ${code}`)
    }
    await Promise.all(Array.from({ length: count }, (_, at) => start(at)))

    const faults: Record<string, number> = {}
    const kinds = ['killed', 'stopped', 'cut', 'restarted fast', 'restarted immediately'] as const
    const disturb = async (): Promise<void> => {
      for (let at = 0; !isOver; at++) {
        await sleep(everyMs)
        if (isOver) return
        const kind = kinds[at % kinds.length]!
        const victim = Math.floor(random() * count)
        if (kind === 'killed' || kind === 'stopped') {
          await stop(victim, kind === 'killed' ? 'SIGKILL' : 'SIGTERM')
          void start(victim)
        } else if (kind === 'cut') await cutAll(sql)
        else await own.server!.restart(kind === 'restarted fast' ? 'fast' : 'immediate')
        faults[kind] = (faults[kind] ?? 0) + 1
      }
    }
    const disturbed = disturb()

    /** One request to any instance; `undefined` if it is to be tried again. */
    const ask = async (write: Write, path: string, body: unknown): Promise<{ id: string } | undefined> => {
      const url = urls[Math.floor(random() * count)]
      if (url === undefined) return undefined
      try {
        const answer = await fetch(`${url}${path}`, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            'x-api-key': keys.get(write.customer)!,
            'idempotency-key': `${seed}-${write.mark}`,
          },
          body: JSON.stringify(body),
          signal: AbortSignal.timeout(20_000),
        })
        const document = (await answer.json()) as { id?: string; error?: { code: string; message: string } }
        if (answer.ok) return { id: document.id! }
        if (answer.status < 500 && answer.status !== 409 && answer.status !== 429)
          wrong.push(
            `${write.kind} ${write.mark} was refused with ${answer.status}: ${document.error?.message}`,
          )
        return undefined
      } catch {
        return undefined
      }
    }
    const writes: Write[] = []
    const until = Date.now() + (options.seconds ?? Number.POSITIVE_INFINITY) * 1_000
    let sending: Promise<unknown> = Promise.resolve()
    const client = async (): Promise<void> => {
      while (writes.length < cells && Date.now() < until) {
        const number = writes.length
        const write: Write = {
          kind: number % 2 === 0 ? 'transfer' : 'webhook',
          customer: `c${Math.floor(number / writesOfCustomer)}`,
          mark: String(1_000_000 + number),
        }
        writes.push(write)
        const from = accounts[number % accounts.length]!.address
        const gaveUpAt = Date.now() + patienceMs
        const send = () =>
          write.kind === 'webhook'
            ? ask(write, '/webhooks', { url: `http://127.0.0.1:9/${write.mark}` })
            : ask(write, '/transfer/bytecode', {
                ...{ originAddress: from, destinationAddress: nobody, chainId, amount: write.mark },
                token: '0x0000000000000000000000000000000000000000',
              })
        // A third of the writes lose an accepted answer and ask again, and a sixth ask twice at once: under the same key.
        const luck = random()
        let wanted = luck < 1 / 3 ? 2 : 1
        while (wanted > 0 && Date.now() < gaveUpAt) {
          const answers = await Promise.all(luck > 5 / 6 ? [send(), send()] : [send()])
          for (const { id } of answers.filter((answer) => answer !== undefined)) {
            if (write.id !== undefined && write.id !== id)
              wrong.push(`${write.kind} ${write.mark} was accepted as ${write.id} and again as ${id}`)
            write.id ??= id
            wanted--
          }
          if (wanted > 0) await sleep(200 + random() * 800)
        }
        if (write.id && write.kind === 'transfer') {
          const value = `0x${Number(write.mark).toString(16)}`
          // One at a time: the node chooses the nonce.
          sending = sending.then(() => rpc.request('eth_sendTransaction', [{ from, to: nobody, value }]))
          await sending
          write.sent = true
        }
      }
    }
    await Promise.all(Array.from({ length: clients }, client))
    const accepted = writes.filter(({ id }) => id !== undefined)
    // Every sent action is followed to its end, also now.
    const wanted = writes.filter(({ sent }) => sent).length
    for (let progressAt = Date.now(), done = -1; ; ) {
      const found = await sql
        .query<{ n: number }>(`select count(*) as n from actions where status = 'fulfilled'`)
        .catch(() => undefined)
      const now = Number(found?.[0]?.n ?? done)
      if (now >= wanted) break
      if (now > done) progressAt = Date.now()
      done = now
      if (Date.now() > progressAt + 90_000) {
        wrong.push(`${wanted - now} of ${wanted} sent transfers are not followed to their end`)
        break
      }
      // The chain goes on, as others do.
      await rpc.request('anvil_mine', ['0x1'])
      await sleep(1_000)
    }
    isOver = true
    await disturbed
    // What waits for its number gets it within a minute.
    await numbered(sql, wrong)
    await Promise.all(running.map((_, at) => stop(at, 'SIGTERM')))
    if (sabotage && !existsSync(mark)) throw new Error(`The fault ${sabotage} was not in any instance`)
    wrong.push(...(await flaws(sql, writes)))
    await sql.close()
    return { writes: writes.length, accepted: accepted.length, faults, wrong }
  } finally {
    for (const child of children) child.kill('SIGKILL')
    await own.close()
    await place.close()
  }
}

/** Ends all connections to the database but this one. */
const cutAll = (sql: Sql): Promise<unknown> =>
  sql
    .query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
    )
    .catch(() => undefined)

async function numbered(sql: Sql, wrong: string[]): Promise<void> {
  for (const since = Date.now(); ; await sleep(500)) {
    const [row] = await sql.query<{ n: number }>('select count(*) as n from events where cursor is null')
    if (Number(row?.n) === 0) return
    if (Date.now() > since + 120_000) return void wrong.push(`${row?.n} events are not numbered`)
  }
}

/** What is wrong in the database after the campaign. */
async function flaws(sql: Sql, writes: readonly Write[]): Promise<string[]> {
  const wrong: string[] = []
  const webhooks = await sql.query<{ id: string; url: string }>('select id, url from webhook_endpoints')
  const transfers = await sql.query<{ id: string; value: string }>(
    `select a.id, t.value from actions a join action_txs t on t.action_id = a.id`,
  )
  const stored = new Map<string, string[]>()
  const put = (mark: string, id: string) => stored.set(mark, [...(stored.get(mark) ?? []), id])
  for (const { id, url } of webhooks) put(`webhook ${url.split('/').at(-1)}`, id)
  for (const { id, value } of transfers) put(`transfer ${Number(value)}`, id)
  for (const { kind, mark, id } of writes) {
    const found = stored.get(`${kind} ${mark}`) ?? []
    if (id !== undefined && !found.includes(id))
      wrong.push(`${kind} ${mark} was accepted as ${id} and is lost`)
    if (found.length > 1) wrong.push(`${kind} ${mark} is stored ${found.length} times`)
  }
  const events = await sql.query<{
    customer: string
    subject: string
    seq: number
    type: string
    cursor: number
  }>('select customer, subject, seq, type, cursor from events order by customer, subject, seq')
  const bySubject = Map.groupBy(events, ({ customer, subject }) => `${customer} ${subject}`)
  for (const [subject, all] of bySubject) {
    all.forEach(({ seq }, at) => {
      if (Number(seq) !== at + 1) wrong.push(`${subject}: event ${seq} is in the place ${at + 1}`)
    })
    const types = all.map(({ type }) => type)
    if (types.filter((type) => type === 'action.created').length > 1)
      wrong.push(`${subject} was created twice`)
    const ends = types.filter((type) => /^action\.(succeeded|failed|refunded)$/.test(type))
    if (ends.length > 1) wrong.push(`${subject} has ended as ${ends.join(' and ')}`)
    if (ends.length === 1 && types.at(-1) !== ends[0]) wrong.push(`${subject} went on after ${ends[0]}`)
  }
  for (const { id, mark, sent } of writes)
    if (
      sent &&
      !events.some(({ subject, type }) => subject === `action:${id}` && type === 'action.succeeded')
    )
      wrong.push(`transfer ${mark}: its success was not told`)
  for (const [customer, all] of Map.groupBy(events, (event) => event.customer)) {
    const cursors = all.map(({ cursor }) => Number(cursor)).toSorted((a, b) => a - b)
    cursors.forEach((cursor, at) => {
      if (cursor !== at + 1) wrong.push(`${customer}: the cursor ${cursor} is in the place ${at + 1}`)
    })
  }
  return wrong
}
