import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answer, type Json, type Known, reference, type Variant } from './other-deployment-answers.ts'
import type { Live } from './other-deployment-execution.ts'

/** The response to every request, instead of the usual one. */
export type Failure = { status: number; headers?: Record<string, string>; body: string }

/** A running deployment. `asked` lists requests as `GET /path?query`; `keys` lists the values of `x-api-key`. */
export type OtherDeployment = {
  url: string
  variant: Variant
  fails: Failure | undefined
  asked: string[]
  keys: (string | undefined)[]
  /** The response bodies as sent. */
  said: string[]
  /** The indentation of JSON, in spaces. */
  indent: number
  /** The number of requests it answers before it drops all others. */
  patience: number
  /** The last request body. */
  sent: Json
  close: () => Promise<void>
}

/** Starts the deployment on loopback, with fixed responses or with those of an execution source. */
export async function startOtherDeployment(
  known: Known | Live,
  variant: Partial<Variant> = {},
): Promise<OtherDeployment> {
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://other')
    deployment.asked.push(`${request.method} ${url.pathname}${url.search}`)
    deployment.keys.push(request.headers['x-api-key']?.toString())
    deployment.sent = await bodyOf(request)
    const { fails, patience } = deployment
    if (deployment.asked.length > patience) return void response.destroy()
    const found =
      fails === undefined
        ? typeof known === 'function'
          ? await known(`${request.method} ${url.pathname}`, url.searchParams, deployment.sent)
          : answer(known, deployment.variant, `${request.method} ${url.pathname}`, url.searchParams)
        : undefined
    const body = found ?? { error: { code: 'NOT_FOUND', message: 'No such page' } }
    const text = fails?.body ?? JSON.stringify(body, null, deployment.indent)
    deployment.said.push(text)
    response.writeHead(fails?.status ?? (found === undefined ? 404 : 200), {
      'content-type': 'application/json',
      ...fails?.headers,
    })
    response.end(text)
  })
  const deployment: OtherDeployment = {
    url: '',
    variant: { ...reference, ...variant },
    fails: undefined,
    asked: [],
    keys: [],
    said: [],
    indent: 0,
    patience: Number.POSITIVE_INFINITY,
    sent: undefined,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  deployment.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return deployment
}

async function bodyOf(request: IncomingMessage): Promise<Json> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += chunk as string
  return text === '' ? undefined : JSON.parse(text)
}
