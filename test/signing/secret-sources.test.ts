import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, test } from 'vitest'
import { openKeystore } from '../../src/signing/keystore/encryption.ts'
import { parsePrivateKey } from '../../src/signing/keystore/private-key.ts'
import { modeFault, ownerFault } from '../../src/store/read-owned-file.ts'
import { sealed } from '../support/keys/cheap-keystore.ts'

const home = mkdtempSync(join(tmpdir(), 'sluice-secret-sources-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))
const key = '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d'
const address = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const file = (name: string, text: string) => {
  writeFileSync(join(home, name), text, { mode: 0o600 })
  return join(home, name)
}

describe('a password in another Unicode form than at the time of encryption', () => {
  const composed = 'caf\u00e9-\u2026-\ufb01'
  const forms = ['NFKC', 'NFC', 'NFD'] as const
  test.each(forms)('opens a keystore that was sealed with the %s form', async (form) => {
    for (const typed of [composed, composed.normalize('NFD')])
      expect(await openKeystore(sealed(key, composed.normalize(form)), typed)).toBe(key)
  })

  test('opens a keystore that was sealed with the typed form, even if it is none of these', async () => {
    const typed = `${composed}e\u0301`
    expect(forms.map((form) => typed.normalize(form))).not.toContain(typed)
    expect(await openKeystore(sealed(key, typed), typed)).toBe(key)
  })

  test('is wrong if no form fits', async () => {
    await expect(openKeystore(sealed(key, 'caf\u00e9'), 'cafe')).rejects.toMatchObject({
      code: 'WRONG_PASSWORD',
    })
  })
})

describe('the owner and mode of a secret', () => {
  const operator = 1000
  const container = 0
  test.each([
    // Owner of the file, user of the process, mode.
    ['a file of the user', operator, operator, 0o600],
    ['a read-only file of the user', operator, operator, 0o400],
    ['a Kubernetes secret with fsGroup', 0, operator, 0o440],
    ['a Docker secret of root', 0, operator, 0o400],
    ['a file of root for a group', 0, operator, 0o640],
    ['a Kubernetes secret in a container of root', 0, container, 0o440],
    ['a Kubernetes secret with mode 0400 in a container of root', 0, container, 0o400],
  ])('%s is read', (_, uid, own, mode) => {
    expect([ownerFault({ uid, mode }, own), modeFault({ uid, mode }, own, 0o077)]).toEqual([
      undefined,
      undefined,
    ])
  })

  test.each([
    ['a file of the user that its group reads', operator, operator, 0o640],
    ['a file of the user that everybody reads', operator, operator, 0o644],
    ['a mounted secret that everybody reads', 0, operator, 0o444],
    ['a file of root that everybody reads', 0, operator, 0o644],
    ['a file of root that its group writes', 0, operator, 0o660],
    ['a file of root that its group reads, in a process of root', 0, container, 0o640],
    ['a file of another user', 1001, operator, 0o600],
    ['a file of another user, in a process of root', 1001, container, 0o600],
  ])('%s is refused', (_, uid, own, mode) => {
    expect(ownerFault({ uid, mode }, own) ?? modeFault({ uid, mode }, own, 0o077)).toMatchObject({
      is: expect.stringMatching(/foreign|shared/),
    })
  })
})

test('a recovery phrase in place of a private key is named as one, and not repeated', () => {
  const phrase = `${'test '.repeat(11)}junk`
  for (const text of [phrase, ` ${phrase.toUpperCase()}\n`, `${'abandon '.repeat(23)}art`])
    expect(() => parsePrivateKey(text, 'key.txt')).toThrow(
      /^key.txt is a recovery phrase \(mnemonic\), not a private key$/,
    )
})

const program = join(import.meta.dirname, '../../bin/sluice.js')

describe('wallet import in a shell', () => {
  const sluice = async (line: string) => {
    const { stdout } = await promisify(execFile)('bash', ['-c', line], {
      env: {
        PATH: process.env.PATH,
        HOME: home,
        SLUICE_HOME: join(home, 'state'),
        SLUICE: program,
        NODE: process.execPath,
      },
      encoding: 'utf8',
    })
    return JSON.parse(stdout)
  }
  file('sealed.json', sealed(key, 'pw'))
  file('pw', 'pw\n')
  test.each([
    [
      'process substitutions',
      `"$NODE" "$SLUICE" wallet import one --keystore <(cat "$HOME/sealed.json") --password-file <(cat "$HOME/pw") --json`,
    ],
    [
      'a keystore in standard input',
      `"$NODE" "$SLUICE" wallet import two --keystore - --password-file "$HOME/pw" --json < "$HOME/sealed.json"`,
    ],
    [
      'a password in standard input',
      `printf 'pw\\r\\n' | "$NODE" "$SLUICE" wallet import three --keystore "$HOME/sealed.json" --password-file - --json`,
    ],
    [
      'SLUICE_PASSWORD with a line end of Windows',
      `SLUICE_PASSWORD=$'pw\\r\\n' "$NODE" "$SLUICE" wallet import four --keystore "$HOME/sealed.json" --json`,
    ],
  ])('takes %s', async (_, line) => {
    expect((await sluice(line)).address).toBe(address)
  })
})
