import { readFileSync } from 'node:fs'
import fastify from 'fastify'

/*
 * The baseline of bench:serve: the same server library without handlers, which sends the same bytes. It reads a list of
 * `{ method, url, body }` from the given file, and prints its address.
 */

const routes = JSON.parse(readFileSync(process.argv[2]!, 'utf8')) as {
  method: 'GET' | 'POST'
  url: string
  body: string
}[]
const app = fastify({ logger: false })
for (const { method, url, body } of routes)
  app.route({
    method,
    url,
    handler: (_, reply) => {
      reply.header('content-type', 'application/json; charset=utf-8')
      reply.header('x-content-type-options', 'nosniff')
      reply.header('cache-control', 'no-store')
      return reply.send(body)
    },
  })
process.stdout.write(`${JSON.stringify({ url: await app.listen({ host: '127.0.0.1', port: 0 }) })}\n`)
