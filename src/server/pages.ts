import type { FastifyInstance, FastifyReply } from 'fastify'

import { docsPage } from './docs-page.ts'
import type { Metrics } from './metrics.ts'
import { openapi } from './openapi.ts'

/** The pages about the service that need no key: the OpenAPI document, a page to read it, whether it lives, and its counters. */
export function addPages(
  app: FastifyInstance,
  metrics: Metrics,
  { version = '0.0.0', works = () => true }: { version?: string; works?: () => boolean },
): void {
  let document: string | undefined
  const text = () => (document ??= JSON.stringify(openapi(version)))
  app.get('/openapi.json', async (_, reply) => as(reply, 'application/json; charset=utf-8', text()))
  app.get('/docs', async (_, reply) => {
    // Nothing on this page runs or is fetched, wherever it comes from.
    reply.header(
      'content-security-policy',
      "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    )
    return as(reply, 'text/html; charset=utf-8', docsPage(openapi(version)))
  })
  app.get('/healthz', async (_, reply) => {
    const isWell = works()
    if (!isWell) reply.code(503)
    return as(reply, 'application/json; charset=utf-8', JSON.stringify({ status: isWell ? 'ok' : 'failing' }))
  })
  app.get('/metrics', async (_, reply) => as(reply, metrics.contentType, await metrics.page()))
}

function as(reply: FastifyReply, type: string, text: string): string {
  reply.header('content-type', type)
  return text
}
