import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The path of a file in a directory that is written once, and that only its owner can read. */
export function secretFile(dir: string, name: string, make: () => string): string {
  const path = join(dir, name)
  if (existsSync(path)) return path
  try {
    mkdirSync(dir, { recursive: true })
    writeFileSync(path, make(), { mode: 0o600, flag: 'wx' })
  } catch (error) {
    // Another process has made it meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  return path
}
