import { execFileSync } from 'node:child_process'
import { createCipheriv, scryptSync } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { privateKeyToAddress } from 'viem/accounts'
import { keccak256 } from 'viem/utils'
import { describe, expect, test } from 'vitest'
import type { Hex } from '../../../src/domain/address.ts'
import { sandboxAddress, sandboxKey } from '../../../src/sandbox/accounts.ts'
import { openKeystore } from '../../../src/signing/keystore/encryption.ts'
import { castPath } from '../../support/keys/cast-path.ts'
import { useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run, home } = useCommands(sandbox)

/** The test vectors of the Web3 Secret Storage Definition (ethereum.org) and of go-ethereum (accounts/keystore/testdata). */
const published = JSON.parse(
  readFileSync(join(import.meta.dirname, 'keystore-vectors.json'), 'utf8'),
) as Record<string, { json: Record<string, never>; password: string; priv?: string; address?: string }>

const [key, address] = [sandboxKey(2), sandboxAddress(2)]

/** A keystore as another wallet would create it, built without the code under test. */
function made({ n, r, p }: { n: number; r: number; p: number }, secret: Hex = key) {
  const [salt, iv] = [Buffer.alloc(32, 7), Buffer.alloc(16, 9)]
  const derived = scryptSync('pw', salt, 32, { N: n, r, p, maxmem: 2 ** 30 })
  const cipher = createCipheriv('aes-128-ctr', derived.subarray(0, 16), iv)
  const ciphertext = Buffer.concat([cipher.update(Buffer.from(secret.slice(2), 'hex')), cipher.final()])
  return {
    address: privateKeyToAddress(secret).slice(2).toLowerCase(),
    crypto: {
      cipher: 'aes-128-ctr',
      ciphertext: ciphertext.toString('hex'),
      cipherparams: { iv: iv.toString('hex') },
      kdf: 'scrypt',
      kdfparams: { dklen: 32, n, r, p, salt: salt.toString('hex') },
      mac: keccak256(Buffer.concat([derived.subarray(16, 32), ciphertext])).slice(2),
    },
    id: '00000000-0000-4000-8000-000000000000',
    version: 3,
  }
}
const light = made({ n: 4096, r: 8, p: 6 })
const open = (file: unknown, password = 'pw') => openKeystore(JSON.stringify(file), password)

const cast = castPath()

describe('keystores of other programs', () => {
  test.each(Object.entries(published))(
    'open as published: %s',
    async (_, { json, password, priv, address: whose }) => {
      const opened = await open(json, password)
      if (priv !== undefined) expect(opened).toBe(`0x${priv.padStart(64, '0')}`)
      if (whose !== undefined) expect(privateKeyToAddress(opened).toLowerCase()).toBe(`0x${whose}`)
      // The vectors of the definition take seconds each, so they are opened only once.
      if (priv === undefined)
        await expect(open(json, `${password}!`)).rejects.toMatchObject({ code: 'WRONG_PASSWORD' })
    },
  )

  test('open with light scrypt costs, upper-case hex, 0x prefixes, "Crypto" or no address', async () => {
    const upper = JSON.parse(JSON.stringify(light).replace(/"([0-9a-f]{20,})"/g, (hex) => hex.toUpperCase()))
    const { crypto, address: whose, ...rest } = light
    const prefixed = { ...light, address: `0x${whose}`, crypto: { ...crypto, mac: `0x${crypto.mac}` } }
    for (const file of [
      light,
      upper,
      prefixed,
      { ...rest, address: whose, Crypto: crypto },
      { ...rest, crypto },
    ])
      expect(await open(file)).toBe(key)
    expect(await open(made({ n: 2, r: 8, p: 1 }, `0x${'00'.repeat(31)}07`))).toBe(`0x${'00'.repeat(31)}07`)
  })

  test.skipIf(cast === undefined)(
    'from cast and geth can be imported, and sign in place with --wallet PATH',
    async () => {
      const dir = join(home(), 'theirs')
      mkdirSync(dir)
      execFileSync(cast!, ['wallet', 'new', dir, '--unsafe-password', 'pw'])
      const [name] = readdirSync(dir)
      writeFileSync(join(home(), 'pw'), 'pw\n', { mode: 0o600 })
      const path = join(dir, name!)
      const imported = await run(
        `wallet import theirs --keystore ${path} --password-file ${join(home(), 'pw')} --json`,
      )
      const said = execFileSync(cast!, ['wallet', 'address', '--keystore', path, '--password', 'pw'], {
        encoding: 'utf8',
      })
      expect(imported.json.address).toBe(said.trim())
      // A geth keystore with its usual file name and address.
      const geth = join(dir, `UTC--2024-01-31T12-00-00.000000000Z--${light.address}`)
      writeFileSync(geth, JSON.stringify(light))
      const pay = `transfer --network sandbox-one --token USDC --to ${sandbox.user.address} --amount 1 --yes --quiet --json --wallet ${geth}`
      expect((await run(pay, { secrets: { password: 'pw' } })).json).toMatchObject({
        status: 'SUCCESS',
        originAddress: address,
      })
      expect((await run(pay, { secrets: { password: 'no' } })).json.error).toMatchObject({
        code: 'WRONG_PASSWORD',
      })
      expect((await run(`wallet import ${geth} --json`)).json.error.hint).toContain(
        'sluice wallet import NAME --keystore PATH',
      )
    },
  )
})

describe('a keystore that cannot be opened', () => {
  const withParams = (more: object) => ({
    ...light,
    crypto: { ...light.crypto, kdfparams: { ...light.crypto.kdfparams, ...more } },
  })
  test.each<[string, unknown, RegExp]>([
    ['excessive memory by n', withParams({ n: 2 ** 40 }), /more memory or time/],
    ['excessive memory by the block size', withParams({ r: 2 ** 24 }), /more memory or time/],
    ['excessive work', withParams({ n: 2 ** 18, p: 256 }), /more memory or time/],
    ['a cost that is no power of two', withParams({ n: 4095 }), /power of two/],
    ['a cost that is a text', withParams({ n: '4096' }), /crypto\.kdfparams\.n/],
    [
      'excessive pbkdf2 iterations',
      {
        ...light,
        crypto: {
          ...light.crypto,
          kdf: 'pbkdf2',
          kdfparams: { dklen: 32, c: 2 ** 40, prf: 'hmac-sha256', salt: '00' },
        },
      },
      /more time/,
    ],
    ['an unknown key derivation', { ...light, crypto: { ...light.crypto, kdf: 'argon2' } }, /crypto\.kdf/],
    ['an old version', { ...light, version: 1 }, /only version 3/],
    ['both crypto and Crypto', { ...light, Crypto: light.crypto }, /not JSON/],
    ['an invalid MAC', { ...light, crypto: { ...light.crypto, mac: 'xyz' } }, /crypto\.mac: is not 32 bytes/],
    ['the address of another key', { ...light, address: '11'.repeat(20) }, /does not match its key/],
    ['a truncated file', JSON.stringify(light).slice(0, 200), /is cut off/],
    ['an empty file', '', /not JSON/],
  ])('exits with 13, the reason and little memory used: %s', async (_, file, says) => {
    const path = join(home(), 'file')
    writeFileSync(path, typeof file === 'string' ? file : JSON.stringify(file))
    const before = process.memoryUsage().rss
    const refused = await run(`wallet import theirs --keystore ${path} --json`, {
      secrets: { password: 'pw' },
    })
    expect({ exit: refused.exit, code: refused.json.error.code }).toEqual({ exit: 13, code: 'KEY_SOURCE' })
    expect(refused.json.error.message).toMatch(says)
    expect(refused.json.error.hint).toMatch(/from its origin/)
    expect(process.memoryUsage().rss - before).toBeLessThan(2 ** 28)
  })

  test('is not imported with a wrong password or from a missing file', async () => {
    const path = join(home(), 'file')
    writeFileSync(path, JSON.stringify(light))
    const wrong = await run(`wallet import theirs --keystore ${path} --json`, { secrets: { password: 'no' } })
    expect({ exit: wrong.exit, code: wrong.json.error.code }).toEqual({ exit: 13, code: 'WRONG_PASSWORD' })
    const none = await run(`wallet import theirs --keystore ${path}.not --json`, {
      secrets: { password: 'pw' },
    })
    expect(none.json.error).toMatchObject({
      code: 'KEY_SOURCE',
      message: expect.stringContaining('does not exist'),
    })
    expect((await run('wallet list --json')).json.total).toBe(0)
  })
})
