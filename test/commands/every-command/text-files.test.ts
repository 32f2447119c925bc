import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

import { inTurn } from '../../support/engine.ts'
import { sealed } from '../../support/keys/cheap-keystore.ts'
import { useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run, home, signsNothing } = useCommands(sandbox)

/** How programs of Windows and editors write one text. */
const readable: Record<string, (text: string) => Buffer> = {
  'UTF-8': (text) => Buffer.from(text),
  'UTF-8 with a byte order mark and CRLF': (text) => Buffer.from(`\uFEFF${text}\r\n`),
  'UTF-16 little endian with a byte order mark': (text) => Buffer.from(`\uFEFF${text}\r\n`, 'utf16le'),
  'UTF-16 big endian with a byte order mark': (text) => Buffer.from(`\uFEFF${text}\n`, 'utf16le').swap16(),
}
const unreadable: Record<string, (text: string) => Buffer> = {
  'UTF-16 without a byte order mark': (text) => Buffer.from(text, 'utf16le'),
  'a NUL character': (text) => Buffer.from(`${text}\0`),
  'bytes that are no UTF-8': (text) => Buffer.from([...Buffer.from(text), 0xe9, 0x0a]),
}
const recipient = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const password = 'pässword 1 '

/** Every kind of text file that a person writes: its text, and the command that reads it. */
const files: Record<
  string,
  { name: string; text: () => string | Promise<string>; line: (path: string) => string }
> = {
  'a password file': {
    name: 'pw',
    text: () => password,
    line: (path) =>
      `wallet import copy --keystore ${join(home(), 'sealed.json')} --password-file ${path} --json`,
  },
  'a key file to import': {
    name: 'key',
    text: () => sandbox.user.key,
    line: (path) =>
      `wallet import copy --key-file ${path} --password-file ${join(home(), 'other-pw')} --json`,
  },
  'a key file that signs': {
    name: 'key',
    text: () => sandbox.user.key,
    line: (path) =>
      `transfer --network sandbox-one --token USDC --to ${recipient} --amount 1 --yes --json --key-file ${path}`,
  },
  'a keystore to import': {
    name: 'keystore.json',
    text: () => sealed(sandbox.user.key, password),
    line: (path) =>
      `wallet import copy --keystore ${path} --password-file ${join(home(), 'other-pw')} --json`,
  },
  'a keystore that signs': {
    name: 'keystore.json',
    text: () => sealed(sandbox.user.key, password),
    line: (path) =>
      `transfer --network sandbox-one --token USDC --to ${recipient} --amount 1 --yes --json --wallet ${path} --password-file ${join(home(), 'other-pw')}`,
  },
  'a plan': {
    name: 'plan.json',
    text: async () => (await run('deposit aave-v3-usdc-sandbox-one --amount 1 --dry-run --json')).out,
    line: (path) => `action submit ${path} --yes --json`,
  },
  'a policy': {
    name: 'policy.json',
    text: () => '{ "perTransaction": { "sandbox-one:USDC": "1000" } }',
    line: (path) => `deposit aave-v3-usdc-sandbox-one --amount 1 --dry-run --json --policy ${path}`,
  },
  'the settings': {
    name: 'config/config.json',
    text: () => '{}',
    line: () => 'profile list --json',
  },
}

const prepared = async (kind: string, encoded: (text: string) => Buffer) => {
  const { name, text, line } = files[kind]!
  const write = (file: string, bytes: Buffer | string) => {
    writeFileSync(join(home(), file), bytes, { mode: 0o600 })
    return join(home(), file)
  }
  mkdirSync(join(home(), 'config'), { mode: 0o700 })
  write('sealed.json', sealed(sandbox.user.key, password))
  write('other-pw', `${password}\n`)
  return line(write(name, encoded(await text())))
}

// One reader reads them all: each file in its usual form, and in one of the others in turn.
describe.each(Object.keys(files).map((kind, turn) => [kind, turn] as const))('%s', (kind, turn) => {
  const [usual, ...others] = Object.keys(readable)
  test.each([usual!, ...inTurn(others, 3, turn)])('is read as %s', async (encoding) => {
    const { exit, json } = await run(await prepared(kind, readable[encoding]!))
    expect({ exit, error: json.error }).toEqual({ exit: 0 })
  })

  test.each(inTurn(Object.keys(unreadable), 3, turn))(
    'is refused with %s, in words, before anything is signed',
    async (encoding) => {
      const line = await prepared(kind, unreadable[encoding]!)
      const { exit, json } = await signsNothing(() => run(line))
      expect(json.error.message).toMatch(/it contains NUL characters|it is not valid UTF-8 text/)
      expect([2, 13]).toContain(exit)
    },
  )
})
