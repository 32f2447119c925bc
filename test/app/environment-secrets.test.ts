import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { derivedInputs } from '../../src/app/nested-command-inputs.ts'
import { directories } from '../../src/app/profiles/directories.ts'
import { fileSettings } from '../../src/app/profiles/settings-files.ts'
import { builtFile } from '../support/built-file.ts'
import { testKeychain } from '../support/keys/test-keychain.ts'

// Each of these rules alone keeps keys away from commands that serve other programs; each is tested without the others.

const clone = join(import.meta.dirname, '..', '..')
const home = mkdtempSync(join(tmpdir(), 'sluice-keyless-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

/** Runs the real `bin` and the first code of the build with a stub program and a stub signer that print what they receive. */
function binGives(args: readonly string[], written: (secret: string) => string = (secret) => secret) {
  const root = join(home, 'program')
  const app = join(root, 'dist', 'app')
  cpSync(join(clone, 'bin'), join(root, 'bin'), { recursive: true })
  mkdirSync(app, { recursive: true })
  cpSync(builtFile(clone, 'launch.js'), join(app, 'launch.js'))
  writeFileSync(join(root, 'package.json'), '{"type":"module"}')
  writeFileSync(
    join(app, 'process-entry.js'),
    `export const start = (argv, secrets, startSigner) => {
      const left = Object.keys(process.env).filter((name) => /^SLUICE_/.test(name))
      console.log(JSON.stringify({ ...secrets, ...(left.length > 0 && { left }) }))
      const signer = startSigner()
      signer.stdout.pipe(process.stdout)
      signer.stdin.end()
    }`,
  )
  writeFileSync(join(app, 'signer-process-main.js'), 'process.stdin.pipe(process.stdout)')
  const secretsOf = {
    SLUICE_PRIVATE_KEY: 'a-key',
    SLUICE_PASSWORD: 'a-password',
    SLUICE_API_KEY: 'an-api-key',
    SLUICE_SIGNER_URL: 'https://signer/token',
    SLUICE_RELAY_KEY: 'a-relay-key',
    SLUICE_LIFI_KEY: '',
    SLUICE_RPC_BASE_HEADERS: 'Authorization: Bearer an-rpc-token',
    SLUICE_RPC_GNOSIS_HEADERS: '',
  }
  const env = Object.fromEntries(
    Object.entries(secretsOf).map(([name, secret]) => [name, secret && written(secret)]),
  )
  const { stdout } = spawnSync(process.execPath, [join(root, 'bin', 'sluice.js'), ...args], {
    env: { PATH: process.env.PATH ?? '', HOME: home, ...env },
    encoding: 'utf8',
    timeout: 60_000,
  })
  const [secrets, toSigner] = stdout.trim().split('\n')
  return { secrets: JSON.parse(secrets!), toSigner: JSON.parse(toSigner!) }
}

test('bin passes the key and the password to program and signer, but not for `mcp`', () => {
  expect(binGives(['wallet', 'show'])).toMatchObject({
    secrets: {
      hasPrivateKey: true,
      password: 'a-password',
      apiKey: 'an-api-key',
      serviceKeys: { SLUICE_RELAY_KEY: 'a-relay-key' },
      rpcHeaders: { SLUICE_RPC_BASE_HEADERS: 'Authorization: Bearer an-rpc-token' },
    },
    toSigner: { privateKey: 'a-key', signerUrl: 'https://signer/token' },
  })
  expect(JSON.stringify(binGives(['deposit']).toSigner)).not.toMatch(/a-relay-key|an-rpc-token/)
  for (const args of [['mcp'], ['--profile', 'prod', '--json', 'mcp']]) {
    const { secrets, toSigner } = binGives(args)
    expect(secrets).toEqual({
      hasPrivateKey: false,
      apiKey: 'an-api-key',
      serviceKeys: { SLUICE_RELAY_KEY: 'a-relay-key' },
      rpcHeaders: { SLUICE_RPC_BASE_HEADERS: 'Authorization: Bearer an-rpc-token' },
    })
    expect(toSigner).toMatchObject({ privateKey: null })
    expect(secrets.left).toBeUndefined()
    expect(JSON.stringify([secrets, toSigner])).not.toContain('https://signer')
  }
})

test.each([
  ['a byte order mark', (secret: string) => `\ufeff${secret}`],
  ['a line end of Windows', (secret: string) => `${secret}\r\n`],
  ['both', (secret: string) => `\ufeff${secret}\n`],
])('every secret of the environment is read without %s, as out of a file', (_, written) => {
  expect(binGives(['wallet', 'show'], written)).toEqual(binGives(['wallet', 'show']))
})

test('spaces and a second line end of a secret stay', () => {
  const { secrets } = binGives(['wallet', 'show'], (secret) => `${secret} \n\n`)
  expect(secrets.password).toBe('a-password \n')
})

test('a nested command run as reader gets no key, no password, no remembered password and no signer', async () => {
  const settings = fileSettings(directories({ SLUICE_HOME: home }), testKeychain())
  await settings.keepPassword('main', 'a-password')
  expect(await settings.passwordOf('main')).toBe('a-password')
  const { signal } = new AbortController()
  const given = derivedInputs(
    { as: 'reader', stdin: '', signal },
    {
      env: {},
      secrets: { hasPrivateKey: true, password: 'a-password', apiKey: 'an-api-key' },
      settings,
      interrupt: { signal, critical: (work) => work() },
    },
  )
  expect(given.secrets).toEqual({ hasPrivateKey: false, password: undefined, apiKey: 'an-api-key' })
  expect(await given.settings.passwordOf('main')).toBeUndefined()
  await expect('signingService' in given && given.signingService?.()).rejects.toMatchObject({
    code: 'KEY_REQUIRED',
  })
})
