import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { getAddress } from 'viem/utils'

import type { Address, Hex } from '../domain/address.ts'
import { AppError } from '../domain/errors.ts'
import { storeFault } from '../store/faults.ts'
import { privateDirectory } from '../store/sqlite.ts'
import { readPrivateFile } from './key-source.ts'
import { openKeystore, parseKeystore, sealKey } from './keystore-file.ts'
import { signerOf } from './signer.ts'

/** A key in the keystore. `address` is `null` where the file does not say it, as with files of cast. */
export type StoredKey = { name: string; address: Address | null }

const fileOf = (directory: string, name: string): string => {
  if (!/^[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}$/.test(name))
    throw new AppError(
      'USAGE',
      `"${name}" cannot be the name of a key: up to 64 letters, digits, ".", "_" and "-"`,
    )
  return join(directory, `${name}.json`)
}

const missing = (name: string): AppError => new AppError('KEY_SOURCE', `There is no key called "${name}"`)

/** The names in the keystore directory, in order. */
export function listKeys(directory: string): StoredKey[] {
  if (!existsSync(directory)) return []
  return readdirSync(directory)
    .filter((file) => file.endsWith('.json') && !file.startsWith('.'))
    .sort()
    .map((file) => ({ name: file.slice(0, -5), address: addressIn(join(directory, file)) }))
}

function addressIn(path: string): Address | null {
  try {
    const { address } = parseKeystore(readPrivateFile(path, 65_536), path)
    return address === undefined ? null : getAddress(`0x${address.replace(/^0x/, '').toLowerCase()}`)
  } catch (error) {
    if (error instanceof AppError) return null // A file that cannot be opened is listed by its name alone.
    throw error
  }
}

/** Seals a key into a new file of mode 0600, all of it or none; a name that is taken is refused. */
export async function saveKey(
  directory: string,
  name: string,
  key: Hex,
  password: string,
): Promise<StoredKey> {
  const path = fileOf(directory, name)
  const taken = () => new AppError('KEY_SOURCE', `There is a key called "${name}" already`)
  if (existsSync(path)) throw taken()
  const text = await sealKey(key, password)
  const draft = join(directory, `.${name}.${process.pid}.draft`)
  try {
    privateDirectory(directory)
    writeFileSync(draft, text, { mode: 0o600, flag: 'wx', flush: true })
    linkSync(draft, path)
    const handle = openSync(directory, 'r')
    fsyncSync(handle)
    closeSync(handle)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw taken()
    throw storeFault(error, path)
  } finally {
    rmSync(draft, { force: true })
  }
  return { name, address: signerOf(key).address }
}

/** A key's file as it is, sealed: what can be carried to another wallet. */
export function exportKey(directory: string, name: string): string {
  const path = fileOf(directory, name)
  if (!existsSync(path)) throw missing(name)
  return readPrivateFile(path, 65_536)
}

/** Opens a key of the keystore. */
export const openKey = (directory: string, name: string, password: string): Promise<Hex> =>
  openKeystore(exportKey(directory, name), password, `the key "${name}"`)

/** Removes a key for good. */
export function removeKey(directory: string, name: string): void {
  const path = fileOf(directory, name)
  if (!existsSync(path)) throw missing(name)
  try {
    unlinkSync(path)
  } catch (error) {
    throw storeFault(error, path)
  }
}
