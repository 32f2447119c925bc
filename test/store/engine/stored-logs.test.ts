import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { chainLogReset } from '../../../src/store/engine/chain-logs.ts'
import { engineMigrations, engineStore } from '../../../src/store/engine/store.ts'
import { sqliteSql } from '../../../src/store/sql/sqlite.ts'

const opened = () => engineStore(sqliteSql(':memory:', { migrations: engineMigrations }))
const place = { chainId: 1, source: 'a', owner: '0x1' }
const log = (block: number, idx = 0) => ({ block, idx, log: `${block}/${idx}` })

describe('stored logs', () => {
  test('are appended only after an existing mark, so that a reorganisation leaves no gap', async () => {
    const store = opened()
    expect(
      await store.storeLogs([{ place, after: null, logs: [log(3), log(9)] }], { block: 10, hash: 'x' }),
    ).toBe(true)
    expect(await store.storeLogs([{ place, after: 10, logs: [log(12)] }], { block: 20, hash: 'y' })).toBe(
      true,
    )
    // A process found a reorganisation above 10 while another was still reading from 20.
    await store.deleteLogs(place, 10)
    expect(await store.storeLogs([{ place, after: 20, logs: [log(22)] }], { block: 30, hash: 'z' })).toBe(
      false,
    )
    expect(await store.marks(place)).toEqual([{ block: 10, hash: 'x' }])
    expect((await store.storedLogs(place)).map(({ block }) => block)).toEqual([3, 9])
  })

  test('of several sources are stored together or not at all', async () => {
    const store = opened()
    const other = { ...place, source: 'b' }
    const pieces = [
      { place, after: null, logs: [log(3)] },
      { place: other, after: 7, logs: [log(8)] },
    ]
    expect(await store.storeLogs(pieces, { block: 10, hash: 'x' })).toBe(false)
    expect(await store.storedLogs(place)).toEqual([])
  })

  test('are unique and in order, keep only the newest marks, and belong to one owner and chain', async () => {
    const store = opened()
    let after: number | null = null
    for (let block = 10; block <= 120; block += 10) {
      await store.storeLogs([{ place, after, logs: [log(block, 2), log(block, 1), log(block, 2)] }], {
        block,
        hash: `${block}`,
      })
      after = block
    }
    expect((await store.marks(place)).map(({ block }) => block)).toEqual([120, 110, 100, 90, 80, 70, 60, 50])
    expect((await store.storedLogs(place)).slice(0, 3).map(({ log: text }) => text)).toEqual([
      '10/1',
      '10/2',
      '20/1',
    ])
    expect(await store.storedLogs({ ...place, owner: '0x2' })).toEqual([])
    expect(await store.marks({ ...place, chainId: 2 })).toEqual([])
    await store.deleteLogs(place, -1)
    expect(await store.storedLogs(place)).toEqual([])
  })
})

test('a migration deletes logs stored by an older version and keeps facts', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'sluice-past-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const path = join(dir, 'engine.db')
  const older = sqliteSql(path, {
    migrations: engineMigrations.slice(0, engineMigrations.indexOf(chainLogReset)),
  })
  const before = engineStore(older)
  await before.storeLogs([{ place, after: null, logs: [log(3)] }], { block: 10, hash: 'x' })
  await before.storeFact(1, 'first-block 0x1', '3')
  await before.close()
  const store = engineStore(sqliteSql(path, { migrations: engineMigrations }))
  expect(await store.marks(place)).toEqual([])
  expect(await store.storedLogs(place)).toEqual([])
  expect(await store.fact(1, 'first-block 0x1')).toBe('3')
  await store.close()
})

test('market snapshots older than 40 days are deleted, and replaced on the same day when requested', async () => {
  const store = opened()
  const row = (day: number, idx: string) => ({
    market: 'm',
    day,
    at: day * 86_400,
    block: day,
    hash: 'h',
    idx,
    last: 0,
  })
  await store.storeSnapshots(1, [row(100, '1')], false)
  await store.storeSnapshots(1, [row(100, '2')], false)
  await store.storeSnapshots(1, [row(141, '3')], false)
  expect((await store.snapshots(1, { from: 0, to: 999 })).map(({ idx }) => idx)).toEqual(['3'])
  await store.storeSnapshots(1, [row(130, '4')], true)
  await store.storeSnapshots(1, [row(130, '5')], true)
  expect((await store.snapshots(1, { from: 0, to: 999, market: 'm' })).map(({ idx }) => idx)).toEqual([
    '5',
    '3',
  ])
  expect(await store.snapshots(1, { from: 0, to: 999, market: 'other' })).toEqual([])
})
