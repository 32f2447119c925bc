import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, expect, test } from 'vitest'
import { engineMigrations, engineStore } from '../../src/store/engine/store.ts'
import { sqliteSql } from '../../src/store/sql/sqlite.ts'
import { engineOn, perform } from '../support/engine.ts'
import { useSandbox } from '../support/use-sandbox.ts'

const sandbox = useSandbox()
const dir = mkdtempSync(join(tmpdir(), 'sluice-held-'))
afterEach(() => rmSync(dir, { recursive: true, force: true }))

test('reads do not wait for another process that holds the store', async () => {
  const wallet = sandbox.user.address
  const file = join(dir, 'engine.db')
  const store = engineStore(sqliteSql(file, { migrations: engineMigrations }))
  const { service } = engineOn(sandbox, { store })
  const id = 'sandbox-vault-usdc-sandbox-one'
  const { bytecode } = await service.strategyBytecode({ id, action: 'lend', amount: 5_000_000n, wallet })
  await perform(sandbox, wallet, bytecode)
  await sandbox.world.warp(86_400)
  const asked = { address: wallet, strategyId: id }
  const holder = new DatabaseSync(file)
  holder.exec('BEGIN IMMEDIATE')
  // The lock is held until all answers have arrived.
  const [{ items }, { positions }, strategy] = await Promise.all([
    service.walletHistory(asked),
    service.getWallet({ address: wallet }),
    service.getStrategy({ id }),
  ])
  expect(items.map(({ type, amount }) => [type, amount])).toEqual([['deposit', 5_000_000n]])
  expect(positions).toMatchObject([{ strategy: { slug: id }, principal: 5_000_000n }])
  expect(strategy.slug).toBe(id)
  holder.exec('ROLLBACK')
  holder.close()
  expect((await service.walletHistory(asked)).items).toEqual(items)
  expect(await engineOn(sandbox, { store }).service.walletHistory(asked)).toMatchObject({ items })
  await store.close()
})
