import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { engineMigrations, engineStore } from '../../../src/store/engine/store.ts'
import { sqliteSql } from '../../../src/store/sql/sqlite.ts'

it('a migration keeps the transactions of recorded actions, each with its customer', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'sluice-engine-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const path = join(dir, 'engine.db')
  const older = sqliteSql(path, { migrations: engineMigrations.slice(0, 1) })
  for (const [id, customer] of [
    ['a', 'one'],
    ['b', 'two'],
  ]) {
    await older.query(
      `insert into actions (id, customer, type, status, wallet, receiver, amounts, quote_id, created_at, updated_at)
       values ($1, $2, 'TRANSFER_OUT', 'pending', '0x1', '0x2', '{}', $1, 1, 2)`,
      [id!, customer!],
    )
    await older.query(
      `insert into action_txs (action_id, idx, kind, chain_id, recipient, data, value, from_block, from_nonce, hash, nonce, succeeded)
       values ($1, 0, 'transfer', 31337, '0x2', '0x', '7', 3, 4, $2, 5, 1)`,
      [id!, `0x${id}`],
    )
  }
  await older.close()
  const sql = sqliteSql(path, { migrations: engineMigrations })
  const store = engineStore(sql)
  expect((await store.action('one', 'a'))!.txs).toEqual([
    {
      actionId: 'a',
      idx: 0,
      kind: 'transfer',
      chainId: 31337,
      recipient: '0x2',
      data: '0x',
      value: '7',
      fromBlock: 3,
      fromNonce: 4,
      hash: '0xa',
      nonce: 5,
      blockNumber: null,
      blockHash: null,
      succeeded: 1,
      gasUsed: null,
    },
  ])
  expect(await store.action('one', 'b')).toBeUndefined()
  expect(await sql.query('select customer from action_txs order by action_id')).toEqual([
    { customer: 'one' },
    { customer: 'two' },
  ])
  await store.close()
})
