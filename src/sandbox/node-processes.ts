import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { httpRpc } from '../chain/rpc/failover.ts'
import { AppError } from '../domain/errors.ts'
import { type Network, sandboxNetworks } from '../domain/networks.ts'
import { type Anvil, listenFilePrefix, startAnvil } from './anvil.ts'
import { genesis } from './genesis/genesis-cache.ts'
import { newestWorld, resetHint, type SavedWorld, saveNext, type WorldFacts } from './saved-worlds.ts'

/** A process of the system, identified by its pid and start time. */
export type ProcessFacts = { pid: number; startedAt: string; command: string }

/** Lists all visible processes: from /proc on Linux, else by the system's own program. */
export const allProcesses = (): ProcessFacts[] =>
  process.platform === 'linux'
    ? readdirSync('/proc')
        .filter((name) => /^[0-9]+$/.test(name))
        .flatMap((pid) => inProc(Number(pid)) ?? [])
    : listed()

/** Returns one process by its pid; `undefined` if there is none. */
const processAt = (pid: number): ProcessFacts | undefined =>
  process.platform === 'linux' ? inProc(pid) : listed(pid)[0]

function inProc(pid: number): ProcessFacts | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name in parentheses may contain spaces. The state follows it, and the start time 19 fields later.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (fields[0] === 'Z') return undefined
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
    return { pid, startedAt: fields[19] ?? '', command }
  } catch {
    return undefined // It ended meanwhile.
  }
}

/** The processes, or the one with a pid, from a program that prints a line for each: pid, start time, command line. */
function listed(pid?: number): ProcessFacts[] {
  const { program, args, line } = process.platform === 'win32' ? byPowerShell(pid) : byPs(pid)
  let text: string
  try {
    text = execFileSync(program, args, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      maxBuffer: 1 << 26,
    })
  } catch (error) {
    // A status says that the program ran and found no such process. Without the program, nothing is known.
    const { status } = error as { status?: number }
    if (typeof status === 'number' && status !== notFound) return []
    throw error
  }
  return text.split(/\r?\n/).flatMap((one) => {
    const [, pid, startedAt, command] = line.exec(one) ?? []
    // Windows quotes a path with a space; the others print it as it is.
    return pid && startedAt && command
      ? [{ pid: Number(pid), startedAt, command: `${command.replaceAll('"', '')} ` }]
      : []
  })
}

/** The status of `env` where the program is not there. */
const notFound = 127

/** In the language of the user, day and month can have another order. */
const byPs = (pid?: number) => ({
  program: 'env',
  args: [
    'LC_ALL=C',
    'ps',
    ...(pid === undefined ? ['-ax'] : ['-p', String(pid)]),
    '-ww',
    '-o',
    'pid=,lstart=,command=',
  ],
  line: /^\s*(\d+)\s+(\w+\s+\w+\s+\d+\s+[\d:]+\s+\d+)\s+(.*)$/,
})

/** Windows has no `ps`, and new versions no `wmic`; PowerShell is part of the system. A process of another user has no command line there. */
function byPowerShell(pid?: number) {
  const filter = pid === undefined ? '' : ` -Filter "ProcessId=${pid}"`
  const command =
    '[Console]::OutputEncoding = [Text.Encoding]::UTF8; ' +
    `Get-CimInstance Win32_Process${filter} | ForEach-Object { "$($_.ProcessId) $($_.CreationDate.Ticks) $($_.CommandLine)" }`
  return {
    program: 'powershell.exe',
    args: ['-NoProfile', '-NonInteractive', '-Command', command],
    line: /^(\d+) (\d+) (.*)$/,
  }
}

/**
 * Ends a process with SIGTERM, after 5 s with SIGKILL, and waits until it is gone. It must be one that the sandbox
 * started.
 */
export async function endProcess({ pid, startedAt }: ProcessFacts): Promise<void> {
  const isThere = () => processAt(pid)?.startedAt === startedAt
  if (isThere()) process.kill(pid, 'SIGTERM')
  const until = performance.now() + 5000
  while (isThere() && performance.now() < until) await sleep(10)
  if (isThere()) process.kill(pid, 'SIGKILL')
  while (isThere()) await sleep(10)
}

type Start = { binary: string; noteDir?: string }

/**
 * Starts the nodes from the newest saved world of a directory, or from genesis. If no node starts from the cached
 * genesis, builds it again.
 */
export async function startSavedNodes(
  start: Start,
  cacheDir: string,
  dir: string | undefined,
): Promise<{ base: SavedWorld; saved: SavedWorld; nodes: Anvil[] }> {
  const left = dir === undefined ? undefined : newestWorld(dir)
  const base = await genesis(cacheDir, start)
  try {
    return { base, saved: left ?? base, nodes: await startNodes(start, left ?? base) }
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'SANDBOX_UNAVAILABLE')) throw error
    const { code, message, details = {} } = error
    if (left) throw new AppError(code, message, { cause: error, details, next: resetHint })
    const made = await genesis(cacheDir, start, { anew: true })
    return { base: made, saved: made, nodes: await startNodes(start, made) }
  }
}

/** Starts the nodes of both chains from a saved world, on given or free ports. */
export async function startNodes(
  start: Start,
  saved: SavedWorld,
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

/** Lists the node processes whose command line names the sandbox's note directory. */
const nodesOf = (noteDir: string): ProcessFacts[] =>
  allProcesses().filter(({ command }) => command.includes(` --config-out ${join(noteDir, listenFilePrefix)}`))

/**
 * Saves and ends nodes that outlived a killed daemon. Saves them only if there is one for each chain and their
 * catalogue is known. The caller holds the lock, so no running daemon owns them.
 */
export async function adoptOrphans(
  noteDir: string,
  worlds: string,
  about: WorldFacts | undefined,
): Promise<void> {
  const orphans = nodesOf(noteDir)
  // A node without a state file was still building genesis.
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
