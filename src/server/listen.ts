import type { IncomingMessage, Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { type AppNeeds, createApp } from './app.ts'

/** A listening server. `close` lets open requests finish, for at most `graceMs`. */
export type Listening = { url: string; close: () => Promise<void> }

/** Where to listen; port 0 picks a free one. */
export type ListenAddress = { host: string; port: number; graceMs?: number }

/** Maximum number of connections; further ones are closed. */
const mostConnections = 5_000

/** How long an idle connection may still send a request after the server began to stop, and get the error, in ms. */
const idleGraceMs = 500

/** Serves the service over HTTP until it is closed. */
export async function serveHttp(
  needs: AppNeeds,
  { host, port, graceMs = 10_000 }: ListenAddress,
): Promise<Listening> {
  const app = createApp(needs)
  app.server.maxConnections = mostConnections
  const silent = silentOn(app.server, needs.tls ? 'secureConnection' : 'connection')
  await app.listen({ host, port, backlog: 4_096 })
  const { port: taken } = app.server.address() as AddressInfo
  const shown = host.includes(':') ? `[${host}]` : host
  return {
    url: `${needs.tls ? 'https' : 'http'}://${shown}:${taken}`,
    close: async () => {
      const late = setTimeout(() => app.server.closeAllConnections(), graceMs)
      const soon = setTimeout(() => {
        for (const socket of silent) socket.destroy()
      }, idleGraceMs)
      await app.close()
      clearTimeout(soon)
      clearTimeout(late)
    },
  }
}

/**
 * Connections without a request so far, such as those that browsers open in advance. No client waits for an answer on
 * them.
 */
function silentOn(server: Server, event: 'connection' | 'secureConnection'): ReadonlySet<Socket> {
  const silent = new Set<Socket>()
  server.on(event, (socket: Socket) => {
    silent.add(socket)
    socket.once('close', () => silent.delete(socket))
  })
  server.on('request', ({ socket }: IncomingMessage) => silent.delete(socket))
  return silent
}
