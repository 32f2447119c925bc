import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DeliverySettings } from '../src/events/deliver.ts'
import { eventService } from '../src/events/event-service.ts'
import type { ActionRow } from '../src/store/engine/action-tables.ts'
import type { Sql } from '../src/store/sql/sql-types.ts'
import { bundled } from './bundled.ts'
import {
  type CampaignTimes,
  type DatabaseKind,
  openOwnDatabase,
  ownDatabase,
  storeBeside,
} from './campaign-database.ts'
import { seeded } from './seeded.ts'

/** The faults that the campaign must find when they are put into its workers. */
export const webhookSabotages = ['outbox-outside-transaction', 'no-fencing', 'order-by-time'] as const

/** A fault that is put into the workers. */
export type WebhookSabotage = (typeof webhookSabotages)[number]

/** The texts of queries that a sabotage changes. */
export const sabotageTexts: Readonly<
  Record<WebhookSabotage, readonly (readonly [from: string, to: string])[]>
> = {
  'outbox-outside-transaction': [],
  'no-fencing': [
    ["where id = $1 and attempt = $2 and state = 'pending' returning", 'where id = $1 and $2 = $2 returning'],
    [
      "where id = $1 and attempt = $2 and state = 'pending' and leased_until <= $4",
      'where id = $1 and $2 = $2 and $4 = $4',
    ],
  ],
  'order-by-time': [
    ['order by at, subject, seq', 'order by at, id'],
    ['partition by p.id, e.subject order by e.seq', 'partition by p.id, e.subject order by e.at, e.id'],
    ['d.seq = (select first.seq', 'd.id = (select first.id'],
    ['order by first.seq limit 1', 'order by first.created_at, first.id limit 1'],
    ['later.seq > $3 order by later.seq limit 1', '$3 = $3 order by later.created_at, later.id limit 1'],
  ],
}

/** A sabotage whose texts the queries no longer have would find nothing, and prove nothing. */
function checkSabotage(sabotage: WebhookSabotage): void {
  const queries = ['delivery-queries.ts', 'event-queries.ts']
    .map((name) => readFileSync(join(import.meta.dirname, '../src/store/events', name), 'utf8'))
    .join()
  const missing = sabotageTexts[sabotage].filter(([from]) => !queries.includes(from))
  if (missing.length > 0)
    throw new Error(`no query has this text any more: ${missing.map(([from]) => from).join('; ')}`)
}

/** What a worker is started with. */
export type WorkerOrder = {
  database: string
  seed: number
  customer: string
  actions: readonly string[]
  isWriting: boolean
  pauseMs: number
  sabotage: WebhookSabotage | undefined
}

/** The waits of deliveries, a thousandth of the real ones. */
export const campaignSettings: DeliverySettings = {
  timeoutMs: 400,
  spareMs: 400,
  concurrency: 16,
  restAfter: 8,
  restMs: 50,
  turnMs: 2_000,
  // Nothing is given up, because the order of an action is a law only for what is not.
  schedule: Array.from({ length: 10_000 }, (_, at) => Math.min(200, 10 * 2 ** Math.min(at, 10))),
}

/** The waits of jobs. */
export const campaignTimes: CampaignTimes = {
  sqlite: { leaseMs: 600, pollMs: 20, retryMs: 20 },
  postgres: { poll: 0.5, heartbeat: 10, supervise: 1, retry: 1 },
}

/** For how long a stopped worker stands still, in ms: beyond its claims, and with PostgreSQL at times also beyond its heartbeat. */
const stoppedMs = (kind: DatabaseKind, random: () => number): number =>
  kind === 'postgres' && random() < 0.3
    ? campaignTimes.postgres.heartbeat * 1_000 + 3_000
    : campaignSettings.timeoutMs + campaignSettings.spareMs + 400

/** The course of a campaign: at least `cells` events, and a worker killed or stopped every `killMs`. */
export type WebhookCampaign = {
  cells: number
  seed: number
  killMs: number
  database: DatabaseKind
  /** Makes fewer events if they take longer. */
  seconds?: number
  workers?: number
  sabotage?: WebhookSabotage | undefined
}

const customer = 'acme'

/**
 * A receiver: which events it accepted, in order. It fails at times, hangs, and cuts the connection after it accepted. One that is dead never answers. It
 * refuses a subject until `release`.
 */
async function receiver(
  random: () => number,
  { isDead = false, refused }: { isDead?: boolean; refused?: string },
) {
  let isRefusing = true
  const accepted = new Map<string, { seq: number; id: string; change: number }[]>()
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (part) => {
      text += part
    })
    request.on('end', () => {
      if (isDead) return
      const luck = random()
      if (luck < 0.02) return
      if (luck < 0.32) return void response.writeHead(luck < 0.3 ? 500 : 429).end()
      const { subject, seq, data } = JSON.parse(text)
      if (isRefusing && subject === refused) return void response.writeHead(503).end()
      const all = accepted.get(subject) ?? []
      all.push({ seq, id: String(request.headers['webhook-id']), change: Date.parse(data.updatedAt) })
      accepted.set(subject, all)
      if (luck < 0.35) return void request.socket.destroy()
      response.writeHead(200).end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    accepted,
    release: () => {
      isRefusing = false
    },
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Runs the campaign and returns how many events there were, and what was wrong. */
export async function webhookCampaign(
  options: WebhookCampaign,
): Promise<{ events: number; wrong: string[] }> {
  const { cells, seed, killMs, database: kind, workers: count = 4, sabotage } = options
  if (sabotage) checkSabotage(sabotage)
  const random = seeded(seed)
  const workerFile = await bundled(join(import.meta.dirname, 'webhook-worker.ts'))
  const own = await ownDatabase(kind)
  const { url: database } = own
  const sql = await openOwnDatabase(database)
  const store = storeBeside(database, sql)
  const service = eventService({ store, customer, now: Date.now, allowLoopback: true })
  const heldUp = 'action:a0'
  const receivers = [
    await receiver(random, { refused: heldUp }),
    await receiver(random, {}),
    await receiver(random, { isDead: true }),
  ]
  const endpoints = []
  for (const { url } of receivers) endpoints.push(await service.addWebhook({ url }))
  const actions = Array.from(
    { length: Math.min(100, Math.max(8, Math.ceil(cells / 20))) },
    (_, at) => `a${at}`,
  )
  for (const id of actions) await store.issueOperation(actionRow(id), [], { otherId: id, most: 8 })

  let isWriting = true
  const running = new Set<ChildProcess>()
  let started = 0
  const start = () => {
    const order: WorkerOrder = {
      ...{ database, customer, actions, isWriting, sabotage, pauseMs: 5 },
      seed: seed * 1_000 + started++,
    }
    const child = spawn(process.execPath, [workerFile, JSON.stringify(order)], {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      // A start must be short beside the time until the next kill.
      env: { ...process.env, NODE_COMPILE_CACHE: join(dirname(workerFile), 'compiled') },
    })
    running.add(child)
    child.once('exit', () => {
      running.delete(child)
      if (!isOver) start()
    })
  }
  let isOver = false
  for (let at = 0; at < count; at++) start()
  /** Kills a worker, or stops it for longer than its leases, and lets it go on. */
  const disturb = async () => {
    // While events are made: afterwards what is on its way must arrive, also on a machine on which a start takes longer than the time between two kills.
    while (!isOver && isWriting) {
      await sleep(killMs)
      const all = [...running]
      const one = all[Math.floor(random() * all.length)]
      if (isOver || !one) continue
      if (random() < 0.5) one.kill('SIGKILL')
      else {
        one.kill('SIGSTOP')
        void sleep(stoppedMs(kind, random)).then(() => one.kill('SIGCONT'))
      }
      if (kind === 'postgres' && random() < 0.3) await cutConnections(sql, random)
    }
  }
  const disturbed = disturb()
  const consumer = pollAll(service, random, () => isOver)

  const changes = async () => {
    const [row] = await sql.query<{ n: number }>('select sum(updated_at) as n from actions')
    return Number(row?.n ?? 0)
  }
  // The events of the creation count too.
  const until = Date.now() + (options.seconds ?? Number.POSITIVE_INFINITY) * 1_000
  for (let shownAt = Date.now(), made = 0; made < cells && Date.now() < until; await sleep(100)) {
    made = (await changes()) + actions.length
    if (Date.now() < shownAt + 30_000) continue
    shownAt = Date.now()
    process.stderr.write(`${made} of ${cells} events\n`)
  }
  isWriting = false
  for (const child of running) child.kill('SIGKILL')
  const good = endpoints.slice(0, 2).map(({ id }) => id)
  const wrong: string[] = []
  // Everything arrives but for the action that one receiver refuses, and then that too.
  await settle(sql, good, { but: heldUp, wrong })
  if (receivers[0]!.accepted.has(heldUp)) wrong.push(`${heldUp} was accepted, although it was refused`)
  receivers[0]!.release()
  await settle(sql, good, { wrong })
  isOver = true
  for (const child of running) {
    child.kill('SIGCONT')
    child.kill('SIGKILL')
  }
  await disturbed
  const polled = await consumer
  const rows = await sql.query<ActionRow & { changes: number }>(
    'select id, updated_at as changes from actions order by id',
  )
  for (const [at, { accepted }] of receivers.slice(0, 2).entries())
    for (const { id, changes: made } of rows)
      wrong.push(...flaws(`receiver ${at}, action ${id}`, accepted.get(`action:${id}`) ?? [], Number(made)))
  const last = await store.lastCursor(customer)
  for (let cursor = 1; cursor <= last; cursor++)
    if (!polled.seen.has(cursor)) wrong.push(`the consumer never got the event at ${cursor}`)
  wrong.push(...polled.wrong)
  for (const one of receivers) one.close()
  await sql.close()
  await own.close()
  return { events: rows.reduce((sum, row) => sum + Number(row.changes) + 1, 0), wrong }
}

/** Ends some connections of the workers, each as if its network were cut. */
async function cutConnections(sql: Sql, random: () => number): Promise<void> {
  const sessions = await sql.query<{ pid: number }>(
    `select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and state is not null`,
  )
  for (const { pid } of sessions)
    if (random() < 0.2) await sql.query('select pg_terminate_backend($1)', [pid]).catch(() => undefined)
}

/** How long nothing may arrive until what is left counts as lost, in ms: above several claims of killed workers in a row. */
const patienceMs = 120_000

/** Waits until the endpoints have all events, or all but those of one subject at the first of them. */
async function settle(
  sql: Sql,
  [first, second]: readonly string[],
  { but = '', wrong }: { but?: string; wrong: string[] },
): Promise<void> {
  let left = Number.POSITIVE_INFINITY
  let progressAt = Date.now()
  for (;;) {
    const [row] = await sql.query<{ n: number }>(
      `select (select count(*) from webhook_deliveries where state <> 'delivered' and ((endpoint_id = $1 and subject <> $3) or endpoint_id = $2))
         + (select count(*) from events where cursor is null) as n`,
      [first!, second!, but],
    )
    const now = Number(row?.n ?? 0)
    if (now === 0) return
    if (now < left) progressAt = Date.now()
    left = Math.min(left, now)
    if (Date.now() - progressAt > patienceMs)
      return void wrong.push(`${now} deliveries are stuck${but === '' ? '' : ` behind those of ${but}`}`)
    await sleep(200)
  }
}

/** What is wrong with the events of an action that a receiver accepted: each change once or more under one id, never after a later one. */
function flaws(
  what: string,
  accepted: readonly { seq: number; id: string; change: number }[],
  changes: number,
): string[] {
  const wrong: string[] = []
  const ids = new Map<number, string>()
  let highest = 0
  for (const { seq, id, change } of accepted) {
    if (seq < highest) wrong.push(`${what}: event ${seq} came after ${highest}`)
    if (seq > highest + 1) wrong.push(`${what}: event ${seq} came before ${highest + 1}`)
    highest = Math.max(highest, seq)
    if ((ids.get(seq) ?? id) !== id) wrong.push(`${what}: event ${seq} has two ids`)
    ids.set(seq, id)
    if (change !== seq - 1) wrong.push(`${what}: event ${seq} tells change ${change}`)
  }
  if (highest !== changes + 1) wrong.push(`${what}: ${changes} changes, and ${highest} events`)
  return wrong
}

/** A consumer that polls and commits, and forgets its position at times before it commits. */
async function pollAll(
  service: ReturnType<typeof eventService>,
  random: () => number,
  isOver: () => boolean,
): Promise<{ seen: Set<number>; wrong: string[] }> {
  const seen = new Set<number>()
  const wrong: string[] = []
  for (let isLast = false; ; ) {
    const page = await service.listEvents({ consumer: 'campaign', limit: 100 })
    for (const { cursor } of page.events) {
      if (Number(cursor) > 1 && !seen.has(Number(cursor) - 1)) wrong.push(`the consumer skipped to ${cursor}`)
      seen.add(Number(cursor))
    }
    // It crashes before the commit, as it does while the database does not take it, and gets the same events again.
    if (page.events.length > 0 && random() > 0.1)
      await service.commitEvents({ consumer: 'campaign', cursor: page.cursor }).catch(() => undefined)
    if (page.events.length === 0 && isLast) return { seen, wrong }
    isLast = isOver()
    if (page.events.length === 0) await sleep(50)
  }
}

const actionRow = (id: string): ActionRow => ({
  ...{ id, customer, type: 'STRATEGY_DEPOSIT', status: 'pending', strategyId: 's', strategySlug: 's' },
  ...{ wallet: '0x1', receiver: '0x1', amounts: '{}', quoteId: null, destinationHash: null },
  ...{ createdAt: 0, updatedAt: 0, finishedAt: null, draft: 0, cancelledAt: null },
})
