import { expect, test } from 'vitest'
import { engineMigrations, engineStore } from '../../../src/store/engine/store.ts'
import { sqliteSql } from '../../../src/store/sql/sqlite.ts'
import { engineOn } from '../../support/engine.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const id = 'aave-v3-usdc-sandbox-one'
const day = 86_400

test('days without reads are filled from the chain, for an engine with stored days and for a new one', async () => {
  const store = engineStore(sqliteSql(':memory:', { migrations: engineMigrations }))
  for (let days = 0; days < 36; days++) {
    await sandbox.world.warp(day)
    await engineOn(sandbox, { store }).service.listStrategies({ limit: 100 })
  }
  for (let days = 0; days < 3; days++) await sandbox.world.warp(day)
  const kept = (await engineOn(sandbox, { store }).service.getStrategy({ id })).rates!
  const fresh = (await engineOn(sandbox).service.getStrategy({ id })).rates!
  const shape = ({ days1, days7, days30, points }: typeof kept) => ({
    days1: days1 === null ? null : 'told',
    days7: days7 === null ? null : 'told',
    days30: days30 === null ? null : 'told',
    last: points.slice(-4).map(({ at }) => at.slice(0, 10)),
  })
  expect(shape(kept)).toEqual(shape(fresh))
})
