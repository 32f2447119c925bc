import { AsyncLocalStorage } from 'node:async_hooks'
import { aroundCalls, type ChainClient } from '../../chain/chain-client.ts'
import { AppError } from '../../domain/errors.ts'
import type { Network } from '../../domain/networks.ts'
import { redactedTrace } from '../../domain/text/redacted-stack-trace.ts'
import type { ChainState } from '../../server/app.ts'

/** Maximum time of a chain call for an HTTP request with all retries, in ms; longer for log searches. */
const limitMs = { call: 6_000, logs: 10_000 }

/** Age of a call in ms from which its network counts as slow. */
const slowMs = 2_000

/**
 * Observes the calls of a server's chains. `states` is the last known state of each network; each change is logged as
 * a JSON line. A network that answers but is missing from a list counts as down. `slow` returns the networks that a
 * request waits for: those of its own calls, made `within` it, else those of any call, because requests may share an
 * answer.
 */
export function networkHealth(
  networks: readonly Pick<Network, 'name'>[],
  log: { write: (line: string) => void } | undefined,
) {
  const answers = new Map(networks.map(({ name }) => [name, true]))
  const faults = new Map<string, AppError>()
  const isUp = (network: string) => answers.get(network) !== false && !faults.has(network)
  /** Updates a network, and logs if that changes whether it is up. */
  const changed = (network: string, note: () => void, fault?: AppError | null) => {
    const was = isUp(network)
    note()
    const is = isUp(network)
    if (was === is) return
    const line = {
      time: new Date().toISOString(),
      level: is ? 'info' : 'error',
      network,
      chain: is ? 'up' : 'down',
      ...(fault && { error: redactedTrace(fault) }),
    }
    log?.write(`${JSON.stringify(line)}\n`)
  }
  /** Records an answer, or the `fault` if there was none. */
  const seen = (network: string, fault?: AppError) =>
    changed(network, () => answers.set(network, fault === undefined), fault)
  /** Records that a list omits this network, or includes it again. */
  const missed = ({ name }: Pick<Network, 'name'>, fault: AppError | null) =>
    changed(name, () => (fault ? faults.set(name, fault) : faults.delete(name)), fault)
  const underWay = new Map<symbol, { network: string; since: number; by: object | undefined }>()
  const asking = new AsyncLocalStorage<object>()
  const watch = ({ name }: Pick<Network, 'name'>, client: ChainClient): ChainClient =>
    aroundCalls(client, async ({ host }, methods, send) => {
      const call = Symbol()
      underWay.set(call, { network: name, since: performance.now(), by: asking.getStore() })
      try {
        const value = await inTime(methods[0] === 'eth_getLogs' ? limitMs.logs : limitMs.call, send(), host)
        seen(name)
        return value
      } catch (error) {
        // A refusal is an answer too, and so is one that is too large.
        if (error instanceof AppError)
          seen(name, error.code === 'RPC_ERROR' || error.details?.fault === 'too-large' ? undefined : error)
        throw error
      } finally {
        underWay.delete(call)
      }
    })
  return {
    watch,
    missed,
    states: (): ChainState[] => [...answers.keys()].map((network) => ({ network, isUp: isUp(network) })),
    within: <value>(request: object, work: () => value): value => asking.run(request, work),
    slow: (request: object): string[] => {
      const late = performance.now() - slowMs
      const all = [...underWay.values()].filter(({ since }) => since < late)
      const own = all.filter(({ by }) => by === request)
      return [...new Set((own.length > 0 ? own : all).map(({ network }) => network))]
    },
  }
}

/** Returns the result, or RPC_UNREACHABLE after the time limit; the work itself continues. */
const inTime = <value>(ms: number, work: Promise<value>, host: string): Promise<value> =>
  new Promise((resolve, reject) => {
    const late = () =>
      reject(
        new AppError('RPC_UNREACHABLE', `The node at ${host} did not answer within ${ms} ms`, {
          details: { host, fault: 'deadline' },
        }),
      )
    const timer = setTimeout(late, ms)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
