import type { Globals } from '../../cli/options/global-options.ts'
import type { Io } from '../../cli/terminal/stream.ts'
import { trace } from '../../domain/redacted-stack-trace.ts'
import { sanitizeText } from '../../domain/terminal-sanitizing.ts'

/** Says once of each stored quote that cannot be read that a list is without it; `--quiet` says nothing. */
export function warnUnreadableQuotes({ err }: Io, { quiet }: Globals): (quoteId: string) => void {
  const told = new Set<string>()
  return (quoteId) => {
    if (quiet || told.has(quoteId)) return
    told.add(quoteId)
    err.write(`${sanitizeText(`The quote ${quoteId} is unreadable, so it is not listed`)}\n`)
  }
}

/** The same as a JSON line of the log of a server, with what is wrong. */
export function logUnreadableQuotes(
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
