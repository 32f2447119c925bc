import { sandboxNetworks } from '../domain/network.ts'
import { type Anvil, startAnvil } from './anvil.ts'
import type { Saved } from './generations.ts'

/** Starts the nodes of both chains where a saved world left them, on given ports or free ones. */
export async function startNodes(
  start: { binary: string; noteDir?: string },
  saved: Saved,
  ports: readonly number[] = [],
): Promise<Anvil[]> {
  const started = await Promise.allSettled(
    sandboxNetworks.map((network, index) => {
      const port = ports[index]
      const loadState = saved.stateFile(network)
      return startAnvil({ ...start, chainId: network.chainId, loadState, ...(port ? { port } : {}) })
    }),
  )
  const nodes = started.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  const failure = started.find((result) => result.status === 'rejected')
  if (!failure) return nodes
  await Promise.all(nodes.map((node) => node.stop()))
  throw failure.reason
}
