import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ChainClient } from '../../chain/chain-client.ts'
import { latestBlock } from '../../chain/head.ts'
import { openChain } from '../../chain/network-client.ts'
import { AppError } from '../../domain/errors.ts'
import { networkNamed } from '../../domain/networks.ts'
import { redactedTrace } from '../../domain/text/redacted-stack-trace.ts'
import type { EngineInputs } from '../../engine/engine.ts'
import { type ChainTrackers, createChainTrackers } from '../../engine/tracking/chain-trackers.ts'
import type { AppNeeds } from '../../server/app.ts'
import { type ReadinessCheck, readinessOf } from '../../server/readiness.ts'
import { type DatabaseProbe, probeSchema, probeWrites } from '../../store/sql/database-probe.ts'
import type { ServiceAccess } from '../../swaps/service-access.ts'
import type { MeasureSource, observations } from './observations.ts'

/** The checks of a server's readiness, in order: its database, its schema, and each of its networks by name. */
export const readinessChecks = (
  { sql, kind, schema }: DatabaseProbe,
  { catalog, rpc }: Pick<EngineInputs, 'catalog' | 'rpc'>,
): ReadinessCheck[] => [
  { name: 'database', work: () => probeWrites(sql) },
  { name: 'migrations', work: () => probeSchema(sql, kind, schema) },
  ...catalog.networks.map((network) => ({
    name: network.name,
    isChain: true as const,
    work: () => latestBlock(openChain(network, rpc(network.chainId))),
  })),
]

/** Opens the traces of a server; `undefined` unless the environment names a receiver, and then no package of OpenTelemetry is loaded. */
async function tracesOf(env: Readonly<Record<string, string | undefined>>, version: string) {
  if (!env.OTEL_EXPORTER_OTLP_ENDPOINT && !env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT) return undefined
  const { otlpTraces, tracesUrl } = await import('./otlp-traces.ts')
  const url = tracesUrl(env)
  return url === undefined ? undefined : otlpTraces(url, { version, env })
}

/** What the operator of a server sees of it, and the trackers of its chains. */
export type ServerOperation = {
  /** A chain whose exchanges are counted and traced. */
  chain: (chainId: number, client: ChainClient) => ChainClient
  services: (access: ServiceAccess) => ServiceAccess
  /** What the HTTP server shows. `sources` provide values of other parts. */
  shown: (
    engine: Omit<EngineInputs, 'customer' | 'changedBy' | 'scope'>,
    database: DatabaseProbe,
    sources?: readonly MeasureSource[],
  ) => Pick<AppNeeds, 'ready' | 'moreMetrics' | 'onEnd'>
  /** Starts the trackers. */
  start: () => void
  /** Runs the work of a request inside of its trace. */
  within: <value>(request: object, work: () => value) => value
  /** Tells probes that the server stops, and waits until balancers know. */
  drain: () => Promise<void>
  /** Ends the trackers after their write, and sends the last traces. */
  stop: () => Promise<void>
}

/** Opens the operation of a server. */
export async function serverOperation({
  catalog,
  env,
  version,
  log,
  drainMs,
  observed,
}: Pick<EngineInputs, 'catalog'> & {
  env: Readonly<Record<string, string | undefined>>
  version: string
  log: { write: (line: string) => void } | undefined
  drainMs: number
  observed: ReturnType<typeof observations>
}): Promise<ServerOperation> {
  const traces = await tracesOf(env, version)
  let isStopping = false
  let trackers: ReturnType<typeof serverTrackers> | undefined
  return {
    chain: (chainId, client) => {
      const { name } = networkNamed(catalog.networks, chainId)
      return observed.chain(name, traces?.chain(name, client) ?? client)
    },
    services: observed.services,
    shown: (engine, database, sources = []) => {
      trackers = serverTrackers(engine, log)
      const { totals } = trackers
      return {
        ready: readinessOf(readinessChecks(database, engine), () => isStopping),
        moreMetrics: () => observed.text(totals, sources),
        ...(traces && { onEnd: traces.onEnd }),
      }
    },
    start: () => trackers?.start(),
    within: (request, work) => (traces ? traces.within(request, work) : work()),
    drain: async () => {
      isStopping = true
      await sleep(drainMs)
    },
    stop: async () => {
      await trackers?.stop()
      await traces?.stop()
    },
  }
}

/** The least time between two log lines about the same chain, in ms. */
const quietMs = 60_000

/** Creates the trackers of a server. An error is logged as a JSON line, at most one a minute for each chain: a chain that is down is no news. */
function serverTrackers(
  options: Omit<Parameters<typeof createChainTrackers>[0], 'holder' | 'onError'>,
  log: { write: (line: string) => void } | undefined,
): ChainTrackers {
  const told = new Map<string, number>()
  return createChainTrackers({
    ...options,
    holder: randomUUID(),
    onError: (network, error) => {
      const now = options.now()
      if (now - (told.get(network) ?? 0) < quietMs) return
      told.set(network, now)
      const level = error instanceof AppError ? 'warn' : 'error'
      const line = { time: new Date(now).toISOString(), level, network, tracking: 'failed' }
      log?.write(`${JSON.stringify({ ...line, error: redactedTrace(error) || String(error) })}\n`)
    },
  })
}
