import type { FastifyReply, FastifyRequest } from 'fastify'

import { trace } from '../domain/trace.ts'
import { callerIn } from './request.ts'

/** Where log lines go: JSON, one a line. */
export type Log = { write: (line: string) => void }

/** One line a request, after it was answered. Nothing of a request is written but what is named here: no header, no query, no body. */
export function logged(
  log: Log,
  route: string | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const caller = callerIn(request)
  const at = request.url.indexOf('?')
  const line = {
    time: new Date().toISOString(),
    level: 'info',
    id: request.id,
    method: request.method,
    route: route ?? null,
    path: (at < 0 ? request.url : request.url.slice(0, at)).slice(0, 300),
    status: reply.statusCode,
    ms: Math.round(reply.elapsedTime * 100) / 100,
    customer: caller?.customer,
    key: caller?.keyId,
  }
  log.write(`${JSON.stringify(line)}\n`)
}

/** A failure that nobody expected, with its causes, and without what could be a secret. */
export function failed(log: Log, { id }: FastifyRequest, error: unknown): void {
  const line = { time: new Date().toISOString(), level: 'error', id, error: trace(error) || String(error) }
  log.write(`${JSON.stringify(line)}\n`)
}

const flushMs = 100
const mostHeld = 65_536

/** Gathers lines and writes them together, so that a busy server does not write one by one. `flush` writes what is held. */
export function gathered(write: (text: string) => void): Log & { flush: () => void } {
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
