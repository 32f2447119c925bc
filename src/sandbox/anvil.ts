import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { accessSync, constants, existsSync, rmSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import type { ChainClient } from '../chain/chain-client.ts'
import { httpRpc } from '../chain/rpc/failover.ts'
import type { Hex } from '../domain/address.ts'
import { AppError } from '../domain/errors.ts'
import { isClone } from '../store/companion-package.ts'
import { writeDurable } from '../store/durable-files.ts'
import { sandboxData } from './genesis/sandbox-data.ts'
import { readBlockTime } from './node-reads.ts'

/** A running anvil node that this program started. */
export type Anvil = {
  pid: number
  port: number
  rpcUrl: string
  rpc: ChainClient
  /** Stops the node and waits for its exit. */
  stop: () => Promise<void>
  hasExited: () => boolean
}

/** Prefix of the file that a starting node writes; a random suffix follows. */
export const listenFilePrefix = 'sluice-node-'

/**
 * Finds the anvil binary: the given path, the optional package, or the PATH; else ANVIL_NOT_FOUND, also without the contracts of the sandbox.
 */
export function findAnvil({ explicit, path = '' }: { explicit?: string; path?: string }): string {
  if (explicit) {
    if (isExecutable(explicit)) return explicit
    throw new AppError('ANVIL_NOT_FOUND', `No program exists at ${explicit}`, {
      next: 'Set SLUICE_ANVIL to the path of anvil, or unset it to use the installed one.',
    })
  }
  const name = process.platform === 'win32' ? 'anvil.exe' : 'anvil'
  const found = [packaged(), ...path.split(delimiter).map((dir) => dir && join(dir, name))].find(
    (file) => file && isExecutable(file),
  )
  if (found) return found
  throw new AppError('ANVIL_NOT_FOUND', 'The sandbox needs anvil, a local EVM node, but did not find it')
}

/** Returns the file of a Foundry program in its platform package, such as `@foundry-rs/anvil-linux-amd64/bin/anvil`. */
export const foundryFile = (
  program: 'anvil' | 'cast',
  platform: NodeJS.Platform = process.platform,
  arch: string = process.arch,
): string =>
  `@foundry-rs/${program}-${platform}-${arch === 'x64' ? 'amd64' : arch}/bin/${program}${platform === 'win32' ? '.exe' : ''}`

function packaged(): string {
  const require = createRequire(isClone() ? import.meta.url : join(sandboxData(), 'package.json'))
  try {
    return require.resolve(foundryFile('anvil'))
  } catch {
    return '' // The package is optional and missing on some platforms.
  }
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** How to start a node. */
export type AnvilOptions = {
  binary: string
  chainId: number
  /** State file of an earlier run. */
  loadState?: string
  /** Default: a free port. */
  port?: number
  /**
   * Directory of the file that the starting node writes. Its command line names this directory, which identifies its
   * owner.
   */
  noteDir?: string
}

/** Starts a node on loopback and waits until it answers. */
export async function startAnvil(options: AnvilOptions): Promise<Anvil> {
  for (let tries = 1; ; tries++) {
    const anvil = await tryStart(options, options.port ?? (await freePort()))
    if (anvil) return anvil
    if (tries === 5)
      throw new AppError(
        'SANDBOX_UNAVAILABLE',
        `${options.binary} does not start${options.loadState ? ` with ${options.loadState}` : ''}`,
        { details: { chainId: options.chainId } },
      )
  }
}

/** Tries once to start a node; `undefined` if the node exits, for example because the port was taken. */
async function tryStart(
  { binary, chainId, loadState, noteDir = tmpdir() }: AnvilOptions,
  port: number,
): Promise<Anvil | undefined> {
  // The node writes this file once it listens. Before that, another process may answer on the port.
  const listening = join(noteDir, `${listenFilePrefix}${randomBytes(8).toString('hex')}.json`)
  const args = ['--host', '127.0.0.1', '--port', port, '--chain-id', chainId, '--silent']
  args.push('--gas-limit', 1_000_000_000, '--prune-history', 100, '--config-out', listening)
  if (loadState) args.push('--load-state', loadState)
  // A node that builds genesis ends with this process. A node with a loaded state may survive: the next daemon adopts
  // it.
  const child = loadState
    ? spawn(binary, args.map(String), quiet)
    : spawnThatEndsWithUs(binary, args.map(String))
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
    child.once('error', () => resolve())
  })
  const hasExited = () => child.pid === undefined || child.exitCode !== null || child.signalCode !== null
  const abandon = () => child.kill('SIGTERM')
  process.once('exit', abandon)
  void ended.then(() => process.removeListener('exit', abandon))

  try {
    const until = performance.now() + 15_000
    while (!hasText(listening) && !hasExited() && performance.now() < until) await sleep(3)
    if (hasText(listening)) {
      const rpcUrl = `http://127.0.0.1:${port}`
      const rpc = httpRpc(rpcUrl, { deadlineMs: 60_000 })
      await restoreClock(rpc)
      return { pid: child.pid!, port, rpcUrl, rpc, hasExited, stop: () => stop(child, ended) }
    }
  } catch (error) {
    await stop(child, ended)
    throw error
  } finally {
    rmSync(listening, { force: true })
  }
  await stop(child, ended)
  refuseFullDisk(noteDir)
  return undefined
}

/** Whether a file was written: on a full disk it is made, and stays empty. */
const hasText = (path: string): boolean => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0

/** A node that cannot write its note ends without a reason. Throws STATE_UNUSABLE if a file of that size cannot be written. */
function refuseFullDisk(noteDir: string): void {
  const trial = join(noteDir, `${listenFilePrefix}${randomBytes(8).toString('hex')}.trial`)
  try {
    writeDurable(trial, Buffer.alloc(noteBytes))
  } finally {
    rmSync(trial, { force: true })
  }
}

/** More than a node writes into its note, in bytes. */
const noteBytes = 16_384

const quiet = { stdio: 'ignore', env: {}, windowsHide: true } as const

/**
 * Starts a program that ends however this process ends: a shell starts a process that waits for the end of a pipe from
 * this one, then becomes the program. Without a shell, a Node is started after the program, and the program remains if
 * this process is killed between the two.
 */
function spawnThatEndsWithUs(program: string, args: readonly string[]): ChildProcess {
  const shell = '/bin/sh'
  if (process.platform === 'win32' || !existsSync(shell)) {
    const child = spawn(program, args, quiet)
    if (child.pid !== undefined) watchByNode(child)
    return child
  }
  const child = spawn(shell, ['-c', endsWithPipe, shell, program, ...args], {
    ...quiet,
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  })
  const pipe = child.stdio[3] as Socket
  pipe.on('error', () => undefined)
  pipe.unref()
  child.once('exit', () => pipe.end('ended\n'))
  return child
}

/** A line in the pipe says that the program ended by itself, and its pid may be that of another process. */
const endsWithPipe = `/bin/sh -c 'read -r _ || kill -TERM "$1" 2>/dev/null' sh $$ <&3 3<&- & exec "$@" 3<&-`

function watchByNode(child: ChildProcess): void {
  const watcher = spawn(process.execPath, ['-e', killAtEnd, String(child.pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    env: {},
    detached: true,
    windowsHide: true,
  })
  watcher.on('error', () => undefined)
  watcher.stdin.on('error', () => undefined)
  watcher.unref()
  child.once('exit', () => watcher.kill('SIGKILL'))
}

/** A broken pipe is an error on Windows and the end elsewhere. */
const killAtEnd = `
const { argv, exit, kill, stdin } = process
const end = () => {
  try {
    kill(Number(argv[1]))
  } catch {
    // It ended before.
  }
  exit()
}
stdin.on('end', end).on('error', end).on('close', end).resume()`

async function stop(child: ChildProcess, ended: Promise<void>): Promise<void> {
  if (child.pid === undefined) return
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), 5000)
  await ended
  clearTimeout(timer)
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}

/**
 * Moves the clock of a restarted node forward to its newest block. Without this, the next block would have an earlier
 * time.
 */
export async function restoreClock(rpc: ChainClient): Promise<void> {
  const ahead = (await readBlockTime(rpc, 'latest')) - Math.floor(Date.now() / 1000)
  if (ahead > 0) await rpc.request('evm_increaseTime', [ahead])
}

/** Returns the whole state of a node as the JSON text that `--load-state` takes. */
export async function dumpState(rpc: ChainClient): Promise<Uint8Array> {
  const zipped = await rpc.request<Hex>('anvil_dumpState')
  return gunzipSync(Buffer.from(zipped.slice(2), 'hex'))
}
