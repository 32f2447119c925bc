import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

import type { Answer, Ask } from './handler.ts'

const mostBytes = 256 * 1024

/** A server that listens on loopback. */
export type Listening = { url: string; close: () => Promise<void> }

/** Serves a handler on a free port of 127.0.0.1. */
export async function listen(answer: (ask: Ask) => Promise<Answer>): Promise<Listening> {
  const server = createServer(
    { requestTimeout: 30_000, headersTimeout: 10_000 },
    async (request, response) => {
      try {
        const { status, headers, body } = await answered(request, answer)
        response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers })
        response.end(JSON.stringify(body))
      } catch {
        // Whoever asked has hung up, or there is nothing to say: one connection ends, and not the server.
        response.destroy()
      }
    },
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

async function answered(request: IncomingMessage, answer: (ask: Ask) => Promise<Answer>): Promise<Answer> {
  const url = new URL(request.url ?? '/', 'http://loopback')
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : value,
    ]),
  )
  const body = await bodyOf(request)
  if (body === tooMuch)
    return {
      status: 413,
      headers: {},
      body: { error: { code: 'BAD_REQUEST', message: 'The body is too large' } },
    }
  if (body === notJson)
    return {
      status: 400,
      headers: {},
      body: { error: { code: 'BAD_REQUEST', message: 'The body is not JSON' } },
    }
  return answer({
    method: request.method ?? 'GET',
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    headers,
    body,
  })
}

const tooMuch = Symbol('too much')
const notJson = Symbol('not JSON')

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > mostBytes) return tooMuch
    chunks.push(chunk)
  }
  if (size === 0) return undefined
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'))
  } catch (error) {
    if (error instanceof SyntaxError) return notJson
    throw error
  }
}
