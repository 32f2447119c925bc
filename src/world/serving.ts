import type { Service } from '../api/service.ts'
import type { ApiKeys, Operator, Serving } from '../cli/serving.ts'
import type { Catalog } from '../domain/catalog.ts'
import { networkNamed } from '../domain/network-named.ts'
import type { Rpc } from '../net/rpc.ts'
import type { Caller } from '../server/access.ts'
import type { EngineStore } from '../store/engine.ts'
import type { KeyOwner } from '../store/keys.ts'
import { apiKeys } from './api-keys.ts'
import { listens, pem } from './listening.ts'
import { unreadIn } from './missed.ts'
import { operatorSide } from './operator-side.ts'
import type { PlaceNeeds } from './place-needs.ts'
import { outsideOf } from './prices.ts'
import { databaseOf, openStore } from './served-store.ts'

/** What a server of this profile stands on: where its files are, its chains, and what keeps those alive. */
type Stands = {
  dir: string
  opened: () => Promise<{ catalog: Catalog; rpc: (chainId: number) => Rpc }>
  /** What this profile's own engine remembers, beside what is served from here. */
  own: () => Promise<EngineStore>
  keepAlive?: { work: () => Promise<unknown>; everyMs: number }
}

/** The service of this profile over HTTP, with the keys of those who may ask. */
export function servingSide(
  { version, env, io, globals, now, newId }: PlaceNeeds,
  { dir, opened, own, keepAlive }: Stands,
): Serving {
  return {
    serve: async (options) => {
      const database = databaseOf(dir, options.database)
      const tls = options.tls && { cert: pem(options.tls.cert), key: pem(options.tls.key) }
      const [{ serve }, { gathered }, { enginesOver }, { openKeyLimits }, { watchedChains }, store] =
        await Promise.all([
          import('../server/serve.ts'),
          import('../server/log.ts'),
          import('../engine/engine.ts'),
          import('../store/key-limits.ts'),
          import('./watched-chains.ts'),
          openStore(database),
        ])
      const { catalog, rpc } = await opened()
      const limiter = await openKeyLimits(`${database}.limits`, { windows: limits, now })
      const log = globals.quiet ? undefined : gathered((text) => io.err.write(text))
      // What led to the end is in the last lines.
      if (log) process.once('exit', log.flush)
      const { watch, missed, states, within, slow } = watchedChains(catalog.networks, log)
      const services = new Map<string, Service>()
      const engineOf = enginesOver({
        ...(await outsideOf(env, now)),
        catalog,
        rpc: (chainId) => watch(networkNamed(catalog.networks, chainId), rpc(chainId)),
        missed,
        unread: unreadIn(log),
        store: store.engine,
        crowd,
        now,
        newId,
      })
      const serviceOf = ({ id, customer, testnet, strategies }: KeyOwner): Service => {
        const seen = JSON.stringify([id, customer, testnet, strategies])
        const sees = {
          testnets: testnet,
          strategies: strategies === null ? null : (JSON.parse(strategies) as string[] | null),
        }
        const known = services.get(seen) ?? engineOf({ customer, by: id, sees })
        services.set(seen, known)
        return known
      }
      const access = store.owners((who): Caller => {
        const { id: keyId, customer } = who
        const recent = (most: number) => store.engine.recentActions(customer, most)
        const sees = (name: string) => who.testnet || !networkNamed(catalog.networks, name).testnet
        return { keyId, customer, service: serviceOf(who), sees, recent }
      })
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
      const timer =
        keepAlive && setInterval(() => void keepAlive.work().catch(() => undefined), keepAlive.everyMs)
      return {
        url: listening.url,
        database,
        close: async () => {
          clearInterval(timer)
          await listening.close()
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
        import('./served-networks.ts'),
        openStore(database),
      ])
      const { catalog, rpc } = await opened()
      const keys = (await store.keys.all()).filter(({ revokedAt }) => revokedAt === null)
      await store.close()
      const networks = await servedNetworks(catalog, rpc)
      return { database, keys: keys.length, strategies: catalog.strategies.length, networks }
    },
    keys: async (wanted): Promise<ApiKeys> => {
      const store = await openStore(databaseOf(dir, wanted))
      const slugs = async () => (await opened()).catalog.strategies.map(({ slug }) => slug)
      return apiKeys(store, { now, newId, slugs })
    },
    operator: async (wanted): Promise<Operator> => {
      const { catalog } = await opened()
      const { engine } = await openStore(databaseOf(dir, wanted))
      // Of what is served from somewhere else, this profile's own engine knows nothing.
      const others = wanted === undefined ? [await own()] : []
      return operatorSide([engine, ...others], { catalog, now })
    },
  }
}

/** In any stretch of a minute and of an hour, for each key (specification, Limits). */
const limits = [
  { ms: 60_000, most: 100 },
  { ms: 3_600_000, most: 1_000 },
] as const

/** Where so many ask at once, the newest block of a chain is asked for once in so many ms. */
const crowd = { from: 8, ms: 20 }
