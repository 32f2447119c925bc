import { expect, test } from 'vitest'
import type { ChainClient } from '../../../src/chain/chain-client.ts'
import { type EngineStore, engineMigrations, engineStore } from '../../../src/store/engine/store.ts'
import { sqliteSql } from '../../../src/store/sql/sqlite.ts'
import { engineOn } from '../../support/engine.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const storage = () => engineStore(sqliteSql(':memory:', { migrations: engineMigrations }))
const day = 86_400
const chainId = 31337
const slug = 'aave-v3-usdc-sandbox-one'
const passed = async (days: number) => {
  for (let at = 0; at < days; at++) await sandbox.world.warp(day)
}
const list = (store: EngineStore, rpc = (id: number) => sandbox.chain(id).rpc) =>
  engineOn(sandbox, { store, rpc }).service.listStrategies({ limit: 100 })
const kept = (store: EngineStore) => store.snapshots(chainId, { from: 0, to: 10 ** 12 })

type Bend = (block: Record<string, string>) => unknown

/** A node that alters old blocks, except for the first few. */
const bent = (id: number, bend: Bend, first = 12): ChainClient => {
  const { rpc } = sandbox.chain(id)
  let told = 0
  return {
    ...rpc,
    batch: (async (calls: [string, unknown[]][]) => {
      const answers = (await rpc.batch(calls)) as Record<string, string>[]
      return answers.map((answer, at) =>
        calls[at]![0] === 'eth_getBlockByNumber' && answer && told++ >= first ? bend(answer) : answer,
      )
    }) as ChainClient['batch'],
  }
}

test.each<[string, Bend]>([
  ['without a time', ({ timestamp: _, ...rest }) => rest],
  ['without a hash', ({ hash: _, ...rest }) => rest],
  ['as empty objects', () => ({})],
  ['as a text', () => 'none'],
  [
    'with times in milliseconds',
    (block) => ({ ...block, timestamp: `0x${(Number(block.timestamp) * 1000).toString(16)}` }),
  ],
])('a list succeeds when a node returns old blocks %s, and stores no future day', async (_, bend) => {
  await passed(5)
  for (const first of [0, 12]) {
    const store = storage()
    const { items } = await list(store, (id) => bent(id, bend, first))
    expect(items.find((one) => one.slug === slug)?.apy).toBeGreaterThan(0)
    const today = Math.max(...(await kept(storage())).map((row) => row.day), 0)
    const now = Number(
      (
        await sandbox
          .chain(chainId)
          .rpc.request<{ timestamp: string }>('eth_getBlockByNumber', ['latest', false])
      ).timestamp,
    )
    for (const row of await kept(store))
      expect(row.day).toBeLessThanOrEqual(Math.max(today, Math.floor(now / day)))
  }
})

test('stored days of a chain that was restarted are deleted by the first list of a day', async () => {
  await passed(10)
  const store = storage()
  await list(store)
  const rows = await kept(store)
  const today = Math.max(...rows.map((row) => row.day))
  const old = rows
    .filter((row) => row.day < today)
    .map((row) => ({
      ...row,
      hash: `0x${'77'.repeat(32)}`,
      idx: String((BigInt(row.idx) * BigInt(100 - (today - row.day))) / 100n),
    }))
  expect(old.length).toBeGreaterThan(0)
  const beyond = { ...old[0]!, day: today - 1, market: 'gone', block: 10 ** 9, hash: `0x${'88'.repeat(32)}` }
  await store.storeSnapshots(chainId, [...old, beyond], true)
  await passed(1)
  await list(store)
  expect((await kept(store)).filter(({ hash }) => /^0x((77){32}|(88){32})$/.test(hash))).toEqual([])
  const rates = async (of: EngineStore) => (await list(of)).items.find((one) => one.slug === slug)?.rates
  const fresh = storage()
  await list(fresh)
  expect((await rates(store))?.days7).toBeCloseTo((await rates(fresh))?.days7 ?? 0, 6)
})

test('a node that never answers for old blocks delays one list, and not the next', async () => {
  await passed(5)
  const store = storage()
  let asked = 0
  const slow = (id: number): ChainClient => {
    const { rpc } = sandbox.chain(id)
    let told = 0
    return {
      ...rpc,
      batch: ((calls: [string, unknown[]][]) => {
        // The first two calls find the block of a month ago.
        if (calls[0]?.[0] !== 'eth_getBlockByNumber' || told++ < 2) return rpc.batch(calls)
        asked++
        return new Promise(() => undefined)
      }) as ChainClient['batch'],
    }
  }
  await list(store, slow)
  expect(asked).toBe(sandbox.world.chains.length)
  expect((await list(store, slow)).items.length).toBeGreaterThan(0)
  expect(asked).toBe(sandbox.world.chains.length)
  await passed(1)
  expect((await list(store)).items.find((one) => one.slug === slug)?.rates?.points.length).toBeGreaterThan(3)
})
