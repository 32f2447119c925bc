import type { IncomingMessage, Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { type AppNeeds, createApp } from './app.ts'

/** A server that listens. `close` lets what is being answered be answered, for at most `graceMs`. */
export type Listening = { url: string; close: () => Promise<void> }

/** Where to listen; port 0 is a free one. */
export type At = { host: string; port: number; graceMs?: number }

/** The most connections at once; what comes beyond them is closed. */
const mostConnections = 5_000

/** How long a connection on which nothing was asked may still ask something after the server began to stop, and be told so. */
const momentMs = 500

/** Serves the service over HTTP until it is closed. */
export async function serve(needs: AppNeeds, { host, port, graceMs = 10_000 }: At): Promise<Listening> {
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
      }, momentMs)
      await app.close()
      clearTimeout(soon)
      clearTimeout(late)
    },
  }
}

/** Connections on which nothing was asked yet: browsers hold some ready, and nobody waits for an answer there. */
function silentOn(server: Server, event: 'connection' | 'secureConnection'): ReadonlySet<Socket> {
  const silent = new Set<Socket>()
  server.on(event, (socket: Socket) => {
    silent.add(socket)
    socket.once('close', () => silent.delete(socket))
  })
  server.on('request', ({ socket }: IncomingMessage) => silent.delete(socket))
  return silent
}
