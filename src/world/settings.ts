import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import type { Config } from '../cli/config.ts'
import type { Settings } from '../cli/world.ts'
import { AppError } from '../domain/errors.ts'
import type { Directories } from './directories.ts'

/** The settings of `config.json`. A file that is not there is empty; one that cannot be understood is CONFIG_INVALID. */
export function fileSettings({ config }: Directories): Settings {
  const path = join(config, 'config.json')
  return { path, read: async () => read(path), write: async (settings) => write(path, settings) }
}

async function read(path: string): Promise<Config> {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw new AppError('CONFIG_INVALID', `${path} cannot be read`, { cause })
  }
  // Most command lines never read a file: what checks it is loaded only here.
  const [{ Config }, { z }] = await Promise.all([import('../cli/config.ts'), import('zod')])
  const hint = `Mend the file, or move it away: mv ${path} ${path}.old`
  try {
    return Config.parse(JSON.parse(text))
  } catch (cause) {
    const why =
      cause instanceof z.ZodError ? z.prettifyError(cause).replace(/\s*\n\s*/g, ' ') : 'it is not JSON'
    throw new AppError('CONFIG_INVALID', `${path} cannot be used: ${why}`, { cause, hint })
  }
}

async function write(path: string, settings: Config): Promise<void> {
  // Only few command lines write settings, and only those load the store for it.
  const { privateDirectory } = await import('../store/sqlite.ts')
  privateDirectory(dirname(path))
  try {
    writeFileSync(`${path}.new`, `${JSON.stringify(settings, null, 2)}\n`, { mode: 0o600 })
    renameSync(`${path}.new`, path)
  } catch (cause) {
    throw new AppError('STATE_UNUSABLE', `${path} cannot be written`, { cause })
  }
}
