import { readFileSync } from 'node:fs'
import type { Service } from '../../api/service-type.ts'
import type { ChainClient } from '../../chain/chain-client.ts'
import type { ApiKeys, Operator, ServeOptions, Serving } from '../../cli/server-administration.ts'
import { AppError } from '../../domain/errors.ts'
import { networkNamed } from '../../domain/networks.ts'
import { decodeText } from '../../domain/text/decode-text.ts'
import { advice, sameWith, sluice } from '../../domain/text/next-step.ts'
import { redactedTrace } from '../../domain/text/redacted-stack-trace.ts'
import { listFileCommand } from '../../domain/text/shell-quoting.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import type { Catalog } from '../../protocols/catalog-types.ts'
import type { Caller } from '../../server/authentication.ts'
import type { KeyOwner, KeyRow } from '../../store/api-keys/keys.ts'
import type { EngineStore } from '../../store/engine/store.ts'
import { probeWrites } from '../../store/sql/database-probe.ts'
import type { BackendInputs } from '../backends/backend-input-types.ts'
import { externalPricesFrom } from '../backends/external-prices-setting.ts'
import { servicesOf } from '../backends/services-with-keys.ts'
import { swapSettingsFrom } from '../backends/swap-providers-and-quote-deadline.ts'
import { apiKeys } from './api-keys.ts'
import { jobFaultLog, startBackgroundJobs } from './background-jobs.ts'
import { openServedDatabase } from './served-database.ts'

/** Reads a certificate or its key. */
function pem(path: string): string {
  try {
    return decodeText(readFileSync(path)).text ?? ''
  } catch (cause) {
    throw new AppError('CONFIG_INVALID', `Cannot read ${path}`, {
      cause,
      next: listFileCommand(path),
    })
  }
}

/** Converts errors of the port, host or certificate to CONFIG_INVALID. */
async function listens<value>(work: () => Promise<value>, { host, port }: ServeOptions): Promise<value> {
  try {
    return await work()
  } catch (cause) {
    const { code = '' } = cause as NodeJS.ErrnoException
    if (code === 'EADDRINUSE')
      throw new AppError('CONFIG_INVALID', `Port ${port} on ${host} is in use`, {
        cause,
        next: sluice('serve', { '--port': '0' }),
      })
    if (code === 'EACCES')
      throw new AppError('CONFIG_INVALID', `No permission to listen on port ${port} of ${host}`, {
        cause,
        next: sluice('serve', { '--port': '8080' }),
      })
    if (['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN'].includes(code))
      throw new AppError('CONFIG_INVALID', `${host} is not an address of this machine`, {
        cause,
        next: sluice('serve', { '--host': '127.0.0.1' }),
      })
    if (code.startsWith('ERR_OSSL') || code.startsWith('ERR_SSL') || code.startsWith('ERR_TLS'))
      throw new AppError(
        'CONFIG_INVALID',
        'The certificate and the private key are invalid or do not match',
        {
          cause,
          next: 'Both must be PEM files, the private key without a password.',
        },
      )
    throw cause
  }
}

/** Logs each unreadable stored quote once, as a JSON line with the error. */
function logUnreadableQuotes(
  log: { write: (line: string) => void } | undefined,
): (quoteId: string, fault: unknown) => void {
  const shown = new Set<string>()
  return (quote, fault) => {
    if (shown.has(quote)) return
    shown.add(quote)
    const line = { time: new Date().toISOString(), level: 'error', quote, error: redactedTrace(fault) }
    log?.write(`${JSON.stringify(line)}\n`)
  }
}

/** The only customer that has a key; USAGE if there are none or several. */
async function onlyCustomer(keys: { all: () => Promise<KeyRow[]> }): Promise<string> {
  const known = [
    ...new Set((await keys.all()).filter((one) => one.revokedAt === null).map((one) => one.customer)),
  ].toSorted()
  if (known.length === 1) return known[0]!
  throw known.length === 0
    ? new AppError('USAGE', 'No customer has an API key', {
        next: sluice('keys create', { '--customer': 'acme' }),
      })
    : new AppError('USAGE', `Name one of the customers: ${known.map(sanitizeText).join(', ')}`, {
        next: advice`For ${sanitizeText(known[0]!)}: ${sameWith({ '--customer': known[0]! })}`,
      })
}

/** A key for the page of this process, which no database has: of a customer, or of the only one with a key. */
async function pageKey(keys: { all: () => Promise<KeyRow[]> }, named: string) {
  const { keyDigest, newKey } = await import('../../store/api-keys/keys.ts')
  const known = new Set((await keys.all()).filter((one) => one.revokedAt === null).map((one) => one.customer))
  const customer = named !== '' ? named : known.size === 1 ? [...known][0]! : 'local'
  const key = newKey()
  const digest = keyDigest(key)
  return { customer, key, isIt: (apiKey: string) => keyDigest(apiKey) === digest }
}

/** The dependencies of a server: data directory, chains, and the work that keeps them alive. */
type ServingInputs = {
  dir: string
  opened: () => Promise<{ catalog: Catalog; rpc: (chainId: number) => ChainClient }>
  /** The profile's own engine store, separate from the server's. */
  own: () => Promise<EngineStore>
  keepAlive?: { work: () => Promise<unknown>; everyMs: number }
}

/** Serves this profile over HTTP, with API keys. */
export function serveProfile(needs: BackendInputs, { dir, opened, own, keepAlive }: ServingInputs): Serving {
  const { version, env, io, globals, now, newId } = needs
  return {
    serve: async (options) => {
      let logJob: (queue: string, error: unknown) => void = () => undefined
      const tls = options.tls && { cert: pem(options.tls.cert), key: pem(options.tls.key) }
      const { observations } = await import('./observations.ts')
      const observed = observations()
      const [
        { serveHttp },
        { bufferedLog: gathered },
        { createCustomerEngines },
        { networkHealth },
        { serverOperation },
        { databaseMeasures },
        store,
      ] = await Promise.all([
        import('../../server/listen.ts'),
        import('../../server/log.ts'),
        import('../../engine/engine.ts'),
        import('./network-availability.ts'),
        import('./server-operation.ts'),
        import('./database-measures.ts'),
        openServedDatabase(dir, options.database, needs, {
          observe: observed.sql,
          jobs: { now, onError: (queue, error) => logJob(queue, error) },
        }),
      ])
      const { catalog, rpc } = await opened()
      const limiter = await store.limits({ windows: limits, now })
      const log = globals.quiet ? undefined : gathered((text) => io.err.write(text))
      logJob = jobFaultLog(log)
      // The last lines explain why the process ended.
      if (log) process.once('exit', log.flush)
      const { watch, missed, states, within, slow } = networkHealth(catalog.networks, log)
      const operation = await serverOperation({
        ...{ catalog, env, version, log, observed, drainMs: options.drainMs ?? 0 },
      })
      const services = new Map<string, Service>()
      const engine = {
        ...(await externalPricesFrom(env, now)),
        ...(await swapSettingsFrom(env, operation.services(await servicesOf(needs)))),
        catalog,
        rpc: (chainId: number) =>
          watch(networkNamed(catalog.networks, chainId), operation.chain(chainId, rpc(chainId))),
        onMissingNetwork: missed,
        onUnreadableQuote: logUnreadableQuotes(log),
        store: store.engine,
        allowLoopback: options.allowHttp,
        now,
        newId,
      }
      const engineOf = createCustomerEngines({ ...engine, answerReuse })
      const serviceOf = ({ id, customer, testnet, strategies }: KeyOwner): Service => {
        const seen = JSON.stringify([id, customer, testnet, strategies])
        const scope = {
          testnets: testnet,
          strategies: strategies === null ? null : (JSON.parse(strategies) as string[] | null),
        }
        const known = services.get(seen) ?? engineOf({ customer, changedBy: id, scope })
        services.set(seen, known)
        return known
      }
      const callerOf = (owner: KeyOwner): Caller => {
        const { id: keyId, customer } = owner
        const sees = (name: string) => owner.testnet || !networkNamed(catalog.networks, name).testnet
        return { keyId, customer, service: serviceOf(owner), sees }
      }
      const owners = store.owners(callerOf)
      const page = options.pageOf === undefined ? undefined : await pageKey(store.keys, options.pageOf)
      const access = async (apiKey: string): Promise<Caller | undefined> =>
        page?.isIt(apiKey)
          ? callerOf({ id: 'page', customer: page.customer, testnet: true, strategies: null })
          : owners(apiKey)
      const listening = await listens(
        () =>
          serveHttp(
            {
              access,
              allow: (keyId) => limiter.take(keyId),
              ...(log && { log }),
              ...(tls && { tls }),
              behindProxy: options.behindProxy,
              version,
              chains: states,
              within: (request, work) => within(request, () => operation.within(request, work)),
              slow,
              idempotent: store.engine,
              ...operation.shown(engine, store.probed, [databaseMeasures(store.probed, store.pool, now)]),
            },
            options,
          ),
        options,
      )
      operation.start()
      const background = await startBackgroundJobs({
        store: store.engine,
        keys: store.keys,
        sql: store.probed.sql,
        jobs: store.jobs!,
        serviceOf,
        now,
        allowLoopback: options.allowHttp,
      })
      const timer =
        keepAlive && setInterval(() => void keepAlive.work().catch(() => undefined), keepAlive.everyMs)
      return {
        url: listening.url,
        database: store.shown,
        ...(page && { page: { customer: page.customer, key: page.key, dir } }),
        close: async () => {
          clearInterval(timer)
          await operation.drain()
          await listening.close()
          await background.close()
          await operation.stop()
          log?.flush()
          if (log) process.off('exit', log.flush)
          await limiter.close()
          await store.close()
        },
      }
    },
    check: async ({ database: wanted }) => {
      const [{ servedNetworks }, store] = await Promise.all([
        import('./network-preflight.ts'),
        openServedDatabase(dir, wanted, needs),
      ])
      const { catalog, rpc } = await opened()
      const keys = (await store.keys.all()).filter(({ revokedAt }) => revokedAt === null)
      await probeWrites(store.probed.sql)
      await store.close()
      const networks = await servedNetworks(catalog, rpc)
      return { database: store.shown, keys: keys.length, strategies: catalog.strategies.length, networks }
    },
    keys: async (wanted): Promise<ApiKeys> => {
      const store = needs.keep(await openServedDatabase(dir, wanted, needs))
      const slugs = async () => (await opened()).catalog.strategies.map(({ slug }) => slug)
      return apiKeys(store, { now, newId, slugs })
    },
    events: async ({ database, customer, allowHttp }) => {
      const [{ eventService }, opening] = await Promise.all([
        import('../../events/event-service.ts'),
        openServedDatabase(dir, database, needs, { jobs: { now } }),
      ])
      const store = needs.keep(opening)
      return eventService({
        store: store.engine,
        customer: customer ?? (await onlyCustomer(store.keys)),
        now,
        allowLoopback: allowHttp,
      })
    },
    operator: async (wanted): Promise<Operator> => {
      const { catalog } = await opened()
      const { engine } = needs.keep(await openServedDatabase(dir, wanted, needs))
      // The profile's own engine does not use the database of another server.
      const others = wanted === undefined ? [await own()] : []
      return operatorFees([engine, ...others], { catalog, now })
    },
  }
}

/** Rate limits of each key, over any minute and any hour (specification, Limits). */
const limits = [
  { ms: 60_000, most: 100 },
  { ms: 3_600_000, most: 1_000 },
] as const

/** With this many concurrent callers, the newest block of a chain is read at most once in `ms`. */
const answerReuse = { minCallers: 8, ms: 20 }

/** Maximum number of settings changes shown, newest first. */
const mostChanges = 100

/** The operator's fees. Changes go to all databases; the first one is shown. */
function operatorFees(
  [store, ...others]: readonly [EngineStore, ...EngineStore[]],
  needs: { catalog: Catalog; now: () => number },
): Operator {
  const show: Operator['show'] = async () => {
    const { readOperatorFees } = await import('../../engine/fees/fee-settings.ts')
    const changes = await store.settingChanges(mostChanges)
    return {
      ...(await readOperatorFees(store)),
      changes: changes.map(({ at, customer, ...change }) => ({
        at: new Date(at).toISOString(),
        customer: customer === '' ? null : customer,
        ...change,
      })),
    }
  }
  return {
    show,
    set: async (change) => {
      const { setOperatorFees } = await import('../../engine/fees/fee-settings.ts')
      for (const one of [store, ...others]) await setOperatorFees({ ...needs, store: one }, change)
      return show()
    },
  }
}
