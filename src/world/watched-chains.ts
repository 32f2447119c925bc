import { AppError } from '../domain/errors.ts'
import type { Network } from '../domain/network.ts'
import { trace } from '../domain/trace.ts'
import type { Rpc } from '../net/rpc.ts'
import type { ChainState } from '../server/app.ts'

/** How long a call of a chain may take where somebody waits for it over HTTP, with all its tries, in ms. What searches logs may take longer. */
const limitMs = { call: 6_000, logs: 10_000 }

/**
 * The chains of a server, each call of which tells whether its network answers: what was last seen is in `states`, and each change goes
 * to the log as a JSON line.
 */
export function watchedChains(log: { write: (line: string) => void } | undefined) {
  const states = new Map<string, boolean>()
  /** A `fault` is why there was no answer. */
  const seen = (network: string, fault?: AppError) => {
    const isUp = fault === undefined
    const was = states.get(network) ?? true
    states.set(network, isUp)
    if (was === isUp) return
    const line = {
      time: new Date().toISOString(),
      level: isUp ? 'info' : 'error',
      network,
      chain: isUp ? 'up' : 'down',
      ...(fault && { error: trace(fault) }),
    }
    log?.write(`${JSON.stringify(line)}\n`)
  }
  const watch = ({ name }: Pick<Network, 'name'>, rpc: Rpc): Rpc => {
    const told = async <value>(ms: number, work: Promise<value>): Promise<value> => {
      try {
        const value = await within(ms, work, rpc.host)
        seen(name)
        return value
      } catch (error) {
        // Whoever refuses a call has answered.
        if (error instanceof AppError) seen(name, error.code === 'RPC_ERROR' ? undefined : error)
        throw error
      }
    }
    return {
      host: rpc.host,
      get peers() {
        return rpc.peers.map((peer) => watch({ name }, peer))
      },
      request: (method, params) =>
        told(method === 'eth_getLogs' ? limitMs.logs : limitMs.call, rpc.request(method, params)),
      batch: (calls) => told(limitMs.call, rpc.batch(calls)),
    }
  }
  return { watch, states: (): ChainState[] => [...states].map(([network, isUp]) => ({ network, isUp })) }
}

/** What is asked, or RPC_UNREACHABLE after so many ms, whatever becomes of it. */
const within = <value>(ms: number, work: Promise<value>, host: string): Promise<value> =>
  new Promise((resolve, reject) => {
    const late = () =>
      reject(new AppError('RPC_UNREACHABLE', `The node at ${host} did not answer within ${ms} ms`))
    const timer = setTimeout(late, ms)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
