import { spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import type { Address } from '../domain/address.ts'
import type { Catalog } from '../domain/catalog.ts'
import { AppError, isErrorCode } from '../domain/errors.ts'
import { postJson } from '../net/http.ts'
import type { ErrorWire } from './control.ts'
import type { Grant } from './faucet.ts'
import { diskFault, privateDirectory } from './files.ts'
import { readRecord, sandboxFiles } from './record.ts'
import type { SandboxStatus } from './world.ts'

/** Everything the daemon is told when it starts; nothing in it is secret. */
export type DaemonArguments = {
  dataDir: string
  cacheDir: string
  anvil?: string
  path: string
  idleMs: number
  everyMs: number
}

/** A running sandbox, wherever its process is. */
export type SandboxClient = {
  catalog: Catalog
  status: () => Promise<SandboxStatus>
  /** Gives coins and tokens on every chain; `amount` is in the smallest unit of the named token. */
  fund: (to: Address, what?: { symbol?: string; amount?: bigint }) => Promise<Grant[]>
  warp: (seconds: number) => Promise<void>
  reset: () => Promise<void>
  /** Saves and ends it, and waits until it is gone. */
  down: () => Promise<void>
}

export type EnsureOptions = {
  dataDir: string
  cacheDir: string
  /** The environment of the command: PATH and SLUICE_ANVIL are read; only what a process needs is passed on. */
  env: Readonly<Record<string, string | undefined>>
  /** Called once when a daemon has to be started. */
  onStart?: () => void
  /** How long nobody may use it before it ends by itself. */
  idleMs?: number
  /** How often it saves what changed. */
  everyMs?: number
  /** How long to wait for a daemon that somebody else is starting or ending. */
  waitMs?: number
}

const daemonEntry = join(import.meta.dirname, '..', 'daemon.ts')
const passedOn = ['PATH', 'HOME', 'TMPDIR', 'TEMP', 'TMP', 'LANG', 'TZ', 'SYSTEMROOT']

/** The sandbox of a data directory, started if it is not running. Many callers at once end with one daemon. */
export async function ensureSandbox(options: EnsureOptions): Promise<SandboxClient> {
  const { dataDir, onStart, waitMs = 30_000 } = options
  const until = performance.now() + waitMs
  let isFirst = true
  for (;;) {
    const running = await connectSandbox(dataDir)
    if (running) return running
    if (performance.now() > until)
      throw new AppError(
        'SANDBOX_UNAVAILABLE',
        'The sandbox of this data directory is held by a process that does not answer',
        {
          details: { directory: sandboxFiles(dataDir).dir },
        },
      )
    if (isFirst) onStart?.()
    isFirst = false
    if ((await startDaemon(options)) === 'ready') continue
    // Somebody else holds the lock: it is about to answer, or about to end.
    for (let tries = 0; tries < 20; tries++) {
      await sleep(50)
      const theirs = await connectSandbox(dataDir)
      if (theirs) return theirs
    }
  }
}

/** What `sandbox status` says; nothing is started for it. */
export async function sandboxStatus(dataDir: string): Promise<SandboxStatus> {
  const running = await connectSandbox(dataDir)
  return running ? running.status() : { running: false, pid: null, chains: [], accounts: [], tokens: [] }
}

/** Ends the sandbox of a data directory; `false` when none was running. */
export async function sandboxDown(dataDir: string): Promise<boolean> {
  const running = await connectSandbox(dataDir)
  await running?.down()
  return running !== undefined
}

/** The running sandbox of a data directory; `undefined` when there is none that answers. */
export async function connectSandbox(dataDir: string): Promise<SandboxClient | undefined> {
  const record = readRecord(sandboxFiles(dataDir).record)
  if (!record) return undefined
  const call = async <T>(
    name: string,
    input: Record<string, string> = {},
    deadlineMs = 60_000,
  ): Promise<T> => {
    const headers = { authorization: `Bearer ${record.token}` }
    const { status, body } = await postJson(`${record.controlUrl}/${name}`, input, { headers, deadlineMs })
    const { value, error } = (body ?? {}) as { value?: T; error?: ErrorWire | string }
    if (typeof error === 'object') throw fromWire(error)
    if (status !== 200)
      throw new AppError('SANDBOX_UNAVAILABLE', `The sandbox answers with status ${status}`, {
        details: { status },
      })
    return value as T
  }
  const isUp = (): Promise<boolean> =>
    call('status', {}, 3000).then(
      () => true,
      () => false,
    )
  if (!(await isUp())) return undefined
  return {
    catalog: record.catalog,
    status: () => call('status'),
    fund: async (to, { symbol, amount } = {}) => {
      const asked = {
        to,
        ...(symbol ? { symbol } : {}),
        ...(amount === undefined ? {} : { amount: String(amount) }),
      }
      const grants = await call<(Omit<Grant, 'amount'> & { amount: string })[]>('fund', asked)
      return grants.map((grant) => ({ ...grant, amount: BigInt(grant.amount) }))
    },
    warp: (seconds) => call('warp', { seconds: String(seconds) }),
    reset: () => call('reset'),
    down: async () => {
      await call('down')
      while (await isUp()) await sleep(10)
    },
  }
}

/** Starts the daemon and waits for its one line. */
async function startDaemon(options: EnsureOptions): Promise<'ready' | 'busy'> {
  const { dataDir, cacheDir, env, idleMs = 15 * 60_000, everyMs = 3000 } = options
  const files = sandboxFiles(dataDir)
  privateDirectory(files.dir)
  const anvil = env.SLUICE_ANVIL
  const told: DaemonArguments = {
    dataDir,
    cacheDir,
    ...(anvil ? { anvil } : {}),
    path: env.PATH ?? '',
    idleMs,
    everyMs,
  }
  const log = openLog(files.log)
  const kept = passedOn.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]))
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', daemonEntry, JSON.stringify(told)],
    {
      detached: true,
      cwd: files.dir,
      stdio: ['ignore', 'pipe', log],
      env: Object.fromEntries(kept),
    },
  )
  closeSync(log)
  const out = child.stdout
  if (!out) throw new Error('the daemon has a pipe for its stdout')
  const said = await new Promise<string>((resolve, reject) => {
    let text = ''
    child.once('error', reject)
    out.setEncoding('utf8')
    out.on('data', (part: string) => {
      text += part
      if (text.includes('\n')) resolve(text)
    })
    out.on('end', () => resolve(text))
  })
  child.unref()
  out.destroy()
  if (!said.includes('\n'))
    throw new AppError('SANDBOX_UNAVAILABLE', `The sandbox ended while it started; see ${files.log}`)
  const line = JSON.parse(said) as { ready?: true; busy?: true; error?: ErrorWire }
  if (line.error) throw fromWire(line.error)
  return line.ready ? 'ready' : 'busy'
}

function openLog(path: string): number {
  try {
    return openSync(path, 'a', 0o600)
  } catch (error) {
    throw diskFault(error, path)
  }
}

const fromWire = ({ code, message, details, hint }: ErrorWire): AppError =>
  new AppError(isErrorCode(code) ? code : 'BUG', message, {
    ...(details ? { details } : {}),
    ...(hint ? { hint } : {}),
  })
