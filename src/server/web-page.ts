import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { invalidInputError, missingEndpoint } from '../api/error-envelope.ts'
import { missingHeader, missingHeaderValue } from '../api/missing-networks.ts'
import { routes } from '../api/routes.ts'
import type { Service } from '../api/service-type.ts'
import type { Strategy } from '../api/strategy.ts'
import type { Position } from '../api/wallet-positions.ts'
import { tokenAmount } from '../domain/amount.ts'
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
 * Number of rows: the best strategies, those with a chart, and the actions of a page, each of which is read from its
 * chain.
 */
const most = { strategies: 1_000, drawn: 20, actions: 10 }

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
      if (raw.url !== url) throw missingEndpoint(`GET ${raw.url}`)
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
    const { status, wallet, page } = queryOf(routes.listActions.input, request)
    const asked = {
      page: page ?? 1,
      limit: most.actions,
      ...(status && { status }),
      ...(wallet && { wallet }),
    }
    const list = await callerOf(request)!.service.listActions(asked)
    const left = missingHeaderValue(list)
    if (left !== undefined) reply.header(missingHeader, left)
    return json(reply, list)
  })
  app.get('/page/positions', { onRequest: admit }, async (request, reply) => {
    const { address } = queryOf(routes.getWallet.input, request)
    const wallet = await callerOf(request)!.service.getWallet({ address })
    const left = missingHeaderValue(wallet)
    if (left !== undefined) reply.header(missingHeader, left)
    const { positions, totalValueUsd, unread } = wallet
    return json(reply, { items: positions.map(positionRow), totalValueUsd, unread: unread ?? [] })
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

/** The query of a request by the schema of a route; VALIDATION_ERROR or INVALID_ADDRESS if it does not match. */
function queryOf<schema extends z.ZodType>(schema: schema, { query }: FastifyRequest): z.output<schema> {
  const read = z.safeDecode(schema, query as never)
  if (read.success) return read.data
  throw invalidInputError(read.error.issues, query)
}

/** An amount in units of the token; `null` is unknown. */
const inUnits = (amount: bigint | null, asset: Position['strategy']['asset']): string | null =>
  amount === null ? null : tokenAmount(amount, asset).formatted

const positionRow = ({ strategy, balance, profit, balanceUsd, apy, queuedUsd }: Position) => ({
  slug: strategy.slug,
  name: strategy.name,
  network: strategy.network,
  asset: strategy.asset.symbol,
  balance: inUnits(balance, strategy.asset),
  profit: inUnits(profit, strategy.asset),
  balanceUsd,
  queuedUsd,
  apy,
})

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
