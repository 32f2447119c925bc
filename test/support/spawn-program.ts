import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ChainClient } from '../../src/chain/chain-client.ts'
import { httpRpc } from '../../src/chain/rpc/failover.ts'
import { sandboxDown } from '../../src/sandbox/daemon-client.ts'
import { allProcesses, endProcess, type ProcessFacts } from '../../src/sandbox/node-processes.ts'

const here = join(import.meta.dirname, '../..')

/** A running `sluice`, and its result. `exit` is its exit code, or the signal that ended it. */
export type Program = {
  child: ChildProcess
  pid: number
  ended: Promise<{ exit: number | NodeJS.Signals; out: string; err: string }>
  /** Waits until stdout or stderr contains a text. */
  says: (text: string | RegExp) => Promise<void>
  /** The first complete line on stdout. */
  line: () => Promise<string>
}

/** Options of a start: another Node, another installation, a file instead of its `bin/sluice.js`, more environment, and the handling of stdout. */
export type Start = {
  env?: Record<string, string>
  node?: string
  root?: string
  file?: string
  closeOut?: boolean
  path?: string
}

/** Starts `bin/sluice.js` as a separate process, with a home directory and none of our environment. */
export function startSluice(
  home: string,
  args: readonly string[],
  {
    env = {},
    node = process.execPath,
    root = here,
    file = join('bin', 'sluice.js'),
    closeOut = false,
    path = process.env.PATH ?? '',
  }: Start = {},
): Program {
  const child = spawn(node, [join(root, file), ...args], {
    cwd: home,
    env: { PATH: path, HOME: home, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said = { out: '', err: '' }
  const waiting = new Set<() => void>()
  for (const name of ['out', 'err'] as const)
    child[name === 'out' ? 'stdout' : 'stderr'].setEncoding('utf8').on('data', (text: string) => {
      said[name] += text
      for (const look of waiting) look()
    })
  if (closeOut) child.stdout.destroy()
  const ended = new Promise<Awaited<Program['ended']>>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve({ exit: code ?? signal!, ...said }))
  })
  const until = <value>(what: string | RegExp, find: () => value | undefined): Promise<value> =>
    new Promise((resolve, reject) => {
      const look = () => {
        const found = find()
        if (found === undefined) return
        waiting.delete(look)
        resolve(found)
      }
      waiting.add(look)
      look()
      void ended.then(() => {
        look()
        reject(new Error(`it ended and never said ${what}: ${said.out}${said.err}`))
      })
    })
  return {
    child,
    pid: child.pid!,
    ended,
    says: async (text) => {
      await until(text, () => {
        const all = said.out + said.err
        return (typeof text === 'string' ? all.includes(text) : text.test(all)) || undefined
      })
    },
    line: () => until('a line', () => /^.*\n/.exec(said.out)?.[0]),
  }
}

/** Runs `bin/sluice.js` to its end. */
export const spawnSluice = (home: string, args: readonly string[], start: Start = {}) =>
  startSluice(home, args, start).ended

/** A home directory for separate processes, and functions to clean it up. */
export type ProgramHome = {
  home: string
  /** The directory of journal and sandbox. */
  data: string
  /** The processes that run from this home directory. */
  processes: () => ProcessFacts[]
  /** Waits until no process runs from it. */
  gone: () => Promise<void>
  /** Raw JSON-RPC to a chain of its running sandbox. */
  rpc: (chainId: number) => Promise<ChainClient>
  end: () => Promise<void>
}

/** Makes a home directory; a given cache directory is shared, so that the sandbox is not built again. */
export function programHome(cache?: string): ProgramHome {
  const home = mkdtempSync(join(tmpdir(), 'sluice-program-'))
  const data = join(home, '.local', 'share', 'sluice')
  if (cache !== undefined) {
    mkdirSync(join(home, '.cache'))
    symlinkSync(cache, join(home, '.cache', 'sluice'))
  }
  const processes = () => allProcesses().filter(({ command }) => command.includes(home))
  return {
    home,
    data,
    processes,
    gone: async () => {
      while (processes().length > 0) await sleep(20)
    },
    rpc: async (chainId) => {
      const { out } = await spawnSluice(home, ['sandbox', 'status', '--json'])
      const status = JSON.parse(out) as { chains: { chainId: number; rpcUrl: string }[] }
      return httpRpc(status.chains.find((chain) => chain.chainId === chainId)!.rpcUrl)
    },
    end: async () => {
      await sandboxDown(data)
      for (const left of processes()) await endProcess(left)
      rmSync(home, { recursive: true, force: true })
    },
  }
}

/** The number of signed transactions in the journals under a data directory: the one of the sandbox and the one of all other profiles. */
export const attemptsIn = (dataDir: string): number =>
  ['sandbox', '.'].reduce((sum, dir) => sum + attemptsOf(join(dataDir, dir, 'journal.db')), 0)

function attemptsOf(path: string): number {
  if (!existsSync(path)) return 0
  const db = new DatabaseSync(path, { readOnly: true, timeout: 5_000 })
  try {
    // A process killed while it creates the journal leaves a file without tables.
    if (!db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'attempt'").get()) return 0
    return Number(db.prepare('SELECT count(*) AS n FROM attempt').get()?.n)
  } finally {
    db.close()
  }
}
