import { join } from 'node:path'

import { type Network, sandboxNetworks } from '../domain/network.ts'
import { httpRpc } from '../net/rpc.ts'
import { noteName } from './anvil.ts'
import { type About, saveNext } from './generations.ts'
import { allProcesses, endProcess, type ProcessFacts } from './processes.ts'

/** The nodes whose command line names our directory: nobody else starts such. */
const nodesOf = (noteDir: string): ProcessFacts[] =>
  allProcesses().filter(({ command }) => command.includes(` --config-out ${join(noteDir, noteName)}`))

/**
 * Nodes outlive a daemon that was killed. This saves what they hold, when there is one for each chain and it is known
 * what is deployed there, and ends them. The caller holds the lock, so no living daemon owns them.
 */
export async function adoptOrphans(noteDir: string, worlds: string, about: About | undefined): Promise<void> {
  const orphans = nodesOf(noteDir)
  // A node without a state to start from was still being built.
  const portOf = ({ chainId }: Network): string | undefined => {
    const mine = orphans.filter(
      ({ command }) => command.includes(` --chain-id ${chainId} `) && command.includes(' --load-state '),
    )
    return mine.length === 1 ? / --port (\d+) /.exec(mine[0]!.command)?.[1] : undefined
  }
  const nodes = sandboxNetworks.flatMap((network) => {
    const port = portOf(network)
    if (!port) return []
    return [{ network, rpc: httpRpc(`http://127.0.0.1:${port}`, { deadlineMs: 20_000, retries: 1 }) }]
  })
  try {
    if (about && nodes.length === sandboxNetworks.length) await saveNext(worlds, about, nodes)
  } finally {
    for (const orphan of orphans) await endProcess(orphan)
  }
}
