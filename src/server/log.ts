import type { FastifyReply, FastifyRequest } from 'fastify'

import { trace } from '../domain/trace.ts'
import { callerIn } from './request.ts'

/** Where log lines go: JSON, one a line. */
export type Log = { write: (lines: string) => void }

/** The logger of the server. Nothing of a request is written but what is named here: no header, no query, no body. */
export const logger = (log: Log | undefined) =>
  log === undefined
    ? { logger: false }
    : {
        logger: {
          level: 'info',
          base: null,
          timestamp: () => `,"time":"${new Date().toISOString()}"`,
          formatters: { level: (label: string) => ({ level: label }) },
          serializers: { err: shown },
          stream: log,
        },
      }

/** An error with its causes, without what could be a secret. */
const shown = (error: unknown) => ({
  type: error instanceof Error ? error.name : 'unknown',
  message: error instanceof Error ? error.name : 'not an error',
  stack: trace(error),
})

/** One line a request, after it was answered. */
export function logged(request: FastifyRequest, reply: FastifyReply): void {
  const { routeOptions, method } = request
  const caller = callerIn(request)
  request.log.info({
    method,
    route: routeOptions.url ?? null,
    path: request.url.split('?')[0]!.slice(0, 300),
    status: reply.statusCode,
    ms: Math.round(reply.elapsedTime * 100) / 100,
    ...(caller && { customer: caller.customer, key: caller.keyId }),
  })
}

const flushMs = 100
const mostHeld = 65_536

/** Gathers lines and writes them together, so that a busy server does not write one by one. `flush` writes what is held. */
export function gathered(write: (text: string) => void): Log & { flush: () => void } {
  let held: string[] = []
  let size = 0
  let timer: NodeJS.Timeout | undefined
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    if (held.length === 0) return
    const text = held.join('')
    held = []
    size = 0
    write(text)
  }
  return {
    flush,
    write: (line) => {
      held.push(line)
      size += line.length
      if (size > mostHeld) flush()
      else timer ??= setTimeout(flush, flushMs)
    },
  }
}
