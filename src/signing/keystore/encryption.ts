import { pbkdf2, randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { decrypt, encrypt, type Keystore, toKey } from 'ox/Keystore'
import type { Hex } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { type KeystoreFile, parseKeystore } from './keystore-format.ts'
import { parsePrivateKey } from './private-key.ts'
import { privateKeySigner } from './private-key-signer.ts'

const scryptAsync = promisify<
  string,
  Buffer,
  number,
  { N: number; r: number; p: number; maxmem: number },
  Buffer
>(scrypt)
const pbkdf2Async = promisify(pbkdf2)

/** Derives the key by the system's scrypt, which is much faster than one in JavaScript. */
async function derive(file: KeystoreFile, password: string): Promise<Hex> {
  const { crypto } = file
  const salt = Buffer.from(crypto.kdfparams.salt, 'hex')
  if (crypto.kdf === 'pbkdf2') {
    const key = await pbkdf2Async(password, salt, crypto.kdfparams.c, 32, 'sha256')
    return `0x${key.toString('hex')}`
  }
  const { n, r, p } = crypto.kdfparams
  // OpenSSL enforces the cost limit of RFC 7914; the format's own example and many files exceed it.
  if (n >= 2 ** (16 * r)) {
    const key = toKey(file as Keystore, { password })
    return typeof key === 'function' ? key() : key
  }
  const key = await scryptAsync(password, salt, 32, {
    N: n,
    r,
    p,
    maxmem: 256 * n * r + 128 * r * p + 2 ** 20,
  })
  return `0x${key.toString('hex')}`
}

/** Encrypts a key with a password, in the format of geth, cast and others. */
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
  return `${JSON.stringify({ address: privateKeySigner(key).address.slice(2).toLowerCase(), ...sealed }, undefined, 2)}\n`
}

/**
 * The key in a keystore. Other wallets normalise a password before they use it (ethers: NFKC), and a keyboard or file may compose letters in
 * another way than at the time of encryption, so the Unicode forms of the password are tried after its own bytes.
 */
async function decryptedKey(file: KeystoreFile, password: string, name: string): Promise<string> {
  let cause: unknown
  for (const form of new Set([password, ...['NFKC', 'NFC', 'NFD'].map((one) => password.normalize(one))])) {
    const derived = await derive(file, form)
    try {
      return decrypt(file as Keystore, derived)
    } catch (error) {
      cause = error
    }
  }
  throw new AppError('WRONG_PASSWORD', `Wrong password for ${name}`, { cause })
}

/** Decrypts the text of a keystore file. WRONG_PASSWORD, or KEY_SOURCE if it is not a keystore. */
export async function openKeystore(text: string, password: string, name = 'This file'): Promise<Hex> {
  const file = parseKeystore(text, name)
  const key = await decryptedKey(file, password, name)
  const parsed = parsePrivateKey(key.slice(2).padStart(64, '0'), `The key in ${name}`)
  if (file.address === undefined) return parsed
  const said = Buffer.from(file.address, 'hex')
  if (timingSafeEqual(said, Buffer.from(privateKeySigner(parsed).address.slice(2), 'hex'))) return parsed
  throw new AppError('KEY_SOURCE', `The address in ${name} does not match its key`, {
    next: 'The file was changed. Copy it again from its origin.',
  })
}
