import type { ApiKey, ApiKeys } from '../../cli/server-administration.ts'
import { parseBps } from '../../domain/basis-points.ts'
import { AppError } from '../../domain/errors.ts'
import { sluice } from '../../domain/text/next-step.ts'
import { type KeyRow, type keyStore, newKey } from '../../store/api-keys/keys.ts'
import type { EngineStore } from '../../store/engine/store.ts'

type Store = { engine: EngineStore; keys: ReturnType<typeof keyStore>; close: () => Promise<void> }
type Needs = { now: () => number; newId: () => string; slugs: () => Promise<readonly string[]> }

/**
 * Manages the API keys of a served deployment in its database. Markup and strategies belong to the customer of a key.
 */
export function apiKeys({ engine, keys }: Store, { now, newId, slugs }: Needs): ApiKeys {
  const bound = async () =>
    (await (await import('../../engine/fees/fee-settings.ts')).readOperatorFees(engine)).maxMarkupBps
  const shown = async ({ id, customer, testnet, createdAt, revokedAt }: KeyRow): Promise<ApiKey> => ({
    id,
    customer,
    testnet,
    markupBps: Math.min(await bound(), parseBps((await engine.settings(customer)).markupBps) ?? 0),
    createdAt: new Date(createdAt).toISOString(),
    revokedAt: revokedAt === null ? null : new Date(revokedAt).toISOString(),
  })
  return {
    create: async ({ customer, testnet, markupBps, strategies }) => {
      if (strategies && strategies !== 'all') await refuseUnknown(strategies, slugs)
      if (markupBps !== undefined) refuseAbove(await bound(), markupBps)
      const active = JSON.stringify(strategies === 'all' ? null : strategies)
      await engine.saveSettings(
        customer,
        [
          ...(markupBps === undefined ? [] : [['markupBps', String(markupBps)] as const]),
          ...(strategies ? [['strategies', active] as const] : []),
        ],
        { by: 'operator', at: now() },
      )
      const key = newKey()
      const row = { id: newId(), customer, testnet, createdAt: now(), revokedAt: null }
      await keys.add(row, key)
      const { id, markupBps: markup, createdAt } = await shown(row)
      return { id, key, customer, testnet, markupBps: markup, createdAt }
    },
    list: async () => Promise.all((await keys.all()).map(shown)),
    revoke: async (id) => {
      const found = await keys.revoke(id, now())
      if (found) return shown(found)
      throw new AppError('NOT_FOUND', `No key "${id}"`, { next: sluice('keys list') })
    },
  }
}

function refuseAbove(most: number, markupBps: number): void {
  if (markupBps <= most) return
  throw new AppError('USAGE', `The markup limit is ${most} bps, and ${markupBps} exceeds it`, {
    next: sluice('fees set', { '--max-markup-bps': markupBps }),
  })
}

async function refuseUnknown(
  strategies: readonly string[],
  slugs: () => Promise<readonly string[]>,
): Promise<void> {
  const known = await slugs()
  const unknown = strategies.find((slug) => !known.includes(slug))
  if (unknown !== undefined)
    throw new AppError('STRATEGY_NOT_FOUND', `No strategy "${unknown}"`, {
      details: { id: unknown },
    })
}
