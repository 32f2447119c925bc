import { httpRpc } from '../../src/chain/rpc/failover.ts'
import { createEngineService } from '../../src/engine/engine.ts'
import { decodeCatalog } from '../../src/sandbox/catalog-json.ts'
import { engineMigrations, engineStore } from '../../src/store/engine/store.ts'
import { sqliteSql } from '../../src/store/sql/sqlite.ts'

// Reads one history in a separate process: `history-process.ts DATABASE URL CATALOGUE WALLET STRATEGY`.
const [path, url, catalog, address, strategyId] = process.argv.slice(2) as [
  string,
  string,
  string,
  `0x${string}`,
  string,
]
const engine = createEngineService({
  catalog: decodeCatalog(JSON.parse(catalog)),
  rpc: () => httpRpc(url),
  store: engineStore(sqliteSql(path, { migrations: engineMigrations })),
  customer: 'tests',
  now: Date.now,
  newId: () => 'none',
})
const { total } = await engine.walletHistory({ address, strategyId })
console.log(total)
