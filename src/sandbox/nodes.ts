import { AppError } from '../domain/errors.ts'
import { sandboxNetworks } from '../domain/network.ts'
import { type Anvil, startAnvil } from './anvil.ts'
import { anewHint, newestWorld, type Saved } from './generations.ts'
import { genesis } from './genesis/cache.ts'

type Start = { binary: string; noteDir?: string }

/** Starts the nodes where the newest saved world of a directory left them, or at genesis; a genesis from which none starts is made once more. */
export async function startWhereLeft(
  start: Start,
  cacheDir: string,
  dir: string | undefined,
): Promise<{ base: Saved; saved: Saved; nodes: Anvil[] }> {
  const left = dir === undefined ? undefined : newestWorld(dir)
  const base = await genesis(cacheDir, start)
  try {
    return { base, saved: left ?? base, nodes: await startNodes(start, left ?? base) }
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'SANDBOX_UNAVAILABLE')) throw error
    const { code, message, details = {} } = error
    if (left) throw new AppError(code, message, { cause: error, details, hint: anewHint })
    const made = await genesis(cacheDir, start, { anew: true })
    return { base: made, saved: made, nodes: await startNodes(start, made) }
  }
}

/** Starts the nodes of both chains where a saved world left them, on given ports or free ones. */
export async function startNodes(
  start: Start,
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
