import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Hex } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { addDurable } from '../../store/durable-files.ts'
import { privateDirectory } from '../../store/private-directory.ts'
import { storeFault } from '../../store/sql/sqlite.ts'
import { exportKey, keyFilePath, type StoredKey } from './directory.ts'
import { openKeystore, sealKey } from './encryption.ts'
import { privateKeySigner } from './private-key-signer.ts'

/** Encrypts a key into a new file of mode 0600, atomically; an existing name is refused. */
export async function saveKey(
  directory: string,
  name: string,
  key: Hex,
  password: string,
): Promise<StoredKey> {
  const path = keyFilePath(directory, name)
  const taken = () => new AppError('KEY_SOURCE', `A key named "${name}" already exists`)
  if (existsSync(path)) throw taken()
  const text = await sealKey(key, password)
  const draft = join(directory, `.${name}.${process.pid}.draft`)
  try {
    privateDirectory(directory)
    writeFileSync(draft, text, { mode: 0o600, flag: 'wx', flush: true })
    addDurable(draft, path)
  } catch (error) {
    rmSync(draft, { force: true })
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw taken()
    throw storeFault(error, path)
  }
  return { name, address: privateKeySigner(key).address }
}

/** Decrypts a key of the keystore. */
export const openKey = (directory: string, name: string, password: string): Promise<Hex> =>
  openKeystore(exportKey(directory, name), password, `the key "${name}"`)
