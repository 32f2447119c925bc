import { aroundCalls, type ChainClient } from '../../chain/chain-client.ts'
import type { RpcOptions } from '../../chain/rpc/failover.ts'
import type { Io } from '../../cli/terminal/io-types.ts'

/**
 * With `--debug`, writes host, methods and time of each call to stderr; never parameters, which could be signed
 * bytes.
 */
export function withCallTrace(client: ChainClient, io: Io | undefined): ChainClient {
  if (!io) return client
  return aroundCalls(client, async ({ host }, methods, send) => {
    const began = performance.now()
    const what = methods.length > 1 ? `${[...new Set(methods)].join('+')} x${methods.length}` : methods[0]
    const write = (outcome: string) =>
      io.err.write(
        io.err.paint.dim(`rpc ${host} ${what} ${outcome} ${(performance.now() - began).toFixed(0)} ms\n`),
      )
    try {
      const answer = await send()
      write('ok')
      return answer
    } catch (error) {
      write('failed')
      throw error
    }
  })
}

/** With `--debug`, reports each node's limit of calls per request, and its plan of calls a second whenever it is learned or recalled. */
export const callLimitReport = (io: Io | undefined): Pick<RpcOptions, 'onLimit' | 'onPlan'> =>
  io
    ? {
        onLimit: ({ host, calls }) => {
          const most = calls === 1 ? 'no batch of calls' : `at most ${calls} calls at once`
          io.err.write(io.err.paint.dim(`rpc ${host} accepts ${most}: commands need more round trips\n`))
        },
        onPlan: ({ host, callsPerSecond, isRecalled }) => {
          const since = isRecalled ? ', as an earlier command learned' : ''
          io.err.write(
            io.err.paint.dim(
              `rpc ${host} allows about ${callsPerSecond} calls a second${since}: calls wait for their turn\n`,
            ),
          )
        },
      }
    : {}
