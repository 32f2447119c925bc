import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A server on a free loopback port, and a function to close it. */
export type Listener = { url: string; close: () => Promise<void> }

/** Answers every request as the test specifies. */
export async function listener(answer: RequestListener): Promise<Listener> {
  // On a slow machine a test may pause longer than the keep-alive timeout; idle connections must stay open.
  const server = createServer({ keepAliveTimeout: 120_000 }, answer)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
