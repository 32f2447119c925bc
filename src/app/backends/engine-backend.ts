import { join } from 'node:path'
import type { Backend } from '../../cli/command-context.ts'
import { catalogOn } from '../../protocols/catalog-types.ts'
import { serveProfile } from '../serving/serving.ts'
import { type BackendInputs, once } from './backend-inputs.ts'
import { externalPricesFrom } from './display-prices.ts'
import { localWallet, rpcChains } from './rpc-chains.ts'
import { warnSilentNetworks } from './silent-network-warning.ts'
import { providersNamedIn, swapSettingsFrom } from './swap-settings.ts'
import { warnUnreadableQuotes } from './unreadable-quote-warning.ts'

/** The engine profile: the embedded engine over the chains that the environment gives RPCs for. */
export function engineBackend(needs: BackendInputs): Backend {
  const { dirs, env, io, globals, now, newId } = needs
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
  const engine = once(async () => {
    const [{ createEngine }, store] = await Promise.all([import('../../engine/engine.ts'), own()])
    const { catalog, rpc } = await opened()
    const [externalPrices, swaps] = await Promise.all([externalPricesFrom(env, now), swapSettingsFrom(env)])
    const [onMissingNetwork, onUnreadableQuote] = [
      warnSilentNetworks(io, globals),
      warnUnreadableQuotes(io, globals),
    ]
    return (on?: number) =>
      createEngine({
        ...{
          ...externalPrices,
          ...swaps,
          onMissingNetwork,
          onUnreadableQuote,
          rpc,
          store,
          customer: 'local',
          now,
          newId,
        },
        catalog: on === undefined ? catalog : catalogOn(catalog, (chainId) => chainId === on),
      })
  })
  return {
    profile: needs.profile,
    kind: 'engine',
    swapProviders: providersNamedIn(env),
    reference: undefined,
    rawResponses: undefined,
    serving: serveProfile(needs, { dir: dirs.data, opened, own }),
    service: once(async () => (await engine())()),
    serviceOn: async (chainId) => (await engine())(chainId),
    findings: async () =>
      (await import('../doctor/network-findings.ts')).networkFindings({ ...(await opened()), now }),
    ...localWallet(needs, opened),
  }
}
