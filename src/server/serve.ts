import type { AddressInfo } from 'node:net'

import { type AppNeeds, createApp } from './app.ts'

/** A server that listens. `close` lets what is being answered be answered, for at most `graceMs`. */
export type Listening = { url: string; close: () => Promise<void> }

/** Where to listen; port 0 is a free one. */
export type At = { host: string; port: number; graceMs?: number }

/** The most connections at once; what comes beyond them is closed. */
const mostConnections = 5_000

/** Serves the service over HTTP until it is closed. */
export async function serve(needs: AppNeeds, { host, port, graceMs = 10_000 }: At): Promise<Listening> {
  const app = createApp(needs)
  app.server.maxConnections = mostConnections
  await app.listen({ host, port, backlog: 4_096 })
  const { port: taken } = app.server.address() as AddressInfo
  const shown = host.includes(':') ? `[${host}]` : host
  return {
    url: `${needs.tls ? 'https' : 'http'}://${shown}:${taken}`,
    close: async () => {
      const late = setTimeout(() => app.server.closeAllConnections(), graceMs)
      await app.close()
      clearTimeout(late)
    },
  }
}
