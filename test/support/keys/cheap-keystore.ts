import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { encrypt, scrypt } from 'ox/Keystore'
import type { Hex } from '../../../src/domain/address.ts'
import { privateKeySigner } from '../../../src/signing/keystore/private-key-signer.ts'

/** The text of a keystore that opens in no time; what it costs to open one of ours is proved where one is made. */
export function sealed(key: Hex, password: string): string {
  const [derived, options] = scrypt({ password, n: 2 })
  return JSON.stringify({
    ...encrypt(key, derived, options),
    address: privateKeySigner(key).address.slice(2),
  })
}

/** Puts such a keystore where the program keeps its own. */
export function keepSealed(keystores: string, name: string, key: Hex, password: string): void {
  mkdirSync(keystores, { recursive: true, mode: 0o700 })
  writeFileSync(join(keystores, `${name}.json`), sealed(key, password), { mode: 0o600 })
}
