import { accessSync, constants, existsSync, readdirSync, unlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { getAddress } from 'viem/utils'
import type { Address } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { didYouMean } from '../../domain/text/did-you-mean.ts'
import { advice, sluice } from '../../domain/text/next-step.ts'
import { listFileCommand } from '../../domain/text/shell-quoting.ts'
import { readTextFile } from '../../store/read-text-file.ts'
import { storeFault } from '../../store/sql/sqlite.ts'
import { readPrivateFile } from '../read-private-file.ts'
import { parseKeystore } from './keystore-format.ts'

/** A key in the keystore. `address` is `null` if the file does not name it, as files of cast do. */
export type StoredKey = { name: string; address: Address | null }

/** The largest keystore file, in bytes. */
const maxKeystoreBytes = 65_536

/** Whether a name is valid for a key. `__proto__` is not. */
export const isKeyName = (name: string): boolean =>
  name !== '__proto__' && /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}$/.test(name)

/** The file path of a key; USAGE for an invalid name. */
export const keyFilePath = (directory: string, name: string): string => {
  if (!isKeyName(name))
    throw new AppError(
      'USAGE',
      `"${name}" cannot be the name of a key: up to 64 letters, digits, ".", "_" and "-"`,
      {
        next: /[/\\]|^UTC--/.test(name)
          ? advice`This is a path. To import its keystore under a name: ${sluice('wallet import', 'NAME', { '--keystore': 'PATH' })}`
          : sluice('wallet list'),
      },
    )
  return join(directory, `${name}.json`)
}

const missingKeyError = (directory: string, name: string): AppError => {
  const names = listKeys(directory).map((key) => key.name)
  return new AppError('KEY_SOURCE', `There is no wallet "${name}"${didYouMean(name, names)}`, {
    next:
      names.length > 0
        ? `Known: ${names.join(', ')}`
        : advice`No keystore exists on this machine. To create one: ${sluice('wallet new', 'NAME')}`,
  })
}

/** The keys in the directory, by name; STATE_UNUSABLE if it cannot be read. */
export function listKeys(directory: string): StoredKey[] {
  if (!existsSync(directory)) return []
  return filesIn(directory)
    .filter((file) => file.endsWith('.json') && !file.startsWith('.'))
    .sort()
    .map((file) => ({ name: file.slice(0, -5), address: addressIn(join(directory, file)) }))
}

function filesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch (error) {
    throw storeFault(error, directory)
  }
}

/** Refuses a directory in which no key can be stored, before a password is asked: STATE_UNUSABLE. */
export function refuseUnwritableDirectory(directory: string): void {
  let there = directory
  while (!existsSync(there)) there = dirname(there)
  try {
    // The trailing dot makes sure that it is a directory.
    accessSync(`${there}/.`, constants.W_OK | constants.X_OK)
  } catch (error) {
    throw storeFault(error, directory)
  }
}

function addressIn(path: string): Address | null {
  try {
    return storedAddress(readPrivateFile(path, maxKeystoreBytes), path)
  } catch (error) {
    if (error instanceof AppError) return null // A file that cannot be opened is listed by its name alone.
    throw error
  }
}

/** The address that a keystore file names; `null` if it names none. */
export function storedAddress(text: string, name: string): Address | null {
  const { address } = parseKeystore(text, name)
  return address === undefined ? null : getAddress(`0x${address}`)
}

/** The text of a keystore at any path, or in standard input for `-`: it is encrypted, so others may be able to read it. */
export async function readKeystoreText(path: string, stdin: () => Promise<string>): Promise<string> {
  if (path === '-') return stdin()
  let why: string
  try {
    const { text, fault } = readTextFile(path, maxKeystoreBytes)
    if (text !== undefined) return text
    why = fault
  } catch (error) {
    why = (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'it does not exist' : 'permission denied'
  }
  throw new AppError('KEY_SOURCE', `${path} cannot be read: ${why}`, { next: listFileCommand(path) })
}

/** The encrypted file of a key, to be imported by another wallet. */
export function exportKey(directory: string, name: string): string {
  const path = keyFilePath(directory, name)
  if (!existsSync(path)) throw missingKeyError(directory, name)
  return readPrivateFile(path, maxKeystoreBytes)
}

/** Removes a key permanently. */
export function removeKey(directory: string, name: string): void {
  const path = keyFilePath(directory, name)
  if (!existsSync(path)) throw missingKeyError(directory, name)
  try {
    unlinkSync(path)
  } catch (error) {
    throw storeFault(error, path)
  }
}
