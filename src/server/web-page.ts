import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Action } from '../api/action.ts'
import { missingHeader, missingIn } from '../api/missing-networks.ts'
import type { Service } from '../api/service-type.ts'
import type { Strategy } from '../api/strategy.ts'
import { AppError } from '../domain/errors.ts'
import { callerIn } from './authentication.ts'

/** Its own files and its own origin, nothing else: nothing of it runs or looks in another way, and nobody frames it. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

const files = {
  '/': { file: 'page.html', type: 'text/html; charset=utf-8' },
  '/page.css': { file: 'page.css', type: 'text/css; charset=utf-8' },
  '/page.js': { file: 'page.js', type: 'text/javascript; charset=utf-8' },
  '/rows.js': { file: 'rows.js', type: 'text/javascript; charset=utf-8' },
} as const

/** How many rows the page is told of: the best strategies, and the newest actions, each of which is looked at on its chain. */
const most = { strategies: 50, drawn: 20, actions: 10 }

/** How long what a strategy paid lately is waited for, in ms: what comes later is there the next time. */
const patienceMs = 2_000

/** The read-only page for people, and what it shows to whoever has a key: of that key's customer alone, as its service shows it. */
export function addPage(app: FastifyInstance, admit: (request: FastifyRequest) => Promise<void>): void {
  for (const [url, { file, type }] of Object.entries(files)) {
    let text: string | undefined
    app.get(url, async ({ raw }, reply) => {
      // `*`, `#` and `?` come down to this path as well, and are none of its names.
      if (raw.url !== url) throw new AppError('NOT_FOUND', `There is no endpoint GET ${raw.url}`)
      guarded(reply).header('content-type', type)
      text ??= readFileSync(join(import.meta.dirname, 'page', file), 'utf8')
      return text
    })
  }
  app.get('/page/strategies', { onRequest: admit }, async (request, reply) => {
    const { service } = callerIn(request)!
    const list = await service.listStrategies({ page: 1, limit: most.strategies })
    const { items, total } = list
    const left = missingIn(list)
    if (left !== undefined) reply.header(missingHeader, left)
    const drawn = await Promise.all(items.slice(0, most.drawn).map((one) => withPast(service, one)))
    return json(reply, { items: [...drawn, ...items.slice(most.drawn)].map(strategyRow), total })
  })
  app.get('/page/actions', { onRequest: admit }, async (request, reply) => {
    const { service, recent } = callerIn(request)!
    const ids = (await recent?.(most.actions)) ?? []
    const found = await Promise.all(ids.map((id) => actionRow(service, id)))
    return json(reply, { items: found.filter((row) => row !== undefined), most: most.actions })
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

/** A strategy with what it paid lately, if that is known soon. */
async function withPast(service: Service, strategy: Strategy): Promise<Strategy> {
  const late = sleep(patienceMs, undefined, { ref: false })
  try {
    return (await Promise.race([service.getStrategy({ id: strategy.slug }), late])) ?? strategy
  } catch (error) {
    // What it pays now is known in any case.
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

/** An action as the service shows it to this key; `undefined` where it shows none, and `error` where its chain does not answer. */
async function actionRow(
  service: Service,
  id: string,
): Promise<Action | { id: string; error: string } | undefined> {
  try {
    return await service.getAction({ id })
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return error.code === 'ACTION_NOT_FOUND' ? undefined : { id, error: error.message }
  }
}
