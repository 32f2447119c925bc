import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { missingHeader, missingHeaderValue } from '../api/missing-networks.ts'
import type { Service } from '../api/service-type.ts'
import type { Strategy } from '../api/strategy.ts'
import { AppError } from '../domain/errors.ts'
import { callerOf } from './authentication.ts'
import type { refuseForeignHost } from './own-host.ts'

/** Allows only the page's own files and origin, no inline scripts and no frames. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

const files = {
  '/': { file: 'page.html', type: 'text/html; charset=utf-8' },
  '/page.css': { file: 'page.css', type: 'text/css; charset=utf-8' },
  '/page.js': { file: 'page.js', type: 'text/javascript; charset=utf-8' },
  '/rows.js': { file: 'rows.js', type: 'text/javascript; charset=utf-8' },
} as const

/**
 * Number of rows: the best strategies, those with a chart, and the newest actions, each of which is read from its
 * chain.
 */
const most = { strategies: 50, drawn: 20, actions: 10 }

/** Maximum wait for a strategy's rate history, in ms; a later answer is cached for the next request. */
const patienceMs = 2_000

/** Adds the read-only web page and the data it shows to the customer of an API key. */
export function addPage(
  app: FastifyInstance,
  admit: (request: FastifyRequest) => Promise<void>,
  onRequest: ReturnType<typeof refuseForeignHost>,
): void {
  for (const [url, { file, type }] of Object.entries(files)) {
    let text: string | undefined
    app.get(url, { onRequest }, async ({ raw }, reply) => {
      // A URL with `*`, `#` or `?` also reaches this route.
      if (raw.url !== url) throw new AppError('NOT_FOUND', `There is no endpoint GET ${raw.url}`)
      guarded(reply).header('content-type', type)
      text ??= readFileSync(join(import.meta.dirname, 'page', file), 'utf8')
      return text
    })
  }
  app.get('/page/strategies', { onRequest: admit }, async (request, reply) => {
    const { service } = callerOf(request)!
    const list = await service.listStrategies({ page: 1, limit: most.strategies })
    const { items, total } = list
    const left = missingHeaderValue(list)
    if (left !== undefined) reply.header(missingHeader, left)
    const drawn = await Promise.all(items.slice(0, most.drawn).map((one) => withRateHistory(service, one)))
    return json(reply, { items: [...drawn, ...items.slice(most.drawn)].map(strategyRow), total })
  })
  app.get('/page/actions', { onRequest: admit }, async (request, reply) => {
    const list = await callerOf(request)!.service.listActions({ page: 1, limit: most.actions })
    const left = missingHeaderValue(list)
    if (left !== undefined) reply.header(missingHeader, left)
    return json(reply, { items: list.items, most: most.actions })
  })
}

const guarded = (reply: FastifyReply): FastifyReply =>
  reply.headers({
    'content-security-policy': policy,
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
  })

const json = (reply: FastifyReply, value: unknown): string => {
  reply.header('content-type', 'application/json; charset=utf-8')
  return JSON.stringify(value)
}

/** A strategy with its rate history, if that arrives in time. */
async function withRateHistory(service: Service, strategy: Strategy): Promise<Strategy> {
  const late = sleep(patienceMs, undefined, { ref: false })
  try {
    return (await Promise.race([service.getStrategy({ id: strategy.slug }), late])) ?? strategy
  } catch (error) {
    // Without the history, show the current rate.
    if (error instanceof AppError) return strategy
    throw error
  }
}

const strategyRow = ({ slug, name, network, asset, apy, apyBasis, tvlUsd, paused, rates }: Strategy) => ({
  slug,
  name,
  network,
  asset: asset.symbol,
  apy,
  apyBasis,
  tvlUsd,
  paused,
  points: rates?.points.map((point) => point.apy) ?? [],
})
