import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { z } from 'zod'
import type { Config, SecretsFile, Settings } from '../../cli/settings-files-schema.ts'
import { AppError } from '../../domain/errors.ts'
import { decodeText } from '../../domain/text/decode-text.ts'
import { type Advice, advice, sluice } from '../../domain/text/next-step.ts'
import { shellPath } from '../../domain/text/shell-quoting.ts'
import type { Directories } from './directories.ts'
import { desktopKeychain, type Keychain } from './keychain.ts'
import { keystorePasswords, profileSecrets } from './saved-secrets.ts'

/** Maximum wait for another process that changes the settings, in ms. */
const patienceMs = 10_000

/**
 * The settings of `config.json`, and the secrets of profiles in `secrets.json` beside it. A missing
 * file is empty; an invalid one is CONFIG_INVALID; secrets that others can read are KEY_SOURCE.
 */
export function fileSettings({ config }: Directories, keychain: Keychain = desktopKeychain()): Settings {
  const path = join(config, 'config.json')
  const secretsPath = join(config, 'secrets.json')
  const readSecrets = async () => {
    const { readPrivateFile } = await import('../../signing/read-private-file.ts')
    // Check the permissions before using the content.
    return parsed(
      secretsPath,
      textOf(secretsPath) && readPrivateFile(secretsPath, 1 << 18),
      async () => (await import('../../cli/settings-files-schema.ts')).SecretsFile,
      advice`It may be from another version of sluice. Move it away, mv ${shellPath(secretsPath)} ${shellPath(`${secretsPath}.old`)}, and set the secrets again: ${sluice('profile set', 'NAME', { '--api-key-file': '-' })}`,
    )
  }
  const read = async () =>
    parsed(path, textOf(path), async () => (await import('../../cli/settings-files-schema.ts')).Config)
  return {
    path,
    read,
    write: async (settings) => write(path, settings),
    alone: async (work) => {
      const { acquireLock } = await import('../../store/file-lock.ts')
      const lock = await acquireLock(join(config, 'settings.lock'), patienceMs)
      if (!lock)
        throw new AppError('STATE_UNUSABLE', `Another process has been changing ${path} for too long`, {
          next: 'Run the same command again when it has finished.',
        })
      try {
        return await work()
      } finally {
        lock.release()
      }
    },
    ...profileSecrets({ read: readSecrets, write: (all) => write(secretsPath, all) }, keychain),
    ...keystorePasswords({ read, write: (settings) => write(path, settings) }, keychain),
  }
}

function textOf(path: string): string | undefined {
  try {
    const { text, fault } = decodeText(readFileSync(path))
    if (text !== undefined) return text
    throw new AppError('CONFIG_INVALID', `${path} cannot be used: ${fault}`, {
      next: `Save it as UTF-8, or move it away: mv ${shellPath(path)} ${shellPath(`${path}.old`)}`,
    })
  } catch (cause) {
    if (cause instanceof AppError) throw cause
    if (/^ENO(ENT|TDIR)$/.test((cause as NodeJS.ErrnoException).code ?? '')) return undefined
    throw new AppError('CONFIG_INVALID', `Cannot read ${path}`, {
      cause,
      next: `chmod 600 ${shellPath(path)}`,
    })
  }
}

async function parsed<shape extends z.ZodType<object>>(
  path: string,
  text: string | undefined,
  shapeOf: () => Promise<shape>,
  next: Advice = `Fix the file, or move it away: mv ${shellPath(path)} ${shellPath(`${path}.old`)}`,
): Promise<z.output<shape>> {
  if (text === undefined) return {} as z.output<shape>
  // Most command lines find no file, so the schema is loaded only here.
  const [shape, { misfitOf }] = await Promise.all([shapeOf(), import('../../cli/settings-files-schema.ts')])
  try {
    return shape.parse(JSON.parse(text))
  } catch (cause) {
    throw new AppError('CONFIG_INVALID', `${path} is invalid: ${misfitOf(cause) ?? 'not JSON'}`, {
      cause,
      next,
    })
  }
}

async function write(path: string, content: Config | SecretsFile): Promise<void> {
  // Only few commands write settings, so the store is loaded only here.
  const [{ privateDirectory }, { moveFile }] = await Promise.all([
    import('../../store/private-directory.ts'),
    import('../../store/durable-files.ts'),
  ])
  privateDirectory(dirname(path))
  const next = `${path}.${process.pid}.new`
  try {
    writeFileSync(next, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 })
    // An existing file keeps its mode when it is overwritten.
    chmodSync(next, 0o600)
    moveFile(next, path)
  } catch (cause) {
    throw new AppError('STATE_UNUSABLE', `Cannot write ${path}`, { cause })
  }
}
