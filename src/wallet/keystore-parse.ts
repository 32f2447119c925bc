import { z } from 'zod'

import { AppError } from '../domain/errors.ts'

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
/** A keystore file that can be opened here. */
export type KeystoreFile = z.infer<typeof KeystoreFile>

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
