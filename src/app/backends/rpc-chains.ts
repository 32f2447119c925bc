import type { ChainClient } from '../../chain/chain-client.ts'
import { namingNetwork } from '../../chain/network-client.ts'
import { AppError } from '../../domain/errors.ts'
import { allNetworks, isEmbedded, networkNamed, rpcVariable, sandboxHint } from '../../domain/networks.ts'
import { catalogOn } from '../../protocols/catalog-operations.ts'
import type { Catalog } from '../../protocols/catalog-types.ts'
import { once } from '../once.ts'
import { knownCatalog, wholeCatalog } from '../profiles/catalog-of-configured-networks.ts'
import { rpcHeaders } from '../profiles/rpc-headers.ts'
import { rpcUrls } from '../profiles/rpc-settings.ts'
import type { BackendInputs } from './backend-input-types.ts'
import { callLimitReport, withCallTrace } from './rpc-debug-log.ts'
import { keptRpcPlans } from './rpc-plans.ts'

/** The chains with an RPC in the environment: the whole catalogue, the part for these chains, and their clients. */
export type RpcChains = {
  all: () => Promise<Catalog>
  reachable: Catalog
  rpc: (chainId: number) => ChainClient
}

/** Maximum time of a read with all retries, in ms; less for a command with less time. */
const patienceMs = 30_000

/** Reads the RPCs from the environment. No node is called before the first read. */
export const rpcChains = ({
  dirs,
  env,
  secrets,
  globals,
  io,
  now,
}: BackendInputs): (() => Promise<RpcChains>) =>
  once(async () => {
    const { failoverRpc } = await import('../../chain/rpc/failover.ts')
    const urlsOf = rpcUrls(env, allNetworks)
    const headersOf = rpcHeaders(secrets.rpcHeaders, allNetworks, urlsOf)
    const named = await knownCatalog(dirs, env)
    const budgetMs = Math.min(patienceMs, globals.timeoutMs ?? patienceMs)
    const byChain = new Map(
      [...urlsOf].map(([chainId, urls]) => [
        chainId,
        namingNetwork(
          networkNamed(allNetworks, chainId),
          withCallTrace(
            failoverRpc(urls, {
              budgetMs,
              chainId,
              headers: headersOf.get(chainId) ?? {},
              plans: keptRpcPlans(dirs, now),
              ...callLimitReport(globals.debug ? io : undefined),
            }),
            globals.debug ? io : undefined,
          ),
        ),
      ]),
    )
    const rpc = (chainId: number): ChainClient => {
      const found = byChain.get(chainId)
      if (found) return found
      const network = networkNamed(allNetworks, chainId)
      const ofSandbox = isEmbedded(network)
      const whose = ofSandbox ? ', which belongs to the sandbox' : ''
      throw new AppError('CONFIG_INVALID', `No RPC for ${network.name}${whose}`, {
        next: ofSandbox
          ? sandboxHint(network)
          : `Set ${rpcVariable(network)} to the URL of an RPC of ${network.name}.`,
        details: { network: network.name, variable: rpcVariable(network) },
      })
    }
    return {
      all: once(() => wholeCatalog(dirs, env)),
      reachable: catalogOn(named, (chainId) => byChain.has(chainId)),
      rpc,
    }
  })
