import { randomUUID } from 'node:crypto'
import { AppError } from '../../domain/errors.ts'
import { redactedTrace } from '../../domain/text/redacted-stack-trace.ts'
import { type ChainTrackers, createChainTrackers } from '../../engine/tracking/chain-trackers.ts'

/** The least time between two log lines about the same chain, in ms. */
const quietMs = 60_000

/** Creates the trackers of a server. An error is logged as a JSON line, at most one a minute for each chain: a chain that is down is no news. */
export function serverTrackers(
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
