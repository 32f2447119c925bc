import { randomBytes } from 'node:crypto'
import { AppError } from '../domain/errors.ts'
import { findAnvil } from '../sandbox/anvil.ts'
import { serveControl } from '../sandbox/control-server.ts'
import type { DaemonArguments } from '../sandbox/daemon-launch.ts'
import { dropRecord, readRecord, sandboxFiles, writeRecord } from '../sandbox/daemon-record.ts'
import { errorWire } from '../sandbox/error-json.ts'
import { adoptOrphans } from '../sandbox/node-processes.ts'
import { forgetWorlds, newestWorld } from '../sandbox/saved-worlds.ts'
import { startWorld } from '../sandbox/world.ts'
import { startWatchdog } from '../sandbox/world-keeper.ts'
import { tryLock } from '../store/file-lock.ts'
import { privateDirectory } from '../store/private-directory.ts'

/**
 * The process that owns the embedded chains of one data directory. It prints one line on stdout: ready, busy (another
 * process holds the lock), or the error of its start. Nothing reads its stdout afterwards.
 */

/** The parent may be gone; the sandbox stays for later commands. */
process.stdout.on('error', () => undefined)

const say = (line: unknown): void => {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}
const log = (what: string, error?: unknown): void => {
  const why = error instanceof AppError ? error.message : error instanceof Error ? error.stack : ''
  process.stderr.write(`${new Date().toISOString()} ${what} ${why}\n`)
}

// Node processes end with this process, even before the world is complete.
let leave = (_: string): void => process.exit(0)
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => leave(signal))

async function main(daemonArguments: DaemonArguments): Promise<void> {
  const { dataDir, cacheDir, anvil, path, idleMs, everyMs } = daemonArguments
  const files = sandboxFiles(dataDir)
  privateDirectory(files.dir)
  const lock = tryLock(files.lock)
  if (!lock) return say({ busy: true })

  if (daemonArguments.anew) forgetWorlds(files.worlds)
  const left = newestWorld(files.worlds) ?? readRecord(files.record)
  const known = left && { catalog: left.catalog, genesis: left.genesis }
  await adoptOrphans(files.dir, files.worlds, known).catch((error) => log('orphans were not saved', error))
  dropRecord(files.record)
  const isRestored = newestWorld(files.worlds) !== undefined
  const binary = findAnvil({ ...(anvil ? { explicit: anvil } : {}), path })
  const world = await startWorld({ binary, cacheDir, dir: files.worlds, noteDir: files.dir })

  const keep = (isSaved: boolean) =>
    startWatchdog({
      world,
      isSaved,
      everyMs,
      idleMs,
      now: Date.now,
      onEnd: (why) => leave(why),
      onFault: (error) => log('not saved', error),
    })
  let keeper = keep(isRestored)
  const close = async (): Promise<void> => {
    await world.stop()
    dropRecord(files.record)
    lock.release()
  }
  let isLeaving = false
  leave = (why) => {
    if (isLeaving) return
    isLeaving = true
    log(`ends: ${why}`)
    void (async () => {
      await keeper.stop()
      const save = world.faults.freeUsdc().then(() => world.dump())
      await save.catch((error) => log('the last save did not work', error))
      await close()
    })().finally(() => process.exit(0))
  }

  const token = randomBytes(32).toString('hex')
  const record = (): void =>
    writeRecord(files.record, {
      pid: process.pid,
      controlUrl: control.url,
      token,
      catalog: world.catalog(),
      genesis: world.genesis(),
    })
  const control = await serveControl({
    world,
    token,
    onCall: () => keeper.touch(),
    onReset: () => record(),
    down: async () => {
      await keeper.stop()
      try {
        await world.faults.freeUsdc()
        await world.dump()
      } catch (error) {
        keeper = keep(false) // After a failed save the world keeps running, so that nothing is lost.
        throw error
      }
      isLeaving = true
      await close()
      setTimeout(() => process.exit(0), 50)
    },
  })
  record()
  say({ ready: true })
}

main(JSON.parse(process.argv[2] ?? '{}')).catch((error: unknown) => {
  log('does not start', error)
  say({ error: errorWire(error) })
  process.exit(1)
})
