import { randomBytes } from 'node:crypto'
import type { Hex } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { advice, sluice } from '../../domain/text/next-step.ts'

/** The order of the curve secp256k1 (SEC 2): a private key is from 1 to this, exclusive. */
const curveOrder = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/**
 * Parses a private key: 64 hex digits, with or without `0x`. KEY_SOURCE otherwise, which names the source and never repeats the input.
 */
export function parsePrivateKey(text: string, source: string): Hex {
  const [, digits] = /^(?:0x)?([0-9a-fA-F]{64})$/.exec(text.trim()) ?? []
  if (digits === undefined) {
    const words = text.trim().split(/\s+/)
    throw words.length >= 12 && words.every((word) => /^\p{L}+$/u.test(word))
      ? new AppError('KEY_SOURCE', `${source} is a recovery phrase (mnemonic), not a private key`, {
          next: advice`Export the private key of one account from the wallet of the phrase, then: ${sluice('wallet import', 'NAME', { '--key-file': '-' })}`,
        })
      : new AppError('KEY_SOURCE', `${source} is not a private key, which is 32 bytes in hex`)
  }
  const number = BigInt(`0x${digits}`)
  if (number === 0n || number >= curveOrder)
    throw new AppError('KEY_SOURCE', `${source} is outside the range of private keys`)
  return `0x${digits.toLowerCase()}`
}

/** A new private key from the system's randomness. */
export function generatePrivateKey(): Hex {
  for (;;) {
    const key: Hex = `0x${randomBytes(32).toString('hex')}`
    const number = BigInt(key)
    if (number > 0n && number < curveOrder) return key
  }
}
