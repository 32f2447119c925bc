import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { httpRpc } from '../src/chain/rpc/failover.ts'
import { networkNamed } from '../src/domain/networks.ts'
import { createEngineService } from '../src/engine/engine.ts'
import { postJson } from '../src/http/client.ts'
import { connectSandbox } from '../src/sandbox/daemon-client.ts'
import { engineMigrations, engineStore } from '../src/store/engine/store.ts'
import { sqliteSql } from '../src/store/sql/sqlite.ts'
import { figure, flag, home, median, run, sluice } from './measure.ts'

/*
 * The cost of reading many markets of one chain when every call takes 50 ms: the number of calls and round trips (overlapping calls
 * count as one), and the time compared with one market. `npm run bench:reads -- --rounds 7`
 */

const rounds = flag('rounds', 7)
const latencyMs = 50
const place = home()

type Count = { calls: number; trips: number }

/** A node with this latency, and its recorded traffic. */
async function farAway(url: string): Promise<{ url: string; count: () => Count; close: () => void }> {
  let [calls, trips, underWay] = [0, 0, 0]
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    calls++
    if (underWay++ === 0) trips++
    const [answer] = await Promise.all([
      postJson(url, JSON.parse(Buffer.concat(parts).toString('utf8')), { maxBytes: 1 << 26 }),
      sleep(latencyMs),
    ])
    underWay--
    response.writeHead(answer.status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer.body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    count: () => ({ calls, trips }),
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

try {
  await run([...sluice, 'sandbox', 'up'], place.env)
  const sandbox = await connectSandbox(join(place.env.SLUICE_HOME!, 'data'))
  if (!sandbox) throw new Error('the sandbox does not run')
  const { catalog, found } = sandbox
  const { chainId, rpcUrl } = found.chains[0]!
  const node = await farAway(rpcUrl)
  // Rates that no contract states are unknown on chains this young.
  const here = catalog.strategies.filter(
    (entry) => entry.chainId === chainId && entry.constants.family !== 'lido',
  )
  /** The requested number of markets: those of the sandbox repeated, each with its own name. */
  const markets = (count: number) =>
    Array.from({ length: count }, (_, at) => {
      const entry = here[at % here.length]!
      return { ...entry, id: `${entry.id}-${at}`, slug: `${entry.slug}-${at}` }
    })
  const read = async (count: number): Promise<Count & { ms: number }> => {
    const engine = createEngineService({
      catalog: {
        ...catalog,
        networks: [networkNamed(catalog.networks, chainId)],
        strategies: markets(count),
      },
      rpc: () => httpRpc(node.url),
      store: engineStore(sqliteSql(':memory:', { migrations: engineMigrations })),
      customer: 'bench',
      now: Date.now,
      newId: randomUUID,
    })
    const [before, began] = [node.count(), performance.now()]
    const { total, items } = await engine.listStrategies({ limit: 100 })
    if (total !== count || items.some(({ apy }) => apy === null))
      throw new Error(`${count} markets were not read`)
    const { calls, trips } = node.count()
    return { ms: performance.now() - began, calls: calls - before.calls, trips: trips - before.trips }
  }
  const measured = new Map<number, (Count & { ms: number })[]>([1, 10, 100, 600].map((count) => [count, []]))
  for (let round = 0; round <= rounds; round++)
    for (const [count, all] of measured) {
      const one = await read(count)
      if (round > 0) all.push(one)
    }
  const of = (count: number, what: 'ms' | keyof Count) => median(measured.get(count)!.map((one) => one[what]))
  for (const count of measured.keys())
    process.stdout.write(
      `${String(count).padStart(4)} markets  ${String(of(count, 'calls')).padStart(3)} calls  ${of(count, 'trips')} round trips  ${of(count, 'ms').toFixed(1).padStart(7)} ms\n`,
    )
  for (const count of [1, 100, 600]) {
    figure('reads', `calls-${count}`, of(count, 'calls'), 'none', 'calls')
    figure('reads', `round-trips-${count}`, of(count, 'trips'), 'none', 'round-trips')
  }
  for (const count of [100, 600])
    figure('reads', `${count}-vs-1`, of(count, 'ms') / of(1, 'ms'), 'one-market')
  node.close()
} finally {
  await place.close()
}
