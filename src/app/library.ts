import type { Service } from '../api/service-type.ts'
import { AppError } from '../domain/errors.ts'
import { allNetworks, type Network, networkNamed, publicNetworks } from '../domain/networks.ts'
import { tokenAt } from '../domain/token.ts'
import { catalogOn, joined } from '../protocols/catalog-operations.ts'
import type { Catalog } from '../protocols/catalog-types.ts'
import { once } from './once.ts'
import { filesOf } from './profiles/catalog-of-configured-networks.ts'
import { optionHeaders } from './profiles/rpc-headers.ts'
import { refuseOptions } from './validate-library-options.ts'

export type { Catalog, Core, Service }
/** The library's error: `code` is one of the codes that `sluice schema` prints, `hint` is the next step. */
export { AppError }

/** The options of the engine in this process. */
export type EngineOptions = {
  /** One or several RPC URLs, by network name or chain id. */
  rpcs: Readonly<Record<string, string | readonly string[]>>
  /** Headers for the RPC of a network, such as `Authorization`, by network name or chain id. They are sent only to its one host, over https or to this machine. */
  rpcHeaders?: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** Path of the SQLite file for quotes, operations and caches; default: in memory. */
  store?: string
  /** A catalogue instead of the one in this package. */
  catalog?: Catalog
  /** The owner of quotes and operations in a shared store. */
  customer?: string
  /** Maximum time of one chain read with all retries, in ms. */
  budgetMs?: number
  /** Epoch milliseconds; default: the system's clock. */
  now?: () => number
}

/** A deployment of the service and its API key. */
export type RemoteOptions = {
  baseUrl: string
  apiKey: string
  /** Base URL of the legacy endpoints, if different; the key is sent there too. */
  legacyBaseUrl?: string
  /** Maximum time of a call in ms, with retries and rate limit waits. */
  deadlineMs?: number
  /** Epoch milliseconds; default: the system's clock. */
  now?: () => number
}

/**
 * The whole service in this process. No request is made before a method is called, and the environment
 * is not read. Amounts are `bigint` in the smallest unit, rates are fractions; a failure is an
 * `AppError`.
 */
export async function createEngine(options: EngineOptions): Promise<Core> {
  refuseOptions('createEngine', options)
  const { store: path = ':memory:', customer = 'local', budgetMs = 30_000, now = Date.now } = options
  const [
    { createEngineService: engineOver },
    { engineMigrations, engineStore },
    { sqliteSql },
    { failoverRpc },
  ] = await Promise.all([
    import('../engine/engine.ts'),
    import('../store/engine/store.ts'),
    import('../store/sql/sqlite.ts'),
    import('../chain/rpc/failover.ts'),
  ])
  const networks = options.catalog?.networks ?? allNetworks
  const chains = new Map<number, ReturnType<typeof failoverRpc>>()
  const headersOf = new Map(
    Object.entries(options.rpcHeaders ?? {}).map(([name, headers]) => [
      networkNamed(networks, name).chainId,
      { name, headers },
    ]),
  )
  for (const [name, urls] of Object.entries(options.rpcs)) {
    const network = networkNamed(networks, name)
    const { chainId } = network
    if (chains.has(chainId)) throw namedTwice(network)
    const all = [urls].flat().map(checked)
    const own = headersOf.get(chainId)
    const headers = own ? optionHeaders(own.name, own.headers, all) : {}
    headersOf.delete(chainId)
    chains.set(chainId, failoverRpc(all, { budgetMs, chainId, headers }))
  }
  for (const { name } of headersOf.values())
    throw new AppError(
      'CONFIG_INVALID',
      `createEngine has rpcHeaders.${name}, but no RPC of that network in rpcs`,
    )
  const known = options.catalog ?? (await shipped(allNetworks.filter(({ chainId }) => chains.has(chainId))))
  const store = engineStore(sqliteSql(path, { migrations: engineMigrations }))
  const service = engineOver({
    catalog: catalogOn(known, (chainId) => chains.has(chainId)),
    rpc: (chainId) => {
      const rpc = chains.get(chainId)
      if (rpc) return rpc
      throw new AppError('CONFIG_INVALID', `No RPC for ${networkNamed(networks, chainId).name}`)
    },
    store,
    customer,
    now,
    newId: () => crypto.randomUUID(),
  })
  return coreOf(service, async () => store.close())
}

/**
 * A deployment of the service, with the same methods. No request is made before a method is called. Nothing here checks its word, so an
 * end of a swap or action that it returns is `reported`.
 */
export async function createRemote(options: RemoteOptions): Promise<Core> {
  refuseOptions('createRemote', options)
  const { baseUrl, apiKey, legacyBaseUrl, deadlineMs, now } = options
  const [{ remoteService: remote }, { withStatedOutcomes }] = await Promise.all([
    import('../remote/client.ts'),
    import('../remote/stated-outcomes.ts'),
  ])
  const tokens = once(async () => joined(await filesOf(publicNetworks)).tokens)
  const service = remote({
    baseUrl,
    apiKey,
    legacyBaseUrl,
    ...(deadlineMs !== undefined && { deadlineMs }),
    ...(now && { now }),
    tokenAt: async (chainId, address) => tokenAt(await tokens(), chainId, address),
  })
  return coreOf(withStatedOutcomes(service), async () => undefined)
}

/** Loads the packaged catalogue. It has no contracts of the embedded chains, which are deployed at their start. */
async function shipped(networks: readonly Network[]): Promise<Catalog> {
  const embedded = networks.find((one) => !publicNetworks.includes(one))
  if (embedded)
    throw new AppError('CONFIG_INVALID', `This package has no catalogue for ${embedded.name}`, {
      next: 'Pass the deployed contracts to createEngine as `catalog`.',
    })
  return joined(await filesOf(networks))
}

const namedTwice = ({ name, chainId }: Network): AppError =>
  new AppError('CONFIG_INVALID', `createEngine has the network ${name} twice in rpcs`, {
    next: `Give it once, as ${name} or as ${chainId}, with a list of all its URLs.`,
  })

/** Checks the URL of a node; an invalid one is not repeated in the error, because it may hold a token. */
function checked(url: string): string {
  if (/^https?:$/.test(URL.parse(url)?.protocol ?? '')) return url
  throw new AppError('CONFIG_INVALID', 'The URL of an RPC is not an http(s) URL')
}

/**
 * A service of the library: each method takes a `signal` and rejects with its reason when aborted.
 * `close` releases everything.
 */
type Core = Service & { close: () => Promise<void> }

type Method = (input: unknown, options?: { signal?: AbortSignal }) => Promise<unknown>

/**
 * Makes a service of the library: an aborted call rejects at once with the reason of the signal, as
 * `fetch` does, although its request may be executed; after `close` each call is USAGE.
 */
function coreOf(service: Service, close: () => Promise<void>): Core {
  let isClosed = false
  const asked = async (method: Method, input: unknown, signal: AbortSignal | undefined) => {
    signal?.throwIfAborted()
    try {
      if (!isClosed) return await unlessAborted(method(input, { ...(signal && { signal }) }), signal)
    } catch (error) {
      // A call in progress fails when the service is closed, with any error.
      if (!isClosed || signal?.aborted) throw error
    }
    throw new AppError('USAGE', 'The service is closed', {
      next: 'Create a new one with createEngine or createRemote',
    })
  }
  const methods = Object.entries(service).map(([name, method]): [string, Method] => [
    name,
    (input, options) => asked(method as Method, input, options?.signal),
  ])
  return {
    ...(Object.fromEntries(methods) as unknown as Service),
    close: once(async () => {
      isClosed = true
      await close()
    }),
  }
}

function unlessAborted(work: Promise<unknown>, signal: AbortSignal | undefined): Promise<unknown> {
  if (!signal) return work
  return new Promise((done, failed) => {
    const stop = () => failed(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    const end = () => signal.removeEventListener('abort', stop)
    // The signal decides the error, however the call itself ends.
    work.then(done, (error: unknown) => failed(signal.aborted ? signal.reason : error)).finally(end)
  })
}
