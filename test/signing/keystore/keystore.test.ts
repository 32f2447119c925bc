import { execFileSync } from 'node:child_process'
import { createCipheriv, pbkdf2Sync } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { keccak256 } from 'viem/utils'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { exportKey, listKeys, removeKey } from '../../../src/signing/keystore/directory.ts'
import { openKey, saveKey } from '../../../src/signing/keystore/encrypted-key-file.ts'
import { openKeystore } from '../../../src/signing/keystore/encryption.ts'
import { generatePrivateKey, parsePrivateKey } from '../../../src/signing/keystore/private-key.ts'
import { privateKeySigner } from '../../../src/signing/keystore/private-key-signer.ts'
import { readKeyFile } from '../../../src/signing/read-private-file.ts'
import { testKey } from '../../support/anvil.ts'
import { castPath } from '../../support/keys/cast-path.ts'
import { keepSealed } from '../../support/keys/cheap-keystore.ts'
import { newHome, removeHome } from '../../support/payments/payment-operation.ts'

let home: string
let keys: string
beforeEach(() => {
  home = newHome()
  keys = join(home, 'keystore')
})
afterEach(() => removeHome(home))

const cast = castPath()

describe('the keystore', () => {
  // Sealing and opening a key takes seconds by design, so these tests do it rarely.
  it('writes a private scrypt file that sluice and cast open, and refuses excessive scrypt costs', async () => {
    const password = 'pass word ü'
    expect(await saveKey(keys, 'mine', testKey, password)).toEqual({
      name: 'mine',
      address: privateKeySigner(testKey).address,
    })
    expect(statSync(join(keys, 'mine.json')).mode & 0o777).toBe(0o600)
    expect(statSync(keys).mode & 0o777).toBe(0o700)
    expect(readdirSync(keys)).toEqual(['mine.json'])
    const text = readFileSync(join(keys, 'mine.json'), 'utf8')
    expect(text).not.toContain(testKey.slice(2))
    const file = JSON.parse(text) as { crypto: { kdf: string; kdfparams: { n: number } } }
    expect(file.crypto).toMatchObject({ kdf: 'scrypt', kdfparams: { n: 2 ** 18, r: 8, p: 1 } })
    expect(await openKey(keys, 'mine', password)).toBe(testKey)
    if (cast) {
      const unlock = ['--unsafe-password', password, '--keystore-dir', keys]
      const said = execFileSync(cast, ['wallet', 'decrypt-keystore', 'mine.json', ...unlock], {
        encoding: 'utf8',
      })
      expect(said.toLowerCase()).toContain(testKey.slice(2))
    }
    // Costs that would use up all memory are refused.
    file.crypto.kdfparams.n = 2 ** 30
    await expect(openKeystore(JSON.stringify(file), password)).rejects.toMatchObject({ code: 'KEY_SOURCE' })
  })

  it('opens a key with its password only', async () => {
    keepSealed(keys, 'mine', testKey, 'pass word ü')
    expect(await openKey(keys, 'mine', 'pass word ü')).toBe(testKey)
    await expect(openKey(keys, 'mine', 'other')).rejects.toMatchObject({ code: 'WRONG_PASSWORD' })
  })

  it('does not overwrite a key', async () => {
    keepSealed(keys, 'mine', testKey, 'x')
    await expect(saveKey(keys, 'mine', generatePrivateKey(), 'x')).rejects.toMatchObject({
      code: 'KEY_SOURCE',
    })
    expect(await openKey(keys, 'mine', 'x')).toBe(testKey)
  })

  it('lists names with addresses, exports encrypted files and removes keys', async () => {
    keepSealed(keys, 'b', testKey, 'x')
    keepSealed(keys, 'a', generatePrivateKey(), 'x')
    expect(listKeys(keys).map(({ name }) => name)).toEqual(['a', 'b'])
    expect(listKeys(keys)[1]!.address).toBe(privateKeySigner(testKey).address)
    expect(await openKeystore(exportKey(keys, 'b'), 'x')).toBe(testKey)
    removeKey(keys, 'a')
    expect(existsSync(join(keys, 'a.json'))).toBe(false)
    expect(() => removeKey(keys, 'a')).toThrow(expect.objectContaining({ code: 'KEY_SOURCE' }))
  })

  it.each(['../up', 'a/b', '', '.hidden', 'x'.repeat(65), 'a b', 'ä'])(
    'refuses the name %j',
    async (name) => {
      await expect(saveKey(keys, name, testKey, 'x')).rejects.toMatchObject({ code: 'USAGE' })
    },
  )

  it('opens a pbkdf2 file, and refuses one that names another address', async () => {
    const [salt, iv] = [Buffer.alloc(32, 7), Buffer.alloc(16, 9)]
    const derived = pbkdf2Sync('pw', salt, 10_240, 32, 'sha256')
    const cipher = createCipheriv('aes-128-ctr', derived.subarray(0, 16), iv)
    const ciphertext = Buffer.concat([cipher.update(Buffer.from(testKey.slice(2), 'hex')), cipher.final()])
    const mac = keccak256(Buffer.concat([derived.subarray(16, 32), ciphertext])).slice(2)
    const file = {
      address: privateKeySigner(testKey).address.slice(2).toLowerCase(),
      crypto: {
        cipher: 'aes-128-ctr',
        ciphertext: ciphertext.toString('hex'),
        cipherparams: { iv: iv.toString('hex') },
        kdf: 'pbkdf2',
        kdfparams: { c: 10_240, dklen: 32, prf: 'hmac-sha256', salt: salt.toString('hex') },
        mac,
      },
      id: '00000000-0000-4000-8000-000000000000',
      version: 3,
    }
    expect(await openKeystore(JSON.stringify(file), 'pw')).toBe(testKey)
    const other = { ...file, address: '00'.repeat(20) }
    await expect(openKeystore(JSON.stringify(other), 'pw')).rejects.toMatchObject({ code: 'KEY_SOURCE' })
  })

  it.skipIf(!cast)('opens a keystore of cast', async () => {
    const unlock = ['--unsafe-password', 'pw', '--keystore-dir', keys]
    execFileSync(cast!, ['wallet', 'import', 'theirs', '--private-key', testKey, ...unlock])
    const theirs = readFileSync(join(keys, 'theirs'), 'utf8')
    expect(await openKeystore(theirs, 'pw')).toBe(testKey)
  })

  it.each(['', 'null', '{}', '{"version":3}', 'not json', '[]'])('refuses %j as a keystore', async (text) => {
    await expect(openKeystore(text, 'x')).rejects.toMatchObject({ code: 'KEY_SOURCE' })
  })
})

describe('a key file', () => {
  const write = (text: string, mode = 0o600): string => {
    const path = join(home, 'key')
    writeFileSync(path, text)
    chmodSync(path, mode)
    return path
  }

  it.each([testKey, testKey.slice(2), `${testKey}\n`, testKey.toUpperCase().replace('0X', '0x')])(
    'may contain %j',
    (text) => {
      expect(readKeyFile(write(text))).toBe(testKey)
    },
  )

  it.each([0o644, 0o640, 0o660, 0o604])('with mode %o is refused with the hint to use chmod 600', (mode) => {
    const hint = `Make it readable only by you: chmod 600 ${join(home, 'key')}`
    expect(() => readKeyFile(write(testKey, mode))).toThrow(
      expect.objectContaining({ code: 'KEY_SOURCE', hint }),
    )
  })

  it('that is missing, a device, a directory or a link is refused without a chmod hint', () => {
    const refused = expect.objectContaining({ code: 'KEY_SOURCE', hint: expect.not.stringMatching(/chmod/) })
    expect(() => readKeyFile('/dev/null')).toThrow(refused)
    expect(() => readKeyFile(join(home, 'none'))).toThrow(refused)
    expect(() => readKeyFile(home)).toThrow(refused)
    symlinkSync('/etc/hostname', join(home, 'link'))
    expect(() => readKeyFile(join(home, 'link'))).toThrow(expect.objectContaining({ code: 'KEY_SOURCE' }))
  })

  it.each([
    `0x${'00'.repeat(32)}`,
    '0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141',
    `0x${'ff'.repeat(32)}`,
    `0x${'11'.repeat(31)}`,
    `0x${'11'.repeat(33)}`,
    '',
    'hello',
  ])('with the content %j is refused, and the content is not repeated', (text) => {
    const parsing = () => parsePrivateKey(text, 'key.txt')
    expect(parsing).toThrow(expect.objectContaining({ code: 'KEY_SOURCE' }))
    if (text !== '') expect(parsing).not.toThrow(text)
  })
})
