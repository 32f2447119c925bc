import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { encrypt, scrypt } from 'ox/Keystore'
import type { Hex } from '../../../src/domain/address.ts'
import { privateKeySigner } from '../../../src/signing/keystore/private-key-signer.ts'

/** A keystore that decrypts quickly; other tests check the cost of our own keystores. */
export function sealed(key: Hex, password: string): string {
  const [derived, options] = scrypt({ password, n: 2 })
  return JSON.stringify({
    ...encrypt(key, derived, options),
    address: privateKeySigner(key).address.slice(2),
  })
}

/** Writes this keystore to the keystore path of the program. */
export function keepSealed(keystores: string, name: string, key: Hex, password: string): void {
  mkdirSync(keystores, { recursive: true, mode: 0o700 })
  writeFileSync(join(keystores, `${name}.json`), sealed(key, password), { mode: 0o600 })
}
