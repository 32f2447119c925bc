import { isIP } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../domain/errors.ts'
import { advice, sluice } from '../domain/text/next-step.ts'

/** Whether an address is this machine's own, where a browser on it connects. */
const isOwnAddress = (address: string | undefined): boolean =>
  address !== undefined && /^(::ffff:)?127\.|^::1$/.test(address)

/** The name in a Host header, without its port. */
const nameOf = (host: string): string =>
  host
    .replace(/:\d*$/, '')
    .replace(/^\[|\]$/g, '')
    .toLowerCase()

/** Whether a web page cannot make its own name resolve to this machine: an address, or `localhost`. */
const isOwnName = (name: string): boolean =>
  isIP(name) !== 0 || name === 'localhost' || name.endsWith('.localhost')

/**
 * Refuses a request without a key to a loopback address under another name than that of this machine: a web page could have its own name
 * resolve to it and read the answer (DNS rebinding). Behind a proxy, and with TLS, whose certificate that page lacks, any name may be ours.
 */
export const refuseForeignHost =
  ({ behindProxy, tls }: { behindProxy?: boolean; tls?: object }) =>
  ({ raw, headers: { host } }: FastifyRequest, _: FastifyReply, done: (error?: Error) => void): void => {
    const isOpen = behindProxy || tls !== undefined || !isOwnAddress(raw.socket?.localAddress)
    const isOwn = isOpen || host === undefined || isOwnName(nameOf(host))
    done(isOwn ? undefined : foreignHostError())
  }

const foreignHostError = (): AppError =>
  new AppError('BAD_REQUEST', 'The header host names another machine than this one', {
    next: advice`Use the address that the server listens on, such as 127.0.0.1. To serve behind a proxy: ${sluice('serve', { '--behind-proxy': true })}`,
  })
