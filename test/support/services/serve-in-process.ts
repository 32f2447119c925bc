import type { FastifyInstance } from 'fastify'
import type { Service } from '../../../src/api/service-type.ts'
import { type AppNeeds, createApp } from '../../../src/server/app.ts'
import { type Listener, listener } from './listener.ts'

/** A service behind HTTP on a free port of loopback, open to one key, without a limit. */
export type TestServer = {
  url: string
  app: FastifyInstance
  /** What was asked, as `GET /path`. */
  asked: string[]
  close: () => Promise<void>
}

/** The needs of a server that knows one key. */
export const onlyFor = (service: Service, apiKey: string): Pick<AppNeeds, 'access' | 'allow'> => ({
  access: async (given) => (given === apiKey ? { keyId: 'tests', customer: 'tests', service } : undefined),
  allow: async () => ({ ok: true }),
})

/** Serves a service to whoever knows the key; hooks may be added to the app before it listens. */
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

/** A server that answers everything with the same document. */
export async function alwaysSays(status: number, body: unknown): Promise<Listener> {
  return listener((_, response) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(body))
  })
}
