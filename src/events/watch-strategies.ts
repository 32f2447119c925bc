import type { EngineStore } from '../store/engine/store.ts'
import type { EndpointRow } from '../store/events/endpoint-queries.ts'

/** What is watched of a strategy; `null` is unknown, and then nothing is told. `apy` is a fraction, `liquidityUsd` in USD. */
export type WatchedStrategy = {
  slug: string
  network: string
  isPaused: boolean | null
  apy: number | null
  liquidityUsd: number | null
}

/**
 * Tells every customer with endpoints, or who polls, what crossed since the last look: that a strategy was paused or resumed, and each crossing of a line of
 * an endpoint. `strategiesOf` returns what the customer sees. The last side is kept, so a crossing is told once.
 */
export async function watchStrategies(
  store: EngineStore,
  strategiesOf: (customer: string) => Promise<readonly WatchedStrategy[]>,
): Promise<void> {
  for (const customer of await store.customersWithEvents()) {
    const endpoints = (await store.endpoints(customer)).filter(({ disabledAt }) => disabledAt === null)
    for (const strategy of await strategiesOf(customer)) await watchOne(store, customer, endpoints, strategy)
  }
}

async function watchOne(
  store: EngineStore,
  customer: string,
  endpoints: readonly EndpointRow[],
  { slug, network, isPaused, apy, liquidityUsd }: WatchedStrategy,
): Promise<void> {
  const about = { slug, network }
  if (isPaused !== null)
    await store.keepSide(
      { customer, endpointId: '', slug, kind: 'paused' },
      isPaused ? 'paused' : 'active',
      isPaused ? { type: 'strategy.paused', data: about } : { type: 'strategy.resumed', data: about },
    )
  for (const { id, apyLine, liquidityLine } of endpoints)
    for (const [kind, type, text, value] of [
      ['apy', 'strategy.apy_changed', apyLine, apy],
      ['liquidity', 'strategy.liquidity_changed', liquidityLine, liquidityUsd],
    ] as const) {
      if (text === null || value === null) continue
      const line = Number(text)
      const side = value < line ? 'below' : 'above'
      const data = { ...about, line, value, side } as const
      await store.keepSide({ customer, endpointId: id, slug, kind }, side, { type, data })
    }
}
