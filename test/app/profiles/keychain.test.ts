import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { desktopKeychain } from '../../../src/app/profiles/keychain.ts'
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

describe('a profile in the keychain', () => {
  test('has its key and its RPCs there with the addresses that the key is for, and no file has them', async () => {
    const keychain = testKeychain()
    const env = { SLUICE_RPC_BASE: 'https://node.example/canary-4711' }
    const more = { keychain, stdin: 'canary-4712', env }
    const made = await run(`${set} --from-env --keychain --json`, more)
    expect(made.json).toMatchObject({ hasApiKey: true, networks: ['base'], secretsIn: 'keychain' })
    expect([...keychain.held.values()].map((text) => JSON.parse(text))).toEqual([
      { apiKey: { key: 'canary-4712', baseUrl: place }, rpc: { base: 'https://node.example/canary-4711' } },
    ])
    expect(everything()).not.toContain('canary')
    // What is not said stays where it is, and nothing old is left there.
    await run('profile set prod --api-key-file -', { keychain, stdin: 'canary-4713' })
    expect([...keychain.held.values()].join()).toMatch(/^(?!.*4712).*4713/)
    expect(everything()).not.toContain('canary')
    // Another address forgets the key, there as in a file.
    const moved = await run('profile set prod --base-url https://b.example --json', { keychain })
    expect(moved.json).toMatchObject({ hasApiKey: false, secretsIn: 'keychain' })
    expect([...keychain.held.values()].join()).not.toContain('4713')
    await run('profile remove prod --yes', { keychain })
    expect(keychain.held.size).toBe(0)
  })

  test('is used from there, and moves back into a file when that is said', async () => {
    const keychain = testKeychain()
    await run('profile set mine --from-env --keychain', { keychain, env: rpcEnvOf(sandbox) })
    const listed = await run('strategies list --json --profile mine', { keychain })
    expect({ exit: listed.exit, total: listed.json.total > 3 }).toEqual({ exit: 0, total: true })
    const moved = await run('profile set mine --no-keychain --json', { keychain })
    expect(moved.json).toMatchObject({ secretsIn: 'file', networks: ['sandbox-one', 'sandbox-two'] })
    expect(keychain.held.size).toBe(0)
    expect((await run('strategies list --json --profile mine')).exit).toBe(0)
  })

  test('that is locked is 13 for what needs it, and is still told about, completed and removed', async () => {
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

  test('is never begun where nothing keeps it: 12, and what was there stays', async () => {
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

describe('the password of a keystore in the keychain', () => {
  const pay = `transfer --network sandbox-one --token USDC --to 0x7777777777777777777777777777777777777777 --amount 1 --yes --quiet --json`

  test('signs without being asked, until it is forgotten', async () => {
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
    // From here on it is one that opens in no time.
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

  test('is refused before a key is made that nobody could open', async () => {
    const refused = await run('wallet new main --keychain --json', { secrets: { password: 'x' } })
    expect({ exit: refused.exit, code: refused.json.error.code }).toEqual({
      exit: 12,
      code: 'STATE_UNUSABLE',
    })
    expect((await run('wallet list --json')).json.total).toBe(0)
  })
})

describe('the keychain of this machine', () => {
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
    'is none, which the real library says, too: nothing is kept, and nothing is lost',
    async () => {
      expect(() => real.set('sluice test', 'x')).toThrow(expect.objectContaining({ code: 'STATE_UNUSABLE' }))
      expect(() => real.get('sluice test', 'nothing')).toThrow(
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

  test.skipIf(!works)('keeps a profile over processes, and forgets it', async () => {
    await alone(async (at) => {
      writeFileSync(join(at, 'key'), 'canary-4717', { mode: 0o600 })
      const line = `profile set prod --base-url ${place} --api-key-file ${join(at, 'key')} --keychain --json`
      expect((await sluice(at, line)).exit).toBe(0)
      const { keychain } = JSON.parse(readFileSync(join(at, 'config', 'secrets.json'), 'utf8')).prod
      expect(real.get(keychain, '')).toContain('canary-4717')
      expect((await sluice(at, 'profile remove prod --yes')).exit).toBe(0)
      expect(() => real.get(keychain, '')).toThrow(expect.objectContaining({ code: 'KEY_SOURCE' }))
    })
  })
})
