import type { Globals } from '../../cli/options/global-options.ts'
import type { Io } from '../../cli/terminal/stream.ts'
import type { AppError } from '../../domain/errors.ts'
import type { Network } from '../../domain/networks.ts'
import { trace } from '../../domain/stack-trace.ts'
import { plain } from '../../domain/text.ts'

/** Says once for each network that it does not answer, so that its strategies are left out; `--quiet` says nothing. */
export function missedOn(
  { err }: Io,
  { quiet }: Globals,
): (network: Network, fault: AppError | null) => void {
  const told = new Set<number>()
  return ({ name, chainId }, fault) => {
    if (quiet || fault === null || told.has(chainId)) return
    told.add(chainId)
    err.write(`${plain(`${name} does not answer, so its strategies are not listed: ${fault.message}`)}\n`)
  }
}

/** Says once of each stored quote that cannot be read that a list is without it; `--quiet` says nothing. */
export function unreadOn({ err }: Io, { quiet }: Globals): (quoteId: string) => void {
  const told = new Set<string>()
  return (quoteId) => {
    if (quiet || told.has(quoteId)) return
    told.add(quoteId)
    err.write(`${plain(`The quote ${quoteId} is unreadable, so it is not listed`)}\n`)
  }
}

/** The same as a JSON line of the log of a server, with what is wrong. */
export function unreadIn(
  log: { write: (line: string) => void } | undefined,
): (quoteId: string, fault: unknown) => void {
  const told = new Set<string>()
  return (quote, fault) => {
    if (told.has(quote)) return
    told.add(quote)
    const line = { time: new Date().toISOString(), level: 'error', quote, error: trace(fault) }
    log?.write(`${JSON.stringify(line)}\n`)
  }
}
