import type { FastifyInstance } from 'fastify'
import type { Service } from '../../../src/api/service-type.ts'
import { servedRouteOf } from '../../../src/server/authentication.ts'
import { serveTo } from './serve-in-process.ts'

/** A JSON document of the API, accessible to any depth. */
// biome-ignore lint/suspicious/noExplicitAny: a false answer reads any field.
export type Wire = any

/** A request as a false answer receives it, and can send its own. */
export type Ask = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  path: string
  query: Record<string, string>
  body?: unknown
}

/** The context of a false answer: the request, and the honest service, to keep false answers consistent. */
export type Told = { ask: Ask; honest: (ask: Partial<Ask>) => Promise<Wire> }

/** The changes to the honest answers of some methods: another body, or no response any more. */
export type Lies = {
  [name in keyof Service]?: (body: Wire, told: Told) => unknown
} & {
  /** The service disappears after it has answered this method. */
  diesAfter?: keyof Service
}

/** The real API over a real service, with false answers. */
export type HostileService = {
  url: string
  lies: Lies
  /** The methods it has received. */
  asked: (keyof Service)[]
  stop: () => Promise<void>
}

/** Starts the service. It restores its own quotes before use, so that the service itself does not detect a false quote. */
export async function startHostileService(service: Service, apiKey: string): Promise<HostileService> {
  const honestly = await serveTo(service, apiKey)
  const quoted = new Map<string, unknown>()
  const honest: Told['honest'] = async ({ method = 'GET', path = '/', query = {}, body }) => {
    const answer = await honestly.app.inject({
      method,
      url: path,
      query,
      headers: { 'x-api-key': apiKey },
      ...(body !== undefined && { payload: body as object }),
    })
    return answer.json()
  }
  let isGone = false
  const lie = (app: FastifyInstance) => {
    app.addHook('onRequest', async (request) => {
      // Drops the connection.
      if (isGone) request.raw.socket.destroy()
    })
    app.addHook('preHandler', async (request) => {
      const { name } = servedRouteOf(request) ?? {}
      if (name === undefined) return
      hostile.asked.push(name)
      if (name !== 'swapBytecode') return
      const { quote, ...rest } = request.body as { quote: { id: string } }
      request.body = { ...rest, quote: quoted.get(quote.id) ?? quote }
    })
    app.addHook('onSend', async (request, reply, payload) => {
      const { name } = servedRouteOf(request) ?? {}
      if (name === undefined || reply.statusCode !== 200) return payload
      const said = JSON.parse(payload as string) as Wire
      if (name === 'quote') quoted.set(said.quote.id, structuredClone(said.quote))
      const ask: Ask = {
        method: request.method as Ask['method'],
        path: request.url.split('?')[0]!,
        query: request.query as Record<string, string>,
        body: request.body,
      }
      const told = hostile.lies[name] ? await hostile.lies[name](said, { ask, honest }) : said
      if (hostile.lies.diesAfter === name) isGone = true
      reply.removeHeader('content-length')
      return told === undefined ? '' : JSON.stringify(told)
    })
  }
  const server = await serveTo(service, apiKey, lie)
  const hostile: HostileService = {
    url: server.url,
    lies: {},
    asked: [],
    stop: async () => {
      await Promise.all([server.close(), honestly.close()])
    },
  }
  return hostile
}
