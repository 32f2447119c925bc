import type { FastifyInstance } from 'fastify'
import type { Service } from '../../../src/api/service-type.ts'
import { type AppNeeds, createApp } from '../../../src/server/app.ts'
import { type Listener, listener } from './listener.ts'

/** A service behind HTTP on a free loopback port, for one API key, without rate limits. */
export type TestServer = {
  url: string
  app: FastifyInstance
  /** The requests, as `GET /path`. */
  asked: string[]
  close: () => Promise<void>
}

/** The dependencies of a server with one API key. */
export const onlyFor = (service: Service, apiKey: string): Pick<AppNeeds, 'access' | 'allow'> => ({
  access: async (given) => (given === apiKey ? { keyId: 'tests', customer: 'tests', service } : undefined),
  allow: async () => ({ ok: true }),
})

/** Serves a service for one API key; hooks can be added to the app before it listens. */
export async function serveTo(
  service: Service,
  apiKey: string,
  hooks: (app: FastifyInstance) => void = () => undefined,
): Promise<TestServer> {
  const app = createApp(onlyFor(service, apiKey))
  const asked: string[] = []
  app.addHook('onRequest', async ({ method, url }) => void asked.push(`${method} ${url.split('?')[0]}`))
  hooks(app)
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  return { url, app, asked, close: () => app.close() }
}

/** A server that answers every request with the same document. */
export async function alwaysSays(status: number, body: unknown): Promise<Listener> {
  return listener((_, response) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(body))
  })
}
