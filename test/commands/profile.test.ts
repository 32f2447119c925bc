import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sandboxKey } from '../../src/sandbox/accounts.ts'
import { type Listener, listener } from '../support/services/listener.ts'
import { useServe } from '../support/services/serve-as-process.ts'
import { rpcEnvOf, useCommands } from '../support/use-commands.ts'
import { useSandbox } from '../support/use-sandbox.ts'

const sandbox = useSandbox()
const served = useServe(sandbox)
const { run, home } = useCommands(sandbox)
const slug = 'aave-v3-usdc-sandbox-one'

/** A server at another URL that records the API keys it receives. */
let elsewhere: Listener
const keysSeen: unknown[] = []
beforeAll(async () => {
  elsewhere = await listener(({ headers }, response) => {
    keysSeen.push(headers['x-api-key'])
    response.writeHead(404, { 'content-type': 'application/json' })
    response.end('{}')
  })
})
afterAll(() => elsewhere.close())
beforeEach(() => void keysSeen.splice(0))

const file = (name: string) => join(home(), 'config', name)
const prod = async () => {
  const apiKey = await served.newKey('acme')
  const made = await run(`profile set prod --base-url ${served.url()} --api-key-file - --json`, {
    stdin: `${apiKey}\n`,
  })
  return { apiKey, made }
}

describe('a user-defined profile', () => {
  test('stores the base URL in config.json and the API key only in secrets.json, and prints no key', async () => {
    const { apiKey, made } = await prod()
    expect(made.json).toEqual({
      name: 'prod',
      kind: 'remote',
      current: false,
      baseUrl: served.url(),
      legacyBaseUrl: null,
      pricesUrl: null,
      database: null,
      hasApiKey: true,
      networks: [],
      secretsIn: 'file',
    })
    expect(readFileSync(file('config.json'), 'utf8')).not.toContain(apiKey)
    expect(readFileSync(file('secrets.json'), 'utf8')).toContain(apiKey)
    expect(statSync(file('secrets.json')).mode & 0o777).toBe(0o600)
    for (const line of ['profile list', 'profile show prod', 'profile list --json'])
      expect((await run(line)).out).not.toContain(apiKey)
  })

  test('is used when it is named, set in SLUICE_PROFILE, or current', async () => {
    await prod()
    const named = await run('strategies list --json --profile prod')
    expect(named.exit).toBe(0)
    expect(named.json).toEqual((await run('strategies list --json --profile sandbox')).json)
    expect((await run('strategies list --json', { env: { SLUICE_PROFILE: 'prod' } })).exit).toBe(0)
    expect((await run('profile use prod --json')).json).toEqual({ profile: 'prod', kind: 'remote' })
    const asked = await run('serve --check')
    expect(asked).toMatchObject({
      exit: 2,
      err: expect.stringContaining('The profile prod is a remote service'),
    })
    expect((await run('profile show --json')).json).toMatchObject({ name: 'prod', current: true })
  })

  test('signs with the RPCs that it stores', async () => {
    const apiKey = await served.newKey('acme')
    const env = { ...rpcEnvOf(sandbox), SLUICE_BASE_URL: served.url() }
    const made = await run('profile set prod --from-env --json', { env, secrets: { apiKey } })
    expect(made.json).toMatchObject({
      kind: 'remote',
      hasApiKey: true,
      networks: ['sandbox-one', 'sandbox-two'],
    })
    const moved = await run(
      `deposit ${slug} --amount 5 --yes --json --profile prod --idempotency-key own-deposit-1`,
      {
        secrets: { privateKey: sandboxKey() },
      },
    )
    expect(moved.json).toMatchObject({ status: 'SUCCESS' })
    // An RPC URL may contain a token, so it is stored with the key.
    expect(readFileSync(file('config.json'), 'utf8')).not.toContain(
      '127.0.0.1:'.concat(new URL(rpcEnvOf(sandbox).SLUICE_RPC_SANDBOX_ONE!).port),
    )
  })

  test('of kind engine reads from the RPCs that it stores', async () => {
    expect((await run('profile set mine --from-env --json', { env: rpcEnvOf(sandbox) })).json).toMatchObject({
      kind: 'engine',
    })
    expect((await run('strategies list --json --profile mine')).json.total).toBe(
      (await run('strategies list --json --profile sandbox')).json.total,
    )
  })
})

describe('the API key of a profile', () => {
  test('is sent to its own base URL and not to one from the environment', async () => {
    const { apiKey } = await prod()
    const other = await run('strategies list --profile prod', { env: { SLUICE_BASE_URL: elsewhere.url } })
    expect(other).toMatchObject({ exit: 3, err: expect.stringContaining('SLUICE_BASE_URL overrides') })
    expect(other.err + other.out).not.toContain(apiKey)
    const legacy = await run('strategies list --profile prod', {
      env: { SLUICE_LEGACY_BASE_URL: elsewhere.url },
    })
    expect(legacy.exit).toBe(3)
    expect(keysSeen).toEqual([])
  })

  test('is removed when the base URL changes', async () => {
    await prod()
    const moved = await run(`profile set prod --base-url ${elsewhere.url} --json`)
    expect(moved.json).toMatchObject({ baseUrl: elsewhere.url, hasApiKey: false })
    expect(moved.err).toMatch(/was removed/)
    expect(await run('strategies list --profile prod')).toMatchObject({
      exit: 3,
      err: expect.stringContaining('sluice profile set prod --api-key-file -'),
    })
    expect(keysSeen).toEqual([])
  })

  test('stays when the RPCs change, and is removed when the legacy base URL changes', async () => {
    await prod()
    const env = { SLUICE_RPC_BASE: 'https://node.example' }
    expect((await run('profile set prod --from-env --json', { env })).json).toMatchObject({
      hasApiKey: true,
      networks: ['base'],
    })
    const changed = await run(`profile set prod --legacy-base-url ${elsewhere.url} --json`)
    expect(changed.json).toMatchObject({ hasApiKey: false, legacyBaseUrl: elsewhere.url })
    expect((await run('strategies list --profile prod')).exit).toBe(3)
    const again = await run('profile set prod --legacy-base-url none --json')
    expect(again.json).toMatchObject({ legacyBaseUrl: null, hasApiKey: false })
  })

  test('of a new base URL is not sent to the previous legacy base URL', async () => {
    await run(
      `profile set prod --base-url ${served.url()} --legacy-base-url ${elsewhere.url} --api-key-file -`,
      {
        stdin: 'old-key-1\n',
      },
    )
    const moved = await run(
      `profile set prod --base-url ${served.url().replace('127.0.0.1', 'localhost')} --api-key-file - --json`,
      {
        stdin: 'new-key-2\n',
      },
    )
    expect(moved.json).toMatchObject({ legacyBaseUrl: null, hasApiKey: true })
    await run('strategies list --profile prod')
    expect(keysSeen).toEqual([])
  })

  test('is not sent to a base URL that was edited into config.json', async () => {
    await prod()
    const config = readFileSync(file('config.json'), 'utf8')
    writeFileSync(file('config.json'), config.replace(served.url(), elsewhere.url))
    expect((await run('strategies list --profile prod')).exit).toBe(3)
    expect(keysSeen).toEqual([])
  })

  test('is refused in a file that others can read', async () => {
    await prod()
    chmodSync(file('secrets.json'), 0o644)
    const refused = await run('strategies list --profile prod --json')
    expect(refused.exit).toBe(13)
    expect(refused.json.error).toMatchObject({
      code: 'KEY_SOURCE',
      hint: expect.stringContaining('chmod 600'),
    })
  })

  test('with a space is refused, not printed and not stored', async () => {
    const bad = await run(`profile set prod --base-url ${served.url()} --api-key-file -`, {
      stdin: 'two words\n',
    })
    expect(bad.exit).toBe(2)
    expect(bad.err).not.toContain('two words')
    expect((await run('profile show prod')).exit).toBe(2)
  })
})

test('the database of serve is for engine profiles, stays until it is removed, and has no password', async () => {
  const env = rpcEnvOf(sandbox)
  const set = (more: string) => run(`profile set mine --from-env ${more} --json`, { env })
  const url = 'postgres://ann@db.example.com/main'
  expect((await set(`--database ${url}`)).json.database).toBe(url)
  expect((await set('')).json.database).toBe(url)
  const listed = (await run('config list --show-origin --profile mine --json', { env })).json.items
  expect(listed).toContainEqual({
    name: 'database',
    value: 'postgres://db.example.com/main',
    origin: 'profile mine',
  })
  const refused = await set('--database postgres://ann:secret-word@db.example.com/main')
  expect([refused.json.error.code, `${refused.out}${refused.err}`.includes('secret-word')]).toEqual([
    'INSECURE_KEY_SOURCE',
    false,
  ])
  expect((await set('--database none')).json.database).toBeNull()
})

test('the prices URL is for engine profiles, stays until it is removed, and must be https', async () => {
  const env = rpcEnvOf(sandbox)
  const set = (more: string) => run(`profile set mine --from-env ${more} --json`, { env })
  expect((await set('')).json.pricesUrl).toBeNull()
  expect((await set('--prices-url https://coins.llama.fi/')).json.pricesUrl).toBe('https://coins.llama.fi')
  expect((await set('')).json.pricesUrl).toBe('https://coins.llama.fi')
  const listed = (await run('config list --show-origin --profile mine --json', { env })).json.items
  expect(listed).toContainEqual({
    name: 'prices url',
    value: 'https://coins.llama.fi',
    origin: 'profile mine',
  })
  expect((await set('--prices-url none')).json.pricesUrl).toBeNull()
  for (const url of [
    'http://coins.example',
    'https://me:word@coins.example',
    'https://coins.example/?key=1',
    'coins',
  ])
    expect((await set(`--prices-url ${url}`)).json.error.code).toBe('CONFIG_INVALID')
  const elsewhere = await run(
    'profile set there --base-url https://api.example --prices-url https://x.example --json',
  )
  expect(elsewhere.json.error.code).toBe('USAGE')
})

test('a removed profile is no longer current, and its API key is deleted', async () => {
  const { apiKey } = await prod()
  await run('profile use prod')
  expect((await run('profile remove prod --no-input')).exit).toBe(2)
  expect((await run('profile remove prod --yes --json')).json).toEqual({ removed: 'prod' })
  expect(readFileSync(file('secrets.json'), 'utf8')).not.toContain(apiKey)
  expect((await run('strategies list')).err).toContain('profile sandbox')
  expect((await run('strategies list --profile prod')).exit).toBe(2)
})

test('profile commands work while the current profile does not exist', async () => {
  await prod()
  await run('profile use prod')
  await run('profile remove prod --yes')
  writeFileSync(file('config.json'), JSON.stringify({ profile: 'gone' }))
  expect(await run('strategies list --json')).toMatchObject({ exit: 2 })
  expect((await run('profile list --json')).exit).toBe(0)
  expect((await run('profile use sandbox')).exit).toBe(0)
  expect((await run('strategies list --json')).exit).toBe(0)
})

test.each([
  ['profile set sandbox --kind engine', /is not a valid profile name/],
  ['profile set Prod --kind engine', /is not a valid profile name/],
  ['profile set ../up --kind engine', /is not a valid profile name/],
  ['profile set prod', /needs a kind/],
  ['profile set prod --kind remote', /^Profile prod needs the base URL of the service$/],
  ['profile set prod --kind moon', /Unknown kind of profile "moon"/],
  ['profile set prod --kind engine --base-url https://a.example', /no base URL/],
  ['profile set prod --base-url http://a.example', /not https/],
  ['profile set prod --base-url https://me:secret@a.example', /only a host and a path/],
  ['profile set prod --base-url https://a.example?key=1', /only a host and a path/],
  ['profile set prod --base-url nowhere', /not a URL/],
  ['profile set prod --base-url ftp://a.example', /must begin with http:\/\/ or https:\/\//],
  ['profile use moon', /No profile "moon"/],
  ['profile use toString', /No profile "toString"/],
  ['profile show hasOwnProperty', /No profile "hasOwnProperty"/],
  ['profile remove constructor --yes', /No profile "constructor"/],
  ['strategies list --profile toString', /No profile "toString"/],
  ['profile set constructor', /needs a kind/],
  ['profile show moon', /No profile "moon"/],
  ['profile remove sandbox --yes', /No profile "sandbox"/],
])('%s is refused and adds no profile', async (line, says) => {
  const refused = await run(`${line} --json`)
  expect(refused.exit).toBe(2)
  expect(refused.json.error.message).toMatch(says)
  expect((await run('profile list --json')).json.items.map(({ name }: { name: string }) => name)).toEqual([
    'sandbox',
    'engine',
    'remote',
  ])
})

test('config list shows each setting with its origin and no secret', async () => {
  const { apiKey } = await prod()
  const env = { SLUICE_RPC_BASE: 'https://node.example/v1/canary-4711', SLUICE_LEGACY_BASE_URL: served.url() }
  const { out, json } = await run('config list --show-origin --json --profile prod', {
    env,
    secrets: { password: 'canary-4712' },
  })
  for (const secret of [apiKey, 'canary']) expect(out).not.toContain(secret)
  const rows = json.items.map(({ name, value, origin }: Record<string, string>) => [name, value, origin])
  expect(rows).toEqual(
    expect.arrayContaining([
      ['profile', 'prod', '--profile'],
      ['kind', 'remote', 'config.json'],
      ['base url', served.url(), 'profile prod'],
      ['legacy base url', served.url(), 'SLUICE_LEGACY_BASE_URL'],
      ['rpc base', 'node.example', 'SLUICE_RPC_BASE'],
      ['password', 'set', 'SLUICE_PASSWORD'],
      ['config directory', join(home(), 'config'), 'SLUICE_HOME'],
    ]),
  )
  const bare = await run('config list --show-origin')
  expect(bare.out).toMatch(/profile +sandbox +default/)
  expect((await run('config list')).out).not.toMatch(/default/)
  for (const flags of ['', ' --show-origin', ' --show-origin --json', ' --csv'])
    expect((await run(`config${flags}`)).out).toBe((await run(`config list${flags}`)).out)
  expect((await run('--json config --show-origin')).json.items[0]).toHaveProperty('origin')
  expect(await run('config lsit')).toMatchObject({
    exit: 2,
    err: expect.stringMatching(
      /unknown command 'lsit'; did you mean list\?.*next\n {6}sluice config --help\n/s,
    ),
  })
  expect((await run('config list more')).exit).toBe(2)
  const odd = { SLUICE_BASE_URL: 'https://me:hidden-1@api.example/v1?key=hidden-2#hidden-3' }
  const shown = await run('config list', { env: odd })
  expect(shown.out).toMatch(/base url +https:\/\/api\.example\/v1 \(query omitted\)/)
  expect(shown.out + shown.err).not.toContain('hidden')
  await run('profile use prod')
  expect((await run('config list --show-origin')).out).toMatch(
    /profile +prod +config\.json.*api key +set +profile prod/s,
  )
})

test('config list shows the origin of the profile kind, and suggests a network for a mistyped RPC setting', async () => {
  const said = async (env: Record<string, string>, line = '') =>
    Object.fromEntries(
      (await run(`config list --show-origin --json ${line}`, { env })).json.items.map(
        ({ name, value, origin }: Record<string, string>) => [name, [value, origin]],
      ),
    )
  const baes = await said({ SLUICE_RPC_BAES: 'https://a.example/canary' })
  expect(baes.kind).toEqual(['engine', 'SLUICE_RPC_BAES'])
  expect(baes['rpc baes']).toEqual(['unknown network; did you mean base?', 'SLUICE_RPC_BAES'])
  expect((await said({ SLUICE_BASE_URL: 'https://a.example' })).kind).toEqual(['remote', 'SLUICE_BASE_URL'])
  expect((await said({}, '--profile sandbox')).kind).toEqual(['sandbox', '--profile'])
  expect((await said({})).kind).toEqual(['sandbox', 'default'])
})
