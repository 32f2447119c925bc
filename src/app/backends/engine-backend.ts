import { join } from 'node:path'
import type { Backend } from '../../cli/backend-types.ts'
import { once } from '../once.ts'
import { serveProfile } from '../serving/serve-profile.ts'
import type { BackendInputs } from './backend-input-types.ts'
import { externalPricesFrom } from './external-prices-setting.ts'
import { localEngine } from './local-engine.ts'
import { localWallet } from './local-side-of-profile.ts'
import { rpcChains } from './rpc-chains.ts'

/** The engine profile: the embedded engine over the chains with an RPC in the environment. */
export function engineBackend(needs: BackendInputs): Backend {
  const { dirs, env, now } = needs
  const chains = rpcChains(needs)
  const opened = async () => {
    const { reachable: catalog, rpc } = await chains()
    return { catalog, rpc }
  }
  const own = once(async () => {
    const [{ engineMigrations, engineStore }, { sqliteSql }] = await Promise.all([
      import('../../store/engine/store.ts'),
      import('../../store/sql/sqlite.ts'),
    ])
    const file = join(dirs.data, 'engine.db')
    return needs.keep(engineStore(sqliteSql(file, { migrations: engineMigrations })))
  })
  return {
    profile: needs.profile,
    kind: 'engine',
    serviceHost: null,
    serving: serveProfile(needs, { dir: dirs.data, opened, own }),
    ...localEngine(needs, async () => ({
      ...(await opened()),
      ...(await externalPricesFrom(env, now)),
      store: await own(),
      now,
    })),
    ...localWallet(needs, opened),
  }
}
