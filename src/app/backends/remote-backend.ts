import type { Service } from '../../api/service-type.ts'
import type { Backend, RawResponse, RawResponses } from '../../cli/backend-types.ts'
import { isOnBitcoin } from '../../domain/bitcoin.ts'
import { AppError } from '../../domain/errors.ts'
import { networkNamed } from '../../domain/networks.ts'
import { advice, sluice } from '../../domain/text/next-step.ts'
import { sanitizeText } from '../../domain/text/terminal-sanitizing.ts'
import { spanText } from '../../domain/text/time-spans.ts'
import { tokenAt } from '../../domain/token.ts'
import { currentWaits } from '../../http/waits.ts'
import { once } from '../once.ts'
import type { BackendInputs } from './backend-input-types.ts'
import { localWallet } from './local-side-of-profile.ts'
import { ownDepositChecks } from './own-deposit-checks.ts'
import { type RpcChains, rpcChains } from './rpc-chains.ts'
import { providerServiceFindings } from './services-with-keys.ts'
import { swapProvidersFrom } from './swap-providers-and-quote-deadline.ts'

/** How far the service's clock is ahead of this machine's, if known; only minutes matter. */
type Clock = { offMs: number }

/**
 * Default time limit of a call of the service, in ms, and of its wait for the rate limit, whose windows are a minute.
 */
const patienceMs = { call: 15_000, limit: 120_000 }

/**
 * The remote profile: a deployment of the service answers; this machine reads the chains with an RPC in the
 * environment, checks and signs.
 */
export function remoteBackend(needs: BackendInputs): Backend {
  const { env, now, newId } = needs
  const chains = rpcChains(needs)
  const opened = async () => {
    const { all, reachable, rpc } = await chains()
    // Wallet reads cover the reachable networks. Without any RPC, the error names the missing one when it is needed.
    const catalog = reachable.networks.length > 0 ? reachable : await all()
    return { catalog, rpc }
  }
  const wallet = localWallet(needs, opened)
  const heard = responseRecorder()
  const clock: Clock = { offMs: 0 }
  const access = once(() => deploymentAccess(needs))
  const hasRpcs = Object.keys(env).some((name) => name.startsWith('SLUICE_RPC_') && env[name])
  const deposits = ownDepositChecks(() => wallet.context(), now)
  const backend: Backend = {
    profile: needs.profile,
    kind: 'remote',
    serviceHost: hostOfUrl(env.SLUICE_BASE_URL),
    swapProviders: swapProvidersFrom(env),
    serving: undefined,
    rawResponses: heard.said,
    announced: async (id) => {
      const { followUpdates } = await import('../../remote/updates.ts')
      return followUpdates(await access(), id)
    },
    serviceOn: undefined,
    service: once(async () => {
      const service = await deployment(needs, chains, { heard, clock, access })
      const { withStatedOutcomes } = await import('../../remote/stated-outcomes.ts')
      const stated = { ...withStatedOutcomes(service), swapStatus: deposits.checked(service) }
      return withRpcFirst(stated, chains)
    }),
    deposits,
    reference: hasRpcs
      ? once(async () => {
          const [
            { createEngineService },
            { nodePricedProviderNames },
            { engineMigrations, engineStore },
            { sqliteSql },
          ] = await Promise.all([
            import('../../engine/engine.ts'),
            import('../../swaps/swap-provider-registry.ts'),
            import('../../store/engine/store.ts'),
            import('../../store/sql/sqlite.ts'),
          ])
          const { reachable: catalog, rpc } = await chains()
          // This engine's answers are only compared, so they need no file.
          const store = needs.keep(engineStore(sqliteSql(':memory:', { migrations: engineMigrations })))
          const swaps = { providers: nodePricedProviderNames }
          return createEngineService({
            catalog,
            rpc,
            store,
            customer: 'reference',
            choice: 'after-gas',
            swaps,
            now,
            newId,
          })
        })
      : undefined,
    findings: async () => {
      const [{ serviceFindings }, { networkFindings }, { found }] = await Promise.all([
        import('../doctor/service-findings.ts'),
        import('../doctor/network-findings.ts'),
        import('../../cli/health-findings.ts'),
      ])
      const { all, reachable, rpc } = await chains()
      const host = backend.serviceHost
      const [service, networks] = await Promise.all([
        found('service', host, async () => serviceFindings(await backend.service(), host, () => clock.offMs)),
        networkFindings({ catalog: reachable, rpc, now }),
      ])
      return [...service, ...networks, ...(await providerServiceFindings(needs, await all()))]
    },
    ...wallet,
    // The service may have strategies on networks without an RPC here.
    catalog: async () => (await chains()).all(),
  }
  return backend
}

const hostOfUrl = (url: string | undefined): string | null => URL.parse(url ?? '')?.host ?? null

type Access = Awaited<ReturnType<typeof deploymentAccess>>

/** The base URL and the API key of the deployment, and the limiter of that key on this machine. UNAUTHORIZED without a key. */
async function deploymentAccess({ env, secrets, profile, io, globals, now, dirs, keep }: BackendInputs) {
  const { apiKey } = secrets
  if (!apiKey)
    throw new AppError('UNAUTHORIZED', 'No API key for the service', {
      next:
        profile === 'remote'
          ? 'Set the API key in SLUICE_API_KEY.'
          : advice`${sluice('profile set', profile, { '--api-key-file': '-' })}, or set SLUICE_API_KEY.`,
    })
  const { machineRateLimiter } = await import('./machine-rate-limiter.ts')
  const baseUrl = env.SLUICE_BASE_URL ?? ''
  const notice = noticeOf({ io, globals })
  const governor = machineRateLimiter(
    { env, data: dirs.data, baseUrl, apiKey },
    { now, notice, traced: (line) => globals.debug && notice(line), keep },
  )
  return { baseUrl, apiKey, governor }
}

/** Prints a notice on stderr, unless `--quiet`. */
const noticeOf =
  ({ io, globals }: Pick<BackendInputs, 'io' | 'globals'>) =>
  (line: string) => {
    if (!globals.quiet) io.err.write(`${sanitizeText(line)}\n`)
  }

/**
 * Creates the client of SLUICE_BASE_URL. Errors in the settings appear at the first call, because a signed operation
 * is finished from the journal alone.
 */
async function deployment(
  needs: BackendInputs,
  chains: () => Promise<RpcChains>,
  {
    heard,
    clock,
    access,
  }: { heard: ReturnType<typeof responseRecorder>; clock: Clock; access: () => Promise<Access> },
): Promise<Service> {
  const { env, io, globals, now } = needs
  const [{ remoteService: remote }, { routes }] = await Promise.all([
    import('../../remote/client.ts'),
    import('../../api/routes.ts'),
  ])
  const notice = noticeOf(needs)
  const made = once(async () => {
    const { baseUrl, apiKey, governor } = await access()
    return remote({
      baseUrl,
      legacyBaseUrl: env.SLUICE_LEGACY_BASE_URL || undefined,
      apiKey,
      tokenAt: async (chainId, address) => tokenAt((await (await chains()).all()).tokens, chainId, address),
      // Kept only on request, because a command may watch for days.
      ...(globals.raw && { onAnswer: heard.answered }),
      onUnknownWord: ({ of, word }) =>
        notice(`Unknown ${of} "${word}" from the service; it is passed on unchanged`),
      onMissingNetwork: (network) =>
        notice(`${network} does not answer the service, so its strategies are not listed`),
      deadlineMs: Math.min(patienceMs.call, globals.timeoutMs ?? patienceMs.call),
      limitMs: () =>
        Math.min(globals.timeoutMs ?? patienceMs.limit, currentWaits()?.left() ?? patienceMs.limit),
      now,
      governor,
      onClockDifference: (byMs) => {
        clock.offMs = byMs
        notice(
          `The clocks of the service and this machine differ by ${spanText(Math.abs(byMs))}; deadlines may be wrong`,
        )
      },
      onWait: (seconds, why) =>
        notice(
          `${why === 'busy' ? 'The service is busy' : 'The rate limit is reached'}; waiting ${spanText(1_000 * seconds, Math.ceil)}`,
        ),
      onExchange: ({ method, host, path, status, ms }) => {
        if (globals.debug)
          io.err.write(
            io.err.paint.dim(
              sanitizeText(`http ${host} ${method} ${path} ${status ?? 'failed'} ${ms.toFixed(0)} ms`).concat(
                '\n',
              ),
            ),
          )
      },
    })
  })
  const methods = Object.keys(routes).map((name) => [
    name,
    async (input: never, options: never) => {
      heard.begin()
      const service = await made()
      return service[name as keyof Service](input, options)
    },
  ])
  return Object.fromEntries(methods) as Service
}

/** Requests transactions only if their chain has an RPC here, because they could not be checked otherwise. */
function withRpcFirst(service: Service, chains: () => Promise<RpcChains>): Service {
  return {
    ...service,
    strategyBytecode: async (input, options) => {
      const { all, rpc } = await chains()
      const { strategies, networks } = await all()
      const id = input.id.toLowerCase()
      const entry = strategies.find((one) => one.slug === id || one.id.toLowerCase() === id)
      if (entry) rpc(entry.chainId)
      if (input.from !== undefined) rpc(networkNamed(networks, input.from).chainId)
      return service.strategyBytecode(input, options)
    },
    transferBytecode: async (input, options) => {
      ;(await chains()).rpc(input.chainId)
      return service.transferBytecode(input, options)
    },
    swapBytecode: async (input, options) => {
      const { rpc } = await chains()
      const ends = [input.quote.chainIdIn, input.quote.chainIdOut].map(Number)
      // Bitcoin has no RPC, and nothing is signed on it.
      for (const chainId of ends) if (!isOnBitcoin({ chainId })) rpc(chainId)
      return service.swapBytecode(input, options)
    },
  }
}

/**
 * Keeps the raw answers of a service until they are taken: call `begin` before a call and `answered` with its answer.
 */
export function responseRecorder() {
  let bodies: RawResponse[] = []
  let last: RawResponse | undefined
  return {
    begin: (): void => {
      last = undefined
    },
    answered: (method: keyof Service, { status, text }: { status: number; text: string }): void => {
      last = { method, status, text }
      bodies.push(last)
    },
    said: (): RawResponses => {
      const heard = { bodies, last }
      bodies = []
      last = undefined
      return heard
    },
  }
}
