import { pbkdf2, randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
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
import { promisify } from 'node:util'
import { decrypt, encrypt, type Keystore } from 'ox/Keystore'
import { getAddress } from 'viem/utils'
import { z } from 'zod'

import type { Address, Hex } from '../domain/address.ts'
import { AppError } from '../domain/errors.ts'
import { storeFault } from '../store/faults.ts'
import { privateDirectory } from '../store/sqlite.ts'
import { readPrivateFile } from './key-source.ts'
import { parseKey, signerOf } from './signer.ts'

/** A key in the keystore. `address` is `null` where the file does not say it, as with files of cast. */
export type StoredKey = { name: string; address: Address | null }

const hexText = (bytes?: number) =>
  z.string().regex(bytes === undefined ? /^([0-9a-fA-F]{2})+$/ : new RegExp(`^[0-9a-fA-F]{${bytes * 2}}$`))
const whole = (most: number) => z.number().int().min(1).max(most)

/** Version 3 of the Web3 Secret Storage format, as geth, cast and others write it. The limits keep a hostile file from eating the machine. */
const KeystoreFile = z.object({
  version: z.literal(3),
  id: z.string().default(''),
  address: z
    .string()
    .regex(/^(0x)?[0-9a-fA-F]{40}$/)
    .optional(),
  crypto: z
    .object({
      cipher: z.literal('aes-128-ctr'),
      ciphertext: hexText(32),
      cipherparams: z.object({ iv: hexText(16) }),
      mac: hexText(32),
    })
    .and(
      z.union([
        z.object({
          kdf: z.literal('scrypt'),
          kdfparams: z.object({
            dklen: z.literal(32),
            n: whole(2 ** 20),
            r: whole(32),
            p: whole(16),
            salt: hexText(),
          }),
        }),
        z.object({
          kdf: z.literal('pbkdf2'),
          kdfparams: z.object({
            dklen: z.literal(32),
            c: whole(10_000_000),
            prf: z.literal('hmac-sha256'),
            salt: hexText(),
          }),
        }),
      ]),
    ),
})
type KeystoreFile = z.infer<typeof KeystoreFile>

const scryptAsync = promisify<
  string,
  Buffer,
  number,
  { N: number; r: number; p: number; maxmem: number },
  Buffer
>(scrypt)
const pbkdf2Async = promisify(pbkdf2)

/** Derives by the system's own scrypt, because ox fixes r and p to values that no other wallet writes. */
async function derive({ crypto }: KeystoreFile, password: string): Promise<Hex> {
  const salt = Buffer.from(crypto.kdfparams.salt, 'hex')
  if (crypto.kdf === 'pbkdf2') {
    const key = await pbkdf2Async(password, salt, crypto.kdfparams.c, 32, 'sha256')
    return `0x${key.toString('hex')}`
  }
  const { n, r, p } = crypto.kdfparams
  const key = await scryptAsync(password, salt, 32, {
    N: n,
    r,
    p,
    maxmem: 256 * n * r + 128 * r * p + 2 ** 20,
  })
  return `0x${key.toString('hex')}`
}

/** Seals a key under a password, in the format that geth, cast and others open. */
export async function sealKey(key: Hex, password: string): Promise<string> {
  const kdfparams = { dklen: 32 as const, n: 262_144, r: 8, p: 1, salt: randomBytes(32).toString('hex') }
  const derived = await scryptAsync(password, Buffer.from(kdfparams.salt, 'hex'), 32, {
    N: kdfparams.n,
    r: kdfparams.r,
    p: kdfparams.p,
    maxmem: 256 * kdfparams.n * kdfparams.r,
  })
  const sealed = encrypt(key, `0x${derived.toString('hex')}`, {
    kdf: 'scrypt',
    kdfparams: kdfparams as never,
    iv: randomBytes(16),
  })
  return `${JSON.stringify({ address: signerOf(key).address.slice(2).toLowerCase(), ...sealed }, undefined, 2)}\n`
}

function parseKeystore(text: string, name: string): KeystoreFile {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (cause) {
    throw new AppError('KEY_SOURCE', `${name} is not a keystore: it is not JSON`, { cause })
  }
  const file = KeystoreFile.safeParse(json)
  if (file.success) return file.data
  throw new AppError('KEY_SOURCE', `${name} is not a keystore of version 3 that can be opened here`, {
    cause: file.error,
  })
}

/** Opens a keystore file's text. A wrong password is WRONG_PASSWORD; a file that is no keystore is KEY_SOURCE. */
export async function openKeystore(text: string, password: string, name = 'This file'): Promise<Hex> {
  const file = parseKeystore(text, name)
  const derived = await derive(file, password)
  let key: string
  try {
    key = decrypt(file as Keystore, derived)
  } catch (cause) {
    throw new AppError('WRONG_PASSWORD', `The password does not open ${name}`, { cause })
  }
  const parsed = parseKey(key)
  if (file.address === undefined) return parsed
  const said = Buffer.from(file.address.replace(/^0x/, ''), 'hex')
  if (timingSafeEqual(said, Buffer.from(signerOf(parsed).address.slice(2), 'hex'))) return parsed
  throw new AppError('KEY_SOURCE', `${name} names another address than that of the key inside it`)
}

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
