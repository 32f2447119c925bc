import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { type Anvil, startAnvil } from '../../src/sandbox/anvil.ts'
import { useServe } from '../support/services/serve-as-process.ts'
import { type Typed, typing } from '../support/terminal/type-into-terminal.ts'
import { useCommands } from '../support/use-commands.ts'
import { useSandbox } from '../support/use-sandbox.ts'

const sandbox = useSandbox()
const served = useServe(sandbox)
const { run, home } = useCommands(sandbox)

const file = (name: string, at = home()) => join(at, 'config', name)
const kept = (name: string, at = home()) => JSON.parse(readFileSync(file(name, at), 'utf8'))

/** A node with the chain ID of Base. */
let base: Anvil
beforeAll(async () => {
  base = await startAnvil({ binary: inject('anvil'), noteDir: inject('sandboxNotes'), chainId: 8453 })
})
afterAll(() => base?.stop())

describe('init with flags', () => {
  test('checks the settings, saves them as profile set does, and makes the first profile current', async () => {
    const apiKey = await served.newKey('acme')
    const made = await run(`init prod --base-url ${served.url()} --api-key-file - --json`, { stdin: apiKey })
    expect(made.exit).toBe(0)
    expect(made.json).toMatchObject({
      profile: { name: 'prod', kind: 'remote', current: true, hasApiKey: true },
      command: `sluice init prod --base-url ${served.url()} --api-key-file - --use`,
      environment: [],
    })
    expect(made.json.checks.map(({ check, state }: Record<string, string>) => [check, state])).toEqual([
      ['service', 'ok'],
      ['clock', 'ok'],
    ])
    expect(made.out + made.err).not.toContain(apiKey)
    const byInit = [kept('config.json').profiles, kept('secrets.json')]
    await run('profile remove prod --yes')
    await run(`profile set prod --base-url ${served.url()} --api-key-file -`, { stdin: apiKey })
    expect([kept('config.json').profiles, kept('secrets.json')]).toEqual(byInit)
    // A second profile becomes current only with --use.
    await run('profile use prod')
    const more = { env: { SLUICE_RPC_BASE: base.rpcUrl } }
    expect((await run('init mine --from-env --json', more)).json.profile).toMatchObject({ current: false })
    expect((await run('init mine --from-env --use --json', more)).json.profile).toMatchObject({
      current: true,
    })
  })

  test('saves settings that fail the check only with --yes, and makes them current only with --use', async () => {
    const line = 'init mine --from-env --timeout 1s --json'
    const dead = { env: { SLUICE_RPC_BASE: 'http://127.0.0.1:1/canary-4711' } }
    const refused = await run(line, dead)
    expect(refused.exit).toBe(7)
    expect(refused.json.error).toMatchObject({
      code: 'RPC_UNREACHABLE',
      hint: expect.stringContaining('--yes'),
    })
    expect(refused.json.error.message).toContain('Nothing was saved')
    for (const name of ['config.json', 'secrets.json']) expect(existsSync(file(name))).toBe(false)
    const accepted = await run(`${line} --yes`, dead)
    expect({ exit: accepted.exit, networks: accepted.json.profile.networks }).toEqual({
      exit: 0,
      networks: ['base'],
    })
    // A profile that fails the check becomes current only on request.
    expect(accepted.json.profile.current).toBe(false)
    expect(accepted.err).toContain('sluice profile use mine')
    expect((await run('strategies list --limit 1 --json')).exit).toBe(0)
    expect((await run(`${line} --yes --use`, dead)).json.profile.current).toBe(true)
    await run('profile use sandbox')
    expect(refused.out + refused.err + accepted.out + accepted.err).not.toContain('canary')
    const other = await run('init other --from-env --json', { env: { SLUICE_RPC_OPTIMISM: base.rpcUrl } })
    expect({ exit: other.exit, code: other.json.error.code }).toEqual({ exit: 7, code: 'CHAIN_ID_MISMATCH' })
    const noKey = await run(`init keyless --base-url ${served.url()} --json`)
    expect([noKey.exit, noKey.json.error.hint]).toEqual([
      3,
      'Give the API key: --api-key-file FILE. To save it anyway, add: --yes',
    ])
    const wrongKey = await run(`init keyless --base-url ${served.url()} --api-key-file - --json`, {
      stdin: 'x',
    })
    expect([wrongKey.exit, wrongKey.json.error.hint]).toEqual([
      3,
      `Check that the API key belongs to ${served.url()}. To save it anyway, add: --yes`,
    ])
  })

  test('checks the settings to be saved, not those of the environment', async () => {
    const env = { SLUICE_RPC_BASE: base.rpcUrl }
    const wrong = { ...env, SLUICE_BASE_URL: 'https://nobody.invalid', SLUICE_PROFILE: 'nobody' }
    const apiKey = await served.newKey('acme')
    const made = await run(`init prod --base-url ${served.url()} --api-key-file - --json`, {
      env: wrong,
      stdin: apiKey,
      secrets: { apiKey: 'not-this-one' },
    })
    expect(made.exit).toBe(0)
    expect(made.json.profile.networks).toEqual([])
  })

  test('changes an existing profile only with --yes, and lists the changes', async () => {
    const apiKey = await served.newKey('acme')
    await run(`init prod --base-url ${served.url()} --api-key-file -`, { stdin: apiKey })
    const again = await run(`init prod --base-url ${served.url()} --api-key-file -`, { stdin: apiKey })
    expect(again.exit).toBe(0)
    const before = [readFileSync(file('config.json'), 'utf8'), readFileSync(file('secrets.json'), 'utf8')]
    const elsewhere = served.url().replace('127.0.0.1', 'localhost')
    const asked = await run(`init prod --base-url ${elsewhere} --api-key-file -`, { stdin: apiKey })
    expect(asked.exit).toBe(2)
    expect(asked.err).toContain(`base url: ${served.url()} changes to ${elsewhere}`)
    expect(asked.err).toContain('(PROMPT_NEEDED)')
    expect([readFileSync(file('config.json'), 'utf8'), readFileSync(file('secrets.json'), 'utf8')]).toEqual(
      before,
    )
    expect(
      (await run(`init prod --base-url ${elsewhere} --api-key-file - --yes`, { stdin: apiKey })).exit,
    ).toBe(0)
    expect(kept('config.json').profiles.prod.baseUrl).toBe(elsewhere)
  })

  test.each([
    [
      '--base-url http://127.0.0.1:9 --api-key-file -',
      6,
      'Check that http://127.0.0.1:9 is the base URL of the service. ',
    ],
    ['--from-env', 7, 'Check that the RPC of base is the right one. '],
  ])('%s that fails the check: the hint names the setting to check', async (flags, exit, hint) => {
    const refused = await run(`init prod ${flags} --json`, {
      stdin: 'a-key-of-nobody',
      ...(flags === '--from-env' && { env: { SLUICE_RPC_BASE: 'http://127.0.0.1:9' } }),
    })
    expect([refused.exit, refused.json.error.hint]).toEqual([exit, `${hint}To save it anyway, add: --yes`])
  })

  test('exits 2 without flags and terminal, and for invalid values', async () => {
    const refused = await run('init --json')
    expect(refused.exit).toBe(2)
    expect(refused.json.error).toMatchObject({
      code: 'PROMPT_NEEDED',
      hint: 'With flags: sluice init --help. From environment variables: sluice init main --from-env',
    })
    for (const [line, says] of [
      ['init sandbox --kind engine', /is not a valid profile name/],
      ['init prod --kind moon', /Unknown kind/],
      ['init prod --base-url nowhere', /not a URL/],
    ] as const)
      expect(await run(line)).toMatchObject({ exit: 2, err: expect.stringMatching(says) })
  })
})

describe('init with prompts', () => {
  /** Runs init on a terminal with its own home. */
  async function asking(
    work: (typed: Typed, at: string) => Promise<void>,
    args: string[] = [],
  ): Promise<void> {
    const at = mkdtempSync(join(tmpdir(), 'sluice-init-'))
    const typed = typing(at, ['init', ...args], { SLUICE_HOME: at })
    try {
      await work(typed, at)
    } finally {
      typed.end()
      rmSync(at, { recursive: true, force: true })
    }
  }

  test('asks for every setting, shows no secret, and prints the equivalent command', async () => {
    const apiKey = await served.newKey('acme')
    await asking(async (typed, at) => {
      await typed.answer('Where should commands run?', '\r')
      await typed.answer('Base URL', `nowhere\r`)
      await typed.answer('is not a URL', `${'\b'.repeat(7)}${served.url()}\r`)
      await typed.answer('API key', `${apiKey}\r`)
      await typed.answer('Networks to sign on', ' \r')
      await typed.answer(/RPC URL of \S+/, `https://127.0.0.1:1/canary-4711\r`)
      await typed.answer('Name of the profile', '\r')
      await typed.answer('Use this profile', '\r')
      await typed.answer('Save it anyway?', 'y')
      await typed.answer('', '\r')
      expect(await typed.exit).toBe(0)
      expect(kept('config.json', at)).toEqual({
        profile: 'prod',
        profiles: { prod: { kind: 'remote', baseUrl: served.url() } },
      })
      expect(kept('secrets.json', at).prod.apiKey).toEqual({ key: apiKey, baseUrl: served.url() })
      expect(Object.values(kept('secrets.json', at).prod.rpc)).toEqual(['https://127.0.0.1:1/canary-4711'])
      for (const secret of [apiKey, 'canary']) expect(typed.all()).not.toContain(secret)
      expect(typed.all()).toMatch(/sluice init prod --base-url \S+ --from-env --use/)
      expect(typed.all()).toMatch(/with SLUICE_API_KEY, SLUICE_RPC_\w+ set in the environment/)
    })
  })

  test('exits 130 on Ctrl-C at a question and writes nothing', async () => {
    const before: [string, string][] = [
      ['Where should commands run?', '\r'],
      ['Base URL', `${served.url()}\r`],
      ['API key', 'some-key\r'],
      ['Networks to sign on', '\r'],
      ['Name of the profile', '\r'],
      ['Use this profile', '\r'],
      ['Save it anyway?', '\r'],
    ]
    for (const at of [2, 6])
      await asking(async (typed, place) => {
        for (const [question, answer] of before.slice(0, at)) await typed.answer(question, answer)
        await typed.answer(before[at]![0], '\x03')
        expect(await typed.exit).toBe(130)
        const config = join(place, 'config')
        expect(existsSync(config) ? readdirSync(config) : []).toEqual([])
      })
  })

  test('leaves an existing profile unchanged when the user answers no', async () => {
    await asking(
      async (typed, at) => {
        await typed.answer('Where should commands run?', '\x1b[B\r')
        await typed.answer('Networks:', ' \r')
        await typed.answer(/RPC URL of \S+/, 'http://127.0.0.1:1\r')
        // Another process creates a profile of that name meanwhile.
        mkdirSync(join(at, 'config'), { mode: 0o700 })
        const other = { profiles: { mine: { kind: 'remote', baseUrl: 'https://a.example' } } }
        writeFileSync(file('config.json', at), JSON.stringify(other), { mode: 0o600 })
        await typed.answer('Name of the profile', '\r')
        await typed.answer('Use this profile', 'n\r')
        await typed.answer('Save it anyway?', 'y\r')
        await typed.answer('Change the profile "mine"?', 'n\r')
        expect(await typed.exit).toBe(9)
        expect(typed.all()).toContain('kind: remote changes to engine')
        expect(kept('config.json', at)).toEqual(other)
      },
      ['--timeout', '1s'],
    )
  })
})
