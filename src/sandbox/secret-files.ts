import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Returns the path of a file that is written once and readable only by its owner. */
export function secretFile(dir: string, name: string, make: () => string): string {
  const path = join(dir, name)
  if (existsSync(path)) return path
  try {
    mkdirSync(dir, { recursive: true })
    writeFileSync(path, make(), { mode: 0o600, flag: 'wx' })
  } catch (error) {
    // Another process has created it meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  return path
}
