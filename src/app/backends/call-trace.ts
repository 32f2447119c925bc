import type { Service } from '../../api/service.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import type { Io } from '../../cli/terminal/stream.ts'
import type { RawResponse, RawResponses } from '../../cli/world.ts'

/** With `--debug`, every call is told on stderr: method, host, time; never parameters that could be signed bytes. */
export function traced(rpc: Rpc, io: Io | undefined): Rpc {
  if (!io) return rpc
  const timed = async <value>(what: string, work: Promise<value>): Promise<value> => {
    const began = performance.now()
    const said = (how: string) =>
      io.err.write(
        io.err.paint.dim(`rpc ${rpc.host} ${what} ${how} ${(performance.now() - began).toFixed(0)} ms\n`),
      )
    try {
      const value = await work
      said('ok')
      return value
    } catch (error) {
      said('failed')
      throw error
    }
  }
  return {
    get host() {
      return rpc.host
    },
    get peers() {
      return rpc.peers.map((peer) => traced(peer, io))
    },
    request: (method, params) => timed(method, rpc.request(method, params)),
    batch: (calls) =>
      timed([...new Set(calls.map(([method]) => method))].join('+') + ` x${calls.length}`, rpc.batch(calls)),
  }
}

/** Keeps what a service answers as it came until somebody asks for it: `begin` before a call, `answered` when there is an answer. */
export function hearing() {
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
