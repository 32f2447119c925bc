import { createServer, type IncomingMessage, type Server } from 'node:http'

/** A status and the value of the JSON body. */
export type Answer = { status: number; body: unknown }

/** A small HTTP server on loopback, and how to end it. */
export type Loopback = { url: string; close: () => Promise<void> }

/** Serves JSON answers on a free port of loopback. */
export async function serveLoopback(
  answer: (request: IncomingMessage, url: URL) => Answer | Promise<Answer>,
): Promise<Loopback> {
  const server: Server = createServer(async (request, response) => {
    const { status, body } = await answer(request, new URL(request.url ?? '/', 'http://127.0.0.1'))
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(body))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  if (typeof address !== 'object' || !address) throw new Error('a listening server has a port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
