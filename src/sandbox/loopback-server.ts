import { createServer, type IncomingMessage, type Server } from 'node:http'

/** An HTTP answer: status and the value of the JSON body. */
export type LoopbackAnswer = { status: number; body: unknown; headers?: Readonly<Record<string, string>> }

/** A running HTTP server on loopback. */
export type Loopback = { url: string; close: () => Promise<void> }

/**
 * Serves JSON answers on a free port of loopback. `drop` breaks the connection. If `answer` throws, the status is 500
 * and the server continues.
 */
export async function serveLoopback(
  answer: (request: IncomingMessage, url: URL) => LoopbackAnswer | 'drop' | Promise<LoopbackAnswer | 'drop'>,
): Promise<Loopback> {
  const server: Server = createServer(async (request, response) => {
    const asked = async () => answer(request, new URL(request.url ?? '/', 'http://127.0.0.1'))
    const made = await asked().catch(
      (): LoopbackAnswer => ({ status: 500, body: { error: 'internal error' } }),
    )
    if (made === 'drop') return void response.destroy()
    const { status, body, headers = {} } = made
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
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

/** Reads the body of a request as JSON; `undefined` if it is empty. */
export async function jsonBody(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return parts.length === 0 ? undefined : JSON.parse(Buffer.concat(parts).toString('utf8'))
}
