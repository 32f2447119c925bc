import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { accessSync, constants, existsSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import type { ChainClient } from '../chain/chain-client.ts'
import { httpRpc } from '../chain/rpc/failover.ts'
import type { Hex } from '../domain/address.ts'
import { AppError } from '../domain/errors.ts'

const require = createRequire(import.meta.url)

/** A running node of ours. */
export type Anvil = {
  pid: number
  port: number
  rpcUrl: string
  rpc: ChainClient
  /** Ends the node and waits until it is gone. */
  stop: () => Promise<void>
  hasExited: () => boolean
}

/** How the note of a starting node is called; the rest of its name is random. */
export const noteName = 'sluice-node-'

/** Where the node's binary is: the path that was given, the optional package, or the PATH; else ANVIL_NOT_FOUND. */
export function findAnvil({ explicit, path = '' }: { explicit?: string; path?: string }): string {
  if (explicit) {
    if (isExecutable(explicit)) return explicit
    throw new AppError('ANVIL_NOT_FOUND', `There is no program at ${explicit}`)
  }
  const name = process.platform === 'win32' ? 'anvil.exe' : 'anvil'
  const found = [packaged(), ...path.split(delimiter).map((dir) => dir && join(dir, name))].find(
    (file) => file && isExecutable(file),
  )
  if (found) return found
  throw new AppError('ANVIL_NOT_FOUND', 'The sandbox needs anvil, a local EVM node, and did not find it')
}

/** The file of a program of Foundry in the package that carries it for a platform: `@foundry-rs/anvil-linux-amd64/bin/anvil`. */
export const foundryFile = (
  program: 'anvil' | 'cast',
  platform: NodeJS.Platform = process.platform,
  arch: string = process.arch,
): string =>
  `@foundry-rs/${program}-${platform}-${arch === 'x64' ? 'amd64' : arch}/bin/${program}${platform === 'win32' ? '.exe' : ''}`

function packaged(): string {
  try {
    return require.resolve(foundryFile('anvil'))
  } catch {
    return '' // The package is optional: on other platforms it is not there.
  }
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false // Which is the answer.
  }
}

/** Which node to start. */
export type AnvilOptions = {
  binary: string
  chainId: number
  /** A state file of an earlier run. */
  loadState?: string
  /** Without it, a free one. */
  port?: number
  /** Where the node leaves a note while it starts; its command line names this directory, which tells whose it is. */
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

/** One try; `undefined` when the node ended by itself, as it does when somebody else has taken the port. */
async function tryStart(
  { binary, chainId, loadState, noteDir = tmpdir() }: AnvilOptions,
  port: number,
): Promise<Anvil | undefined> {
  // The node writes this file once it listens: only then is it ours that answers on the port.
  const listening = join(noteDir, `${noteName}${randomBytes(8).toString('hex')}.json`)
  const args = ['--host', '127.0.0.1', '--port', port, '--chain-id', chainId, '--silent']
  args.push('--gas-limit', 1_000_000_000, '--prune-history', 100, '--config-out', listening)
  if (loadState) args.push('--load-state', loadState)
  const child = spawn(binary, args.map(String), { stdio: 'ignore', env: {} })
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
    child.once('error', () => resolve())
  })
  // What is being built is worth nothing by itself; what was saved is adopted by the next daemon.
  if (!loadState) endWithUs(child)
  const hasExited = () => child.pid === undefined || child.exitCode !== null || child.signalCode !== null
  const abandon = () => child.kill('SIGTERM')
  process.once('exit', abandon)
  void ended.then(() => process.removeListener('exit', abandon))

  try {
    const until = performance.now() + 15_000
    while (!existsSync(listening) && !hasExited() && performance.now() < until) await sleep(3)
    if (existsSync(listening)) {
      const rpcUrl = `http://127.0.0.1:${port}`
      const rpc = httpRpc(rpcUrl, { deadlineMs: 60_000 })
      await catchUp(rpc)
      return { pid: child.pid!, port, rpcUrl, rpc, hasExited, stop: () => stop(child, ended) }
    }
  } catch (error) {
    await stop(child, ended)
    throw error
  } finally {
    rmSync(listening, { force: true })
  }
  await stop(child, ended)
  return undefined
}

/** Ends a node with this process, however it ends: a shell waits for the end of a pipe of ours. Not on Windows. */
function endWithUs(child: ChildProcess): void {
  if (child.pid === undefined || process.platform === 'win32') return
  const command = 'read -r _; kill -TERM "$1" 2>/dev/null'
  const watcher = spawn('/bin/sh', ['-c', command, 'sh', String(child.pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    env: {},
    detached: true,
  })
  watcher.on('error', () => undefined)
  watcher.stdin.on('error', () => undefined)
  watcher.unref()
  child.once('exit', () => watcher.kill('SIGKILL'))
}

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

/** A node forgets over a restart how far its clock was ahead; without this its next block would go back in time. */
export async function catchUp(rpc: ChainClient): Promise<void> {
  const latest = await rpc.request<{ timestamp: Hex }>('eth_getBlockByNumber', ['latest', false])
  const ahead = Number(latest.timestamp) - Math.floor(Date.now() / 1000)
  if (ahead > 0) await rpc.request('evm_increaseTime', [ahead])
}

/** The whole state of a node, as the JSON text that `--load-state` takes. */
export async function dumpState(rpc: ChainClient): Promise<Uint8Array> {
  const zipped = await rpc.request<Hex>('anvil_dumpState')
  return gunzipSync(Buffer.from(zipped.slice(2), 'hex'))
}
