import { spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { AppError } from '../domain/errors.ts'
import { diskFault } from '../store/disk-fault.ts'
import { privateDirectory } from '../store/private-directory.ts'
import { sandboxFiles } from './daemon-record.ts'
import { type ErrorWire, errorFromWire } from './error-json.ts'

/** The arguments of the daemon; none of them is secret. */
export type DaemonArguments = {
  dataDir: string
  cacheDir: string
  anvil?: string
  path: string
  idleMs: number
  everyMs: number
  anew?: true
}

/** Where the sandbox is and how to start it. */
export type EnsureOptions = {
  /** The script of the daemon. */
  entry: string
  dataDir: string
  cacheDir: string
  /** The environment of the command: reads PATH and SLUICE_ANVIL; passes on only what a process needs. */
  env: Readonly<Record<string, string | undefined>>
  /** Discards the saved world if a daemon has to be started. */
  anew?: true
  /** Called once when a daemon has to be started. */
  onStart?: () => void
  /** Idle time after which the daemon ends, in ms. */
  idleMs?: number
  /** Interval of the checks that save the world, in ms. */
  everyMs?: number
  /** Maximum wait for a daemon that another process is starting or stopping, in ms. */
  waitMs?: number
}

/** The last ones are those of Windows: without them no program starts there. */
const inheritedVariables =
  'PATH HOME TMPDIR TEMP TMP LANG TZ SYSTEMROOT WINDIR COMSPEC PATHEXT USERPROFILE LOCALAPPDATA'.split(' ')

/** Starts the daemon and waits for its one line of output; `busy` if another process holds the lock. */
export async function startDaemon(options: EnsureOptions): Promise<'ready' | 'busy'> {
  const { dataDir, cacheDir, env, idleMs = 15 * 60_000, everyMs = 3000 } = options
  const files = sandboxFiles(dataDir)
  privateDirectory(files.dir)
  const anvil = env.SLUICE_ANVIL
  const daemonArguments: DaemonArguments = {
    dataDir,
    cacheDir,
    ...(anvil ? { anvil } : {}),
    path: env.PATH ?? '',
    idleMs,
    everyMs,
    ...(options.anew && { anew: true }),
  }
  const log = openLog(files.log)
  const kept = inheritedVariables.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]))
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', options.entry, JSON.stringify(daemonArguments)],
    {
      detached: true,
      windowsHide: true,
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
  if (line.error) throw errorFromWire(line.error)
  return line.ready ? 'ready' : 'busy'
}

function openLog(path: string): number {
  try {
    return openSync(path, 'a', 0o600)
  } catch (error) {
    throw diskFault(error, path)
  }
}
