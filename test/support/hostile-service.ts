import { routes } from '../../src/api/routes.ts'
import type { Service } from '../../src/api/service.ts'
import { AppError } from '../../src/domain/errors.ts'
import { type Answer, type Ask, handler } from '../../src/server/handler.ts'
import { listen } from '../../src/server/listen.ts'

/** A document of the wire, as deep as a lie likes to reach into it. */
// biome-ignore lint/suspicious/noExplicitAny: what a lie finds there is what the lie says.
export type Wire = any

/** What a lie knows beside the answer: the request, and the honest service, for a lie that is consistent with itself. */
export type Told = { ask: Ask; honest: (ask: Partial<Ask>) => Promise<Wire> }

/** What becomes of the honest answers of some methods: another body, or nothing any more. */
export type Lies = {
  [name in keyof Service]?: (body: Wire, told: Told) => unknown
} & {
  /** After this method was answered, the service is gone. */
  diesAfter?: keyof Service
}

/** The real API over a real service, which lies as it is told. */
export type HostileService = {
  url: string
  lies: Lies
  /** The methods that it was asked. */
  asked: (keyof Service)[]
  stop: () => Promise<void>
}

const patterns = Object.entries(routes).map(([name, { method, path }]) => ({
  name: name as keyof Service,
  method,
  path: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`),
}))
/** A literal path wins over one with a parameter, as in the server. */
const nameOf = ({ method, path }: Ask): keyof Service | undefined =>
  patterns
    .filter((route) => route.method === method && route.path.test(path))
    .sort((a, b) => a.path.source.length - b.path.source.length || 0)
    .find(({ name }) => name !== 'getStrategy' || path !== '/strategies/analytics')?.name

/** Starts it. What it quoted it takes back as it was quoted, so that a lie in a quote is not found by the service itself. */
export async function startHostileService(service: Service, apiKey: string): Promise<HostileService> {
  const serve = handler(service, async (key) => {
    if (key !== apiKey) throw new AppError('UNAUTHORIZED', 'invalid API key')
  })
  const quoted = new Map<string, unknown>()
  const honest: Told['honest'] = async (ask) =>
    (await serve({ method: 'GET', path: '/', query: {}, headers: { 'x-api-key': apiKey }, ...ask })).body
  let isGone = false
  const answer = async (ask: Ask): Promise<Answer> => {
    const name = nameOf(ask)
    if (name === undefined) return serve(ask)
    hostile.asked.push(name)
    const asked = name === 'swapBytecode' ? { ...ask, body: asQuoted(ask.body) } : ask
    const said = await serve(asked)
    if (name === 'quote' && said.status === 200) {
      const { quote } = said.body as { quote: { id: string } }
      quoted.set(quote.id, structuredClone(quote))
    }
    const lie = hostile.lies[name]
    const body =
      lie && said.status === 200 ? await lie(structuredClone(said.body), { ask: asked, honest }) : said.body
    if (hostile.lies.diesAfter === name) isGone = true
    return { ...said, body }
  }
  const asQuoted = (body: unknown) => {
    const { quote, ...rest } = body as { quote: { id: string } }
    return { ...rest, quote: quoted.get(quote.id) ?? quote }
  }
  const server = await listen((ask) => {
    // The connection breaks.
    if (isGone) throw new Error('the service is gone')
    return answer(ask)
  })
  const hostile: HostileService = { url: server.url, lies: {}, asked: [], stop: () => server.close() }
  return hostile
}
