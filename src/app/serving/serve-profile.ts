import { readFileSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { Service } from '../../api/service-type.ts'
import type { ChainClient } from '../../chain/chain-client.ts'
import type { ApiKeys, Operator, ServeOptions, Serving } from '../../cli/server-administration.ts'
import { AppError } from '../../domain/errors.ts'
import { networkNamed } from '../../domain/networks.ts'
import { decodeText } from '../../domain/text/decode-text.ts'
import { redactedTrace } from '../../domain/text/redacted-stack-trace.ts'
import { listFileCommand, shellWord } from '../../domain/text/shell-quoting.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import type { Catalog } from '../../protocols/catalog-types.ts'
import type { Caller } from '../../server/authentication.ts'
import type { KeyOwner, KeyRow } from '../../store/api-keys/keys.ts'
import type { EngineStore } from '../../store/engine/store.ts'
import type { BackendInputs } from '../backends/backend-input-types.ts'
import { externalPricesFrom } from '../backends/external-prices-setting.ts'
import { servicesOf } from '../backends/services-with-keys.ts'
import { swapSettingsFrom } from '../backends/swap-providers-and-quote-deadline.ts'
import { apiKeys } from './api-keys.ts'
import { jobFaultLog, startBackgroundJobs } from './background-jobs.ts'

/** Reads a certificate or its key. */
function pem(path: string): string {
  try {
    return decodeText(readFileSync(path)).text ?? ''
  } catch (cause) {
    throw new AppError('CONFIG_INVALID', `Cannot read ${path}`, {
      cause,
      hint: listFileCommand(path),
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
        hint: 'sluice serve --port 0',
      })
    if (code === 'EACCES')
      throw new AppError('CONFIG_INVALID', `No permission to listen on port ${port} of ${host}`, {
        cause,
        hint: 'sluice serve --port 8080',
      })
    if (['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN'].includes(code))
      throw new AppError('CONFIG_INVALID', `${host} is not an address of this machine`, {
        cause,
        hint: 'sluice serve --host 127.0.0.1',
      })
    if (code.startsWith('ERR_OSSL') || code.startsWith('ERR_SSL') || code.startsWith('ERR_TLS'))
      throw new AppError(
        'CONFIG_INVALID',
        'The certificate and the private key are invalid or do not match',
        {
          cause,
          hint: 'Both must be PEM files, the private key without a password.',
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

/** Opens the engine's store, the API keys and the jobs, in one file. The jobs do not run yet. */
async function openStore(
  database: string,
  now: () => number,
  onError: (queue: string, error: unknown) => void = () => undefined,
) {
  const [{ engineMigrations, engineStore }, { cachedKeyOwner, keyStore }, { sqliteSql }, { sqliteJobs }] =
    await Promise.all([
      import('../../store/engine/store.ts'),
      import('../../store/api-keys/keys.ts'),
      import('../../store/sql/sqlite.ts'),
      import('../../jobs/sqlite-jobs.ts'),
    ])
  const sql = sqliteSql(database, { migrations: engineMigrations })
  const keys = keyStore(sql)
  const owners = <made>(make: (owner: KeyOwner) => made) => cachedKeyOwner(sql, keys, make)
  const jobs = sqliteJobs(sql, { now: Date.now, onError })
  return { sql, jobs, engine: engineStore(sql, { now, add: jobs.add }), keys, owners, close: sql.close }
}

/** The only customer that has a key; USAGE if there are none or several. */
async function onlyCustomer(keys: { all: () => Promise<KeyRow[]> }): Promise<string> {
  const known = [
    ...new Set((await keys.all()).filter((one) => one.revokedAt === null).map((one) => one.customer)),
  ].toSorted()
  if (known.length === 1) return known[0]!
  throw known.length === 0
    ? new AppError('USAGE', 'No customer has an API key', { hint: 'sluice keys create --customer acme' })
    : new AppError('USAGE', `Name one of the customers: ${known.map(sanitizeText).join(', ')}`, {
        hint: `Add --customer ${shellWord(known[0]!)}.`,
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

/** Returns the path of a database: a file path or an SQLite URL. */
function databaseOf(dir: string, wanted: string | undefined): string {
  if (wanted === undefined) return join(dir, 'serve.db')
  const path = wanted.replace(/^sqlite:(\/\/)?/, '')
  if (!/^[a-z][a-z0-9+.-]*:/i.test(path) && path !== '') return real(resolve(path))
  throw new AppError('CONFIG_INVALID', 'The database must be a SQLite file', {
    hint: '--database sqlite:/var/lib/sluice/serve.db',
  })
}

/** Resolves links in a path, so that a file with two names shares one set of limits. */
function real(path: string): string {
  try {
    return realpathSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    const parent = dirname(path)
    return parent === path ? path : join(real(parent), basename(path))
  }
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
      const database = databaseOf(dir, options.database)
      let logJob: (queue: string, error: unknown) => void = () => undefined
      const tls = options.tls && { cert: pem(options.tls.cert), key: pem(options.tls.key) }
      const [
        { serve },
        { bufferedLog: gathered },
        { createCustomerEngines },
        { openKeyLimits },
        { networkHealth },
        store,
      ] = await Promise.all([
        import('../../server/listen.ts'),
        import('../../server/log.ts'),
        import('../../engine/engine.ts'),
        import('../../store/api-keys/server-key-limits.ts'),
        import('./network-availability.ts'),
        openStore(database, now, (queue, error) => logJob(queue, error)),
      ])
      const { catalog, rpc } = await opened()
      const limiter = await openKeyLimits(`${database}.limits`, { windows: limits, now })
      const log = globals.quiet ? undefined : gathered((text) => io.err.write(text))
      logJob = jobFaultLog(log)
      // The last lines explain why the process ended.
      if (log) process.once('exit', log.flush)
      const { watch, missed, states, within, slow } = networkHealth(catalog.networks, log)
      const services = new Map<string, Service>()
      const engineOf = createCustomerEngines({
        ...(await externalPricesFrom(env, now)),
        ...(await swapSettingsFrom(env, await servicesOf(needs))),
        catalog,
        rpc: (chainId) => watch(networkNamed(catalog.networks, chainId), rpc(chainId)),
        onMissingNetwork: missed,
        onUnreadableQuote: logUnreadableQuotes(log),
        store: store.engine,
        answerReuse,
        allowLoopback: options.allowHttp,
        now,
        newId,
      })
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
          serve(
            {
              access,
              allow: (keyId) => limiter.take(keyId),
              ...(log && { log }),
              ...(tls && { tls }),
              behindProxy: options.behindProxy,
              version,
              chains: states,
              within,
              slow,
              works: limiter.works,
            },
            options,
          ),
        options,
      )
      const background = await startBackgroundJobs({
        store: store.engine,
        keys: store.keys,
        sql: store.sql,
        jobs: store.jobs,
        serviceOf,
        now,
        allowLoopback: options.allowHttp,
      })
      const timer =
        keepAlive && setInterval(() => void keepAlive.work().catch(() => undefined), keepAlive.everyMs)
      return {
        url: listening.url,
        database,
        ...(page && { page: { customer: page.customer, key: page.key } }),
        close: async () => {
          clearInterval(timer)
          await listening.close()
          await background.close()
          log?.flush()
          if (log) process.off('exit', log.flush)
          await limiter.close()
          await store.close()
        },
      }
    },
    check: async ({ database: wanted }) => {
      const database = databaseOf(dir, wanted)
      const [{ servedNetworks }, store] = await Promise.all([
        import('./network-preflight.ts'),
        openStore(database, now),
      ])
      const { catalog, rpc } = await opened()
      const keys = (await store.keys.all()).filter(({ revokedAt }) => revokedAt === null)
      await store.close()
      const networks = await servedNetworks(catalog, rpc)
      return { database, keys: keys.length, strategies: catalog.strategies.length, networks }
    },
    keys: async (wanted): Promise<ApiKeys> => {
      const store = await openStore(databaseOf(dir, wanted), now)
      const slugs = async () => (await opened()).catalog.strategies.map(({ slug }) => slug)
      return apiKeys(store, { now, newId, slugs })
    },
    events: async ({ database, customer, allowHttp }) => {
      const [{ eventService }, store] = await Promise.all([
        import('../../events/event-service.ts'),
        openStore(databaseOf(dir, database), now),
      ])
      return eventService({
        store: store.engine,
        customer: customer ?? (await onlyCustomer(store.keys)),
        now,
        allowLoopback: allowHttp,
      })
    },
    operator: async (wanted): Promise<Operator> => {
      const { catalog } = await opened()
      const { engine } = await openStore(databaseOf(dir, wanted), now)
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
