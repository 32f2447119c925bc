import { z } from 'zod'
import { AppError } from '../../domain/errors.ts'
import { advice, sluice } from '../../domain/text/next-step.ts'

/** Hex in any case, with or without 0x; normalised to lower case without it. */
const hexText = (least: number, most: number) =>
  z
    .string()
    .regex(
      new RegExp(`^(0x)?([0-9a-fA-F]{2}){${least},${most}}$`),
      `is not ${least === most ? least : `${least} to ${most}`} bytes in hex`,
    )
    .transform((text) => text.replace(/^0x/, '').toLowerCase())
const whole = z.number().int().min(1)

/** The memory in bytes and the work that opening a file may take: four and sixteen times what geth and cast use. */
const mostMemory = 2 ** 30
const mostWork = 2 ** 25

const scryptParams = z
  .object({ dklen: z.literal(32), n: whole, r: whole, p: whole, salt: hexText(1, 1024) })
  .refine(
    ({ n }) => n > 1 && Number.isSafeInteger(n) && (BigInt(n) & BigInt(n - 1)) === 0n,
    'n is no power of two',
  )
  .refine(
    ({ n, r, p }) => 128 * n * r <= mostMemory && 128 * r * p <= mostMemory && n * r * p <= mostWork,
    'opening it would need more memory or time than any wallet uses',
  )
const pbkdf2Params = z.object({
  dklen: z.literal(32),
  c: whole.max(10_000_000, 'opening it would need more time than any wallet uses'),
  prf: z.literal('hmac-sha256'),
  salt: hexText(1, 1024),
})

/**
 * Version 3 of the Web3 Secret Storage format, as geth, cast and others write it. The limits protect the machine from a hostile
 * file.
 */
const KeystoreFile = z.object({
  version: z.literal(3, 'only version 3 can be opened'),
  id: z.string().default(''),
  address: hexText(20, 20).optional(),
  crypto: z
    .object({
      cipher: z.literal('aes-128-ctr'),
      // Some programs omit leading zeros of a key.
      ciphertext: hexText(1, 32),
      cipherparams: z.object({ iv: hexText(16, 16) }),
      mac: hexText(32, 32),
    })
    .and(
      z.discriminatedUnion('kdf', [
        z.object({ kdf: z.literal('scrypt'), kdfparams: scryptParams }),
        z.object({ kdf: z.literal('pbkdf2'), kdfparams: pbkdf2Params }),
      ]),
    ),
})
/** A keystore file that can be opened here. */
export type KeystoreFile = z.infer<typeof KeystoreFile>

/** Parses the text of a keystore file; KEY_SOURCE with the reason if it cannot be opened here. */
export function parseKeystore(text: string, name: string): KeystoreFile {
  let json: unknown
  try {
    json = JSON.parse(text, lowerCased)
  } catch (cause) {
    throw refused(name, 'it is not JSON, or is cut off', cause)
  }
  const file = KeystoreFile.safeParse(json)
  if (file.success) return file.data
  const [issue] = file.error.issues
  const at = issue?.path.join('.') ?? ''
  throw refused(name, `${at === '' ? '' : `${at}: `}${issue?.message ?? 'it has another format'}`, file.error)
}

/**
 * Lower-cases names: old geth wrote `Crypto`, and geth ignores case. Two names that differ only in case are ambiguous and refused.
 */
function lowerCased(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const entries = Object.entries(value).map(([name, inner]) => [name.toLowerCase(), inner] as const)
  if (new Set(entries.map(([name]) => name)).size < entries.length)
    throw new SyntaxError('it contains a name twice')
  return Object.fromEntries(entries)
}

const refused = (name: string, why: string, cause: unknown): AppError =>
  new AppError('KEY_SOURCE', `${name} is not a supported keystore: ${why}`, {
    cause,
    next: advice`Copy the file again from its origin, complete and unchanged. To import a raw key: ${sluice('wallet import', 'NAME', { '--key-file': 'PATH' })}`,
  })
