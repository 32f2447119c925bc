import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Something that listens on a free port of loopback, and how it ends. */
export type Listener = { url: string; close: () => Promise<void> }

/** Answers every request as the test says. */
export async function listener(answer: RequestListener): Promise<Listener> {
  // On a slow machine a test may think longer than a server waits: what is unused is not closed under it.
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
