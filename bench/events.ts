import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { deliverySettings } from '../src/events/deliver.ts'
import { runEventJobs, startEventJobs } from '../src/events/event-jobs.ts'
import { eventService } from '../src/events/event-service.ts'
import { guardedPost } from '../src/http/guarded-post.ts'
import { type DatabaseKind, jobsOf, openOwnDatabase, ownDatabase } from './campaign-database.ts'
import { figure, flag, median } from './measure.ts'

/*
 * Events from their commit to their receipt, one instance and 100 endpoints that each get every event, with the settings of a server: a storm of events
 * written at once, then single ones. The receiver is in the same process. `npm run bench:events -- --endpoints 100 --events 50`
 */

const endpoints = flag('endpoints', 100)
const count = flag('events', 50)
const customer = 'acme'

async function measured(kind: DatabaseKind): Promise<void> {
  const own = await ownDatabase(kind)
  const sql = await openOwnDatabase(own.url)
  const { jobs, store } = await jobsOf(own.url, sql)
  /** When each endpoint first received an event, by the id of the event and the path. */
  const received = new Map<string, Map<string, number>>()
  let repeated = 0
  let all = 0
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const id = String(request.headers['webhook-id'])
      const times = received.get(id) ?? new Map<string, number>()
      received.set(id, times)
      if (times.has(request.url!)) repeated++
      else {
        times.set(request.url!, performance.now())
        all++
      }
      response.writeHead(204).end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const mostOfCustomer = 50
  for (let at = 0; at < endpoints; at++) {
    const owner = `${customer}${Math.floor(at / mostOfCustomer)}`
    const service = eventService({ store, customer: owner, now: Date.now, allowLoopback: true })
    await service.addWebhook({ url: `http://127.0.0.1:${port}/${at}` })
  }
  const customers = Math.ceil(endpoints / mostOfCustomer)
  runEventJobs({
    ...{ store, sql, jobs, now: Date.now, clock: Date.now, random: Math.random },
    post: (request) => guardedPost({ ...request, allowLoopback: true }),
    settings: deliverySettings,
    isStopping: () => false,
    readSwap: async () => undefined,
    watchStrategies: async () => undefined,
  })
  await startEventJobs({ sql, jobs, clock: Date.now })
  const committed = new Map<string, number>()
  /** An event of its own strategy, for every customer with endpoints. */
  const tell = async (name: string) => {
    for (let of = 0; of < customers; of++) {
      const data = { slug: name, network: 'base' }
      const id = await store.tell({ customer: `${customer}${of}`, type: 'strategy.paused', id: name, data })
      committed.set(id, performance.now())
    }
  }
  const arrived = async (wanted: number) => {
    while (all < wanted) await sleep(5)
  }
  await tell('warm')
  await arrived(endpoints)
  const began = performance.now()
  const beganCpu = process.cpuUsage()
  await Promise.all(Array.from({ length: count }, (_, at) => tell(`storm-${at}`)))
  await arrived(endpoints * (count + 1))
  const seconds = (performance.now() - began) / 1_000
  const cpu = process.cpuUsage(beganCpu)
  const cpuMs = (cpu.user + cpu.system) / 1_000 / (count * endpoints)
  committed.clear()
  for (let at = 0; at < count; at++) {
    await tell(`single-${at}`)
    await arrived(endpoints * (count + 2 + at))
    await sleep(50)
  }
  const waits = [...committed].flatMap(([id, at]) => [...received.get(id)!.values()].map((then) => then - at))
  const sorted = waits.toSorted((a, b) => a - b)
  const p99 = sorted[Math.floor(sorted.length * 0.99)]!
  process.stdout.write(
    `${kind.padEnd(8)} ${endpoints} endpoints  ${(count / seconds).toFixed(1)} events/s, ${((count * endpoints) / seconds).toFixed(0)} deliveries/s, ${cpuMs.toFixed(2)} ms of CPU each (sender and receiver); a single event: p50 ${median(waits).toFixed(0)} ms, p99 ${p99.toFixed(0)} ms; ${repeated} sent twice; load ${loadavg()[0]!.toFixed(1)}\n`,
  )
  figure('events', `${kind}-p50`, median(waits), 'none', 'ms')
  figure('events', `${kind}-p99`, p99, 'none', 'ms')
  await jobs.stop()
  await sql.close()
  server.closeAllConnections()
  server.close()
  await own.close()
}

for (const kind of ['sqlite', 'postgres'] as const) await measured(kind)
