import { pbkdf2, randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { decrypt, encrypt, type Keystore } from 'ox/Keystore'
import { z } from 'zod'

import type { Hex } from '../domain/address.ts'
import { AppError } from '../domain/errors.ts'
import { parseKey, signerOf } from './signer.ts'

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

/** Reads the text of a keystore file; what cannot be opened here is KEY_SOURCE. */
export function parseKeystore(text: string, name: string): KeystoreFile {
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
