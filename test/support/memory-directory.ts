import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'

const shared = '/dev/shm'

/** The least free memory, in bytes: a whole run keeps less than half of it at a time. */
const leastFree = 4 * 2 ** 30

/**
 * Makes a directory in memory for the homes of tests, whose thousands of databases wait for the disk otherwise; `undefined` where the
 * system has no such place with room, or runs no programs from it. It is removed when this process ends.
 */
export function memoryDirectory(): string | undefined {
  if (!existsSync(shared) || !existsSync('/proc/mounts')) return undefined
  const mounts = readFileSync('/proc/mounts', 'utf8').split('\n')
  const [, , type, options = ''] =
    mounts.map((line) => line.split(' ')).findLast(([, at]) => at === shared) ?? []
  const { bavail, bsize } = statfsSync(shared)
  const canServe = type === 'tmpfs' && options.startsWith('rw') && !options.split(',').includes('noexec')
  if (!canServe || bavail * bsize < leastFree) return undefined
  const made = mkdtempSync(join(shared, 'sluice-test-'))
  // The user of PostgreSQL, and that of an image, pass through it.
  chmodSync(made, 0o711)
  process.once('exit', () => rmSync(made, { recursive: true, force: true }))
  return made
}
