import type { FastifyReply, FastifyRequest } from 'fastify'
import { redactedTrace } from '../domain/text/redacted-stack-trace.ts'
import { callerOf } from './authentication.ts'

/** Receives log lines: JSON, one a line. */
export type LogSink = { write: (line: string) => void }

/**
 * Writes one line for each answered request. It contains only the fields named here: no header, query or body. The
 * line is concatenated by hand, because JSON.stringify costs a busy server twice as much; values from clients are
 * escaped.
 */
export function requestLines(
  log: LogSink,
): (route: string | undefined, request: FastifyRequest, reply: FastifyReply) => void {
  const time = clock()
  return (route, request, reply) => {
    const caller = callerOf(request)
    const at = request.url.indexOf('?')
    const path = withoutKey(at < 0 ? request.url : request.url.slice(0, at)).slice(0, 300)
    const ms = Math.round(reply.elapsedTime * 100) / 100
    const who = caller ? `,"customer":${text(caller.customer)},"key":${text(caller.keyId)}` : ''
    log.write(
      `{"time":"${time()}","level":"info","id":"${request.id}","method":"${request.method}","route":${route === undefined ? null : text(route)},"path":${text(path)},"status":${reply.statusCode},"ms":${ms}${who}}\n`,
    )
  }
}

const text = (value: string): string => JSON.stringify(value)

/** Removes API keys from a path, where a client may have put one by mistake, also percent-encoded. */
function withoutKey(path: string): string {
  if (path.includes('slk_')) return path.replace(/slk_[^/]*/g, 'slk_...')
  if (!path.includes('%')) return path
  const spelt = path.replace(/%([2-7][0-9a-f])/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
  return spelt.includes('slk_') ? withoutKey(spelt) : path
}

/** The current time as ISO text, formatted at most once a millisecond. */
function clock(): () => string {
  let made = Number.NaN
  let iso = ''
  return () => {
    const now = Date.now()
    if (now !== made) iso = new Date(now).toISOString()
    made = now
    return iso
  }
}

/** Logs an unexpected error with its causes, without values that could be secret. */
export function logFailure(log: LogSink, { id }: FastifyRequest, error: unknown): void {
  const line = {
    time: new Date().toISOString(),
    level: 'error',
    id,
    error: redactedTrace(error) || String(error),
  }
  log.write(`${JSON.stringify(line)}\n`)
}

const flushMs = 100
const mostHeld = 65_536

/** Buffers lines and writes them together. `flush` writes the buffered ones. */
export function bufferedLog(write: (text: string) => void): LogSink & { flush: () => void } {
  let held = ''
  let timer: NodeJS.Timeout | undefined
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    if (held === '') return
    const text = held
    held = ''
    write(text)
  }
  return {
    flush,
    write: (line) => {
      held += line
      if (held.length > mostHeld) flush()
      else timer ??= setTimeout(flush, flushMs)
    },
  }
}
