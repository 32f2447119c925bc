import { type ChainClient, clientOf } from '../../chain/client.ts'
import type { Sandbox } from '../../cli/command-context.ts'
import type { Serving } from '../../cli/server-administration.ts'
import type { Catalog } from '../../protocols/catalog.ts'
import type { EngineStore } from '../../store/engine/store.ts'
import type { BackendInputs } from '../backends/backend-inputs.ts'
import { servingSide } from './serving.ts'

/** How often a server looks at what the sandbox does, in ms: a fault is obeyed after so long, and the sandbox ends when nobody has called it for a while. */
const lookMs = 500

type Stands = {
  dir: string
  sandbox: Pick<Sandbox, 'status'>
  /** `at` is a chain at an address. */
  opened: () => Promise<{
    catalog: Catalog
    rpc: (chainId: number) => ChainClient
    at: (rpcUrl: string) => ChainClient
    aheadMs: number
    store: EngineStore
  }>
}

/** A server over the sandbox: its chains are where the faults of now have them, and its clock is theirs. */
export function sandboxServing(needs: BackendInputs, { dir, sandbox, opened }: Stands): Serving {
  const chains = new Map<number, { rpcUrl: string; rpc: ChainClient }>()
  let ahead: number | undefined
  const look = async () => {
    const [{ at }, { chains: found, aheadMs = 0 }] = await Promise.all([opened(), sandbox.status()])
    ahead = aheadMs
    for (const { chainId, rpcUrl } of found)
      if (chains.get(chainId)?.rpcUrl !== rpcUrl) chains.set(chainId, { rpcUrl, rpc: at(rpcUrl) })
  }
  return servingSide(
    { ...needs, now: () => needs.now() + (ahead ?? 0) },
    {
      dir,
      opened: async () => {
        const { catalog, rpc, aheadMs } = await opened()
        ahead ??= aheadMs
        return { catalog, rpc: (chainId) => clientOf(() => chains.get(chainId)?.rpc ?? rpc(chainId)) }
      },
      own: async () => (await opened()).store,
      keepAlive: { work: look, everyMs: lookMs },
    },
  )
}
