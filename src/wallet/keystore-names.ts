import { existsSync, readdirSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { getAddress } from 'viem/utils'

import type { Address } from '../domain/address.ts'
import { AppError } from '../domain/errors.ts'
import { storeFault } from '../store/faults.ts'
import { readPrivateFile } from './key-source.ts'
import { parseKeystore } from './keystore-parse.ts'

/** A key in the keystore. `address` is `null` where the file does not say it, as with files of cast. */
export type StoredKey = { name: string; address: Address | null }

/** The file of a key; a name that cannot be one is USAGE. */
export const fileOf = (directory: string, name: string): string => {
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

/** A key's file as it is, sealed: what can be carried to another wallet. */
export function exportKey(directory: string, name: string): string {
  const path = fileOf(directory, name)
  if (!existsSync(path)) throw missing(name)
  return readPrivateFile(path, 65_536)
}

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
