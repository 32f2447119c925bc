import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { desktopKeychain } from '../../../src/app/profiles/keychain.ts'
import { sluice as command } from '../../../src/domain/text/next-step.ts'
import { sandboxKey } from '../../../src/sandbox/accounts.ts'
import { keepSealed } from '../../support/keys/cheap-keystore.ts'
import { testKeychain } from '../../support/keys/test-keychain.ts'
import { spawnSluice } from '../../support/spawn-program.ts'
import { rpcEnvOf, useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run, home } = useCommands(sandbox)
const place = 'https://api.example'
const set = `profile set prod --base-url ${place} --api-key-file -`
const file = (name: string) => join(home(), 'config', name)
const read = (name: string) => readFileSync(file(name), 'utf8')
/** Everything in the files of this home. */
const everything = () =>
  readdirSync(home(), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n')

describe('profile secrets in the keychain', () => {
  test('stores API key and RPC URLs only in the keychain, and deletes replaced and removed ones', async () => {
    const keychain = testKeychain()
    const env = { SLUICE_RPC_BASE: 'https://node.example/canary-4711' }
    const more = { keychain, stdin: 'canary-4712', env }
    const made = await run(`${set} --from-env --keychain --json`, more)
    expect(made.json).toMatchObject({ hasApiKey: true, networks: ['base'], secretsIn: 'keychain' })
    expect([...keychain.held.values()].map((text) => JSON.parse(text))).toEqual([
      { apiKey: { key: 'canary-4712', baseUrl: place }, rpc: { base: 'https://node.example/canary-4711' } },
    ])
    expect(everything()).not.toContain('canary')
    // Without --keychain the key stays in the keychain, and the old one is gone.
    await run('profile set prod --api-key-file -', { keychain, stdin: 'canary-4713' })
    expect([...keychain.held.values()].join()).toMatch(/^(?!.*4712).*4713/)
    expect(everything()).not.toContain('canary')
    // A new base URL deletes the API key, as it does in a file.
    const moved = await run('profile set prod --base-url https://b.example --json', { keychain })
    expect(moved.json).toMatchObject({ hasApiKey: false, secretsIn: 'keychain' })
    expect([...keychain.held.values()].join()).not.toContain('4713')
    await run('profile remove prod --yes', { keychain })
    expect(keychain.held.size).toBe(0)
  })

  test('provides the RPC URLs, and moves them to a file with --no-keychain', async () => {
    const keychain = testKeychain()
    await run('profile set mine --from-env --keychain', { keychain, env: rpcEnvOf(sandbox) })
    const listed = await run('strategies list --json --profile mine', { keychain })
    expect({ exit: listed.exit, total: listed.json.total > 3 }).toEqual({ exit: 0, total: true })
    const moved = await run('profile set mine --no-keychain --json', { keychain })
    expect(moved.json).toMatchObject({ secretsIn: 'file', networks: ['sandbox-one', 'sandbox-two'] })
    expect(keychain.held.size).toBe(0)
    expect((await run('strategies list --json --profile mine')).exit).toBe(0)
  })

  test('while locked, commands that need a secret exit 13; listing, completion and removal work', async () => {
    const keychain = testKeychain()
    const env = { SLUICE_RPC_BASE: 'https://node.example' }
    await run(`${set} --from-env --keychain`, { keychain, stdin: 'canary-4714', env })
    keychain.lock()
    const before = read('secrets.json')
    for (const line of [
      'strategies list --profile prod',
      'profile set prod --api-key-file -',
      'doctor --profile prod',
    ]) {
      const refused = await run(`${line} --json`, { keychain, stdin: 'other' })
      expect({ line, exit: refused.exit, code: refused.json.error.code }).toEqual({
        line,
        exit: 13,
        code: 'KEY_SOURCE',
      })
      expect(refused.json.error.hint).toContain('sluice profile remove prod --yes')
    }
    expect(read('secrets.json')).toBe(before)
    const told = await run('config list --show-origin --profile prod --json', { keychain })
    const rows = told.json.items.map(({ name, value, origin }: Record<string, string>) => [
      name,
      value,
      origin,
    ])
    expect(rows).toEqual(
      expect.arrayContaining([
        ['api key', 'set', 'profile prod, in the keychain'],
        ['rpc base', 'set', 'profile prod, in the keychain'],
      ]),
    )
    expect((await run('profile list', { keychain })).out).toMatch(/prod.*keychain.*base/)
    expect((await run('__complete -- deposit --profile prod --network o', { keychain })).exit).toBe(0)
    expect((await run('profile remove prod --yes', { keychain })).exit).toBe(0)
    expect((await run('profile list --json', { keychain })).json.total).toBe(3)
  })

  test('without a keychain, profile set --keychain exits 12 and keeps the stored secrets', async () => {
    await run(set, { stdin: 'first' })
    const before = [read('config.json'), read('secrets.json')]
    const refused = await run(`${set} --keychain --json`, { stdin: 'second' })
    expect({ exit: refused.exit, code: refused.json.error.code }).toEqual({
      exit: 12,
      code: 'STATE_UNUSABLE',
    })
    expect([read('config.json'), read('secrets.json')]).toEqual(before)
    expect((await run('config list --show-origin --profile prod')).out).toMatch(
      /api key +set +profile prod, in secrets\.json/,
    )
  })
})

describe('the keystore password in the keychain', () => {
  const pay = `transfer --network sandbox-one --token USDC --to 0x7777777777777777777777777777777777777777 --amount 1 --yes --quiet --json`

  test('signs without a prompt until wallet forget or wallet remove deletes it', async () => {
    const keychain = testKeychain()
    const key = join(home(), 'key')
    writeFileSync(key, sandboxKey(0), { mode: 0o600 })
    const made = await run(`wallet import main --key-file ${key} --keychain --json`, {
      keychain,
      secrets: { password: 'canary-4715' },
    })
    expect(made.exit).toBe(0)
    rmSync(key)
    expect(everything()).not.toContain('canary')
    // Replaces the keystore by one with cheap encryption, so that the test is fast.
    keepSealed(join(home(), 'data', 'keystores'), 'main', sandboxKey(0), 'canary-4715')
    expect([...keychain.held.values()]).toEqual(['canary-4715'])
    expect((await run(`${pay} --wallet main`, { keychain })).json).toMatchObject({ status: 'SUCCESS' })
    expect((await run('config list', { keychain })).out).toMatch(/password of main +set/)
    expect((await run('wallet forget main --json', { keychain })).json).toEqual({
      name: 'main',
      remembered: false,
    })
    expect(keychain.held.size).toBe(0)
    expect((await run(`${pay} --wallet main`, { keychain })).exit).toBe(2)
    const wrong = await run('wallet remember main --json', { keychain, secrets: { password: 'other' } })
    expect({ exit: wrong.exit, held: keychain.held.size }).toEqual({ exit: 13, held: 0 })
    const right = await run('wallet remember main --json', { keychain, secrets: { password: 'canary-4715' } })
    expect(right.json).toMatchObject({ remembered: true })
    await run('wallet remove main --yes', { keychain })
    expect(keychain.held.size).toBe(0)
  })

  test('without a keychain, wallet new --keychain exits 12 and creates no wallet', async () => {
    const refused = await run('wallet new main --keychain --json', { secrets: { password: 'x' } })
    expect({ exit: refused.exit, code: refused.json.error.code }).toEqual({
      exit: 12,
      code: 'STATE_UNUSABLE',
    })
    expect((await run('wallet list --json')).json.total).toBe(0)
  })
})

describe('the desktop keychain of this machine', () => {
  const real = desktopKeychain()
  const works = real.works()
  const alone = async (work: (at: string) => Promise<void>) => {
    const at = mkdtempSync(join(tmpdir(), 'sluice-keychain-'))
    try {
      await work(at)
    } finally {
      rmSync(at, { recursive: true, force: true })
    }
  }
  const sluice = (at: string, line: string) => spawnSluice(at, line.split(' '), { env: { SLUICE_HOME: at } })

  test.skipIf(works)(
    'when absent, set and get fail with their codes, and profile set works with a file',
    async () => {
      expect(() => real.set('sluice test', 'x')).toThrow(expect.objectContaining({ code: 'STATE_UNUSABLE' }))
      expect(() => real.get('sluice test', command('keys list'))).toThrow(
        expect.objectContaining({ code: 'KEY_SOURCE' }),
      )
      expect(real.remove('sluice test')).toBe(false)
      await alone(async (at) => {
        writeFileSync(join(at, 'key'), 'canary-4716', { mode: 0o600 })
        const line = `profile set prod --base-url ${place} --api-key-file ${join(at, 'key')}`
        const refused = await sluice(at, `${line} --keychain --json`)
        expect({ exit: refused.exit, code: JSON.parse(refused.out).error.code }).toEqual({
          exit: 12,
          code: 'STATE_UNUSABLE',
        })
        expect((await sluice(at, line)).exit).toBe(0)
        expect(readFileSync(join(at, 'config', 'secrets.json'), 'utf8')).toContain('canary-4716')
      })
    },
  )

  test.skipIf(!works)('keeps the API key across processes until profile remove', async () => {
    await alone(async (at) => {
      writeFileSync(join(at, 'key'), 'canary-4717', { mode: 0o600 })
      const line = `profile set prod --base-url ${place} --api-key-file ${join(at, 'key')} --keychain --json`
      expect((await sluice(at, line)).exit).toBe(0)
      const { keychain } = JSON.parse(readFileSync(join(at, 'config', 'secrets.json'), 'utf8')).prod
      expect(real.get(keychain, command('keys list'))).toContain('canary-4717')
      expect((await sluice(at, 'profile remove prod --yes')).exit).toBe(0)
      expect(() => real.get(keychain, command('keys list'))).toThrow(
        expect.objectContaining({ code: 'KEY_SOURCE' }),
      )
    })
  })
})
