import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { sandboxKey } from '../../../src/sandbox/accounts.ts'
import { engineOn } from '../../support/engine.ts'
import { pasted } from '../../support/hints/paste-hint.ts'
import { fakeNode } from '../../support/nodes/scripted-node.ts'
import { serveTo, type TestServer } from '../../support/services/serve-in-process.ts'
import { attemptsIn } from '../../support/spawn-program.ts'
import { type Circumstances, rpcEnvOf, useCommands } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run, home, signsNothing } = useCommands(sandbox)
const slug = 'aave-v3-usdc-sandbox-one'
const deposit = `deposit ${slug} --amount 100 --yes --json --idempotency-key profile-job-1`
const canary = 'canary-4711'
const secrets = { privateKey: sandboxKey(), apiKey: canary }

let server: TestServer
let asked: string[]
beforeEach(async () => {
  server = await serveTo(engineOn(sandbox).service, canary)
  asked = server.asked
})
afterEach(() => server.close())

/** Each endpoint URL carries a secret, as with hosted providers; the sandbox nodes ignore it. */
const keyed = (): Record<string, string> =>
  Object.fromEntries(Object.entries(rpcEnvOf(sandbox)).map(([name, url]) => [name, `${url}/?key=${canary}`]))
const engine = (): Circumstances => ({ env: keyed(), secrets })
const remote = (rpcs = keyed()): Circumstances => ({ env: { ...rpcs, SLUICE_BASE_URL: server.url }, secrets })

/** Every file under a directory. */
const filesIn = (dir: string): string[] =>
  readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .map((name) => join(dir, name))
    .filter((path) => statSync(path).isFile())

describe('one command line on each kind of profile', () => {
  test.each<[string, () => Circumstances, string]>([
    ['sandbox', () => ({}), 'sandbox'],
    ['engine', engine, '.'],
    ['remote', remote, '.'],
  ])(
    '%s: deposits, replays by its key, and keeps its journal in the directory of the profile',
    async (_, how, dir) => {
      const ran = await run(deposit, how())
      expect({ exit: ran.exit, err: ran.err }).toMatchObject({ exit: 0 })
      expect(ran.json).toMatchObject({ status: 'SUCCESS', strategySlug: slug })
      const data = join(home(), 'data')
      expect(existsSync(join(data, dir, 'journal.db'))).toBe(true)
      if (dir === '.') expect(attemptsIn(join(data, 'sandbox'))).toBe(0)
      else expect(existsSync(join(data, 'journal.db'))).toBe(false)
      for (const path of filesIn(data)) expect(readFileSync(path).includes(canary)).toBe(false)
      expect(ran.out + ran.err).not.toContain(canary)
      const again = await run(deposit, how())
      expect(again.json).toEqual({ ...ran.json, replayed: true })
    },
  )

  test.each<[string, () => Circumstances]>([
    ['engine', engine],
    ['remote', remote],
  ])('%s: lists the same strategies as the sandbox', async (_, how) => {
    const ids = async (more: Circumstances) =>
      (await run('strategies list --all --json', more)).json.items.map(({ id }: { id: string }) => id)
    expect((await ids(how())).toSorted()).toEqual((await ids({})).toSorted())
  })
})

describe('an engine profile with RPCs for some networks', () => {
  test('lists only strategies of those networks', async () => {
    const { SLUICE_RPC_SANDBOX_TWO } = keyed()
    const { json } = await run('strategies list --all --json', {
      env: { SLUICE_RPC_SANDBOX_TWO: SLUICE_RPC_SANDBOX_TWO! },
    })
    expect(new Set(json.items.map(({ network }: { network: string }) => network))).toEqual(
      new Set(['sandbox-two']),
    )
  })

  test('uses the second endpoint when the first does not answer', async () => {
    const dead = await fakeNode()
    const env = keyed()
    env.SLUICE_RPC_SANDBOX_ONE = `${dead.url},${env.SLUICE_RPC_SANDBOX_ONE}`
    const ran = await run('strategies list --all --json', { env })
    await dead.stop()
    expect(ran.exit).toBe(0)
    expect(dead.seen.length).toBeGreaterThan(0)
  })

  test('refuses a node with another chain id and signs nothing', async () => {
    const { SLUICE_RPC_SANDBOX_TWO } = keyed()
    const env = { SLUICE_RPC_SANDBOX_ONE: SLUICE_RPC_SANDBOX_TWO! }
    const ran = await signsNothing(() => run(deposit, { env, secrets }))
    expect(ran).toMatchObject({ exit: 7 })
    expect(ran.json.error.code).toBe('CHAIN_ID_MISMATCH')
  })
})

describe('missing or invalid settings', () => {
  type Missing = [
    what: string,
    line: string,
    how: () => Circumstances,
    exit: number,
    code: string,
    says: RegExp,
  ]
  test.each<Missing>([
    ['no RPC for the chain', deposit, () => remote({}), 2, 'CONFIG_INVALID', /SLUICE_RPC_SANDBOX_ONE/],
    [
      'no RPC for the chain of a transfer',
      'transfer --network sandbox-two --token USDC --to 0x8888888888888888888888888888888888888888 --amount 1 --yes --json --idempotency-key job-12345',
      () => remote({}),
      2,
      'CONFIG_INVALID',
      /SLUICE_RPC_SANDBOX_TWO/,
    ],
    [
      'no API key',
      deposit,
      () => ({ ...remote(), secrets: { ...secrets, apiKey: undefined } }),
      3,
      'UNAUTHORIZED',
      /SLUICE_API_KEY/,
    ],
    [
      'an unknown API key',
      deposit,
      () => ({ ...remote(), secrets: { ...secrets, apiKey: 'other' } }),
      3,
      'UNAUTHORIZED',
      /config list --show-origin/,
    ],
    [
      'an API key with a line break',
      deposit,
      () => ({ ...remote(), secrets: { ...secrets, apiKey: 'a\nb' } }),
      2,
      'CONFIG_INVALID',
      /one line/,
    ],
    [
      'a base URL without https',
      deposit,
      () => ({ ...remote(), env: { ...keyed(), SLUICE_BASE_URL: 'http://service.example/v1' } }),
      2,
      'CONFIG_INVALID',
      /not https/,
    ],
    [
      'no signer',
      deposit,
      () => ({ ...engine(), secrets: { privateKey: undefined } }),
      2,
      'KEY_REQUIRED',
      /wallet new|key-file/,
    ],
    [
      'an RPC for an unknown network',
      deposit,
      () => ({ env: { SLUICE_RPC_MARS: 'https://x.example' }, secrets }),
      2,
      'CONFIG_INVALID',
      /SLUICE_RPC_MARS/,
    ],
    [
      'a service that does not answer',
      deposit,
      () => ({ env: { ...keyed(), SLUICE_BASE_URL: 'http://127.0.0.1:1' }, secrets }),
      6,
      'SERVICE_UNREACHABLE',
      /./,
    ],
    [
      'a node that does not answer',
      `${deposit} --timeout 3s`,
      () => ({ env: { SLUICE_RPC_SANDBOX_ONE: 'http://127.0.0.1:1' }, secrets }),
      7,
      'RPC_UNREACHABLE',
      /./,
    ],
  ])('%s: exits with the error that names it, and signs nothing', async (_, line, how, exit, code, says) => {
    const ran = await signsNothing(() => run(line, how()))
    expect({ exit: ran.exit, code: ran.json.error.code }).toEqual({ exit, code })
    expect(`${ran.json.error.message} ${ran.json.error.hint}`).toMatch(says)
    expect(ran.out + ran.err).not.toContain(canary)
  })

  test('without an RPC no transactions or quotes are requested from the service', async () => {
    await run(deposit, remote({}))
    expect(asked.filter((path) => path.includes('bytecode'))).toEqual([])
    const swap =
      'swap execute --from sandbox-one --token-in USDC --token-out WETH --amount-in 5 --yes --json --idempotency-key job-54321'
    expect(await run(swap, remote({}))).toMatchObject({
      exit: 2,
      json: { error: { code: 'CONFIG_INVALID', hint: expect.stringContaining('SLUICE_RPC_SANDBOX_ONE') } },
    })
    expect(asked.filter((path) => path.includes('quote'))).toEqual([])
  })

  test('strategies list on a remote profile needs no RPC', async () => {
    expect((await run('strategies list --json', remote({}))).exit).toBe(0)
  })
})

test.each([
  ['wallet show', ['wallet', 'show', 'ADDR']],
  [`history ${slug}`, ['history', slug, '--address', 'ADDR']],
  ['wallet approvals list', ['wallet', 'approvals', 'list', 'ADDR']],
  [
    'wallet approvals list --network sandbox-one',
    ['wallet', 'approvals', 'list', 'ADDR', '--network', 'sandbox-one'],
  ],
])('%s without a wallet: the hint asks for an address and works once filled in', async (line, next) => {
  for (const { env } of [engine(), remote()]) {
    const { exit, json } = await run(`${line} --json`, { env: env!, secrets: { apiKey: canary } })
    expect([exit, json.error.code]).toEqual([2, 'KEY_REQUIRED'])
    expect(json.error.message).toMatch(/^No wallet given/)
    const [, ...named] = pasted(json.error.hint)
    expect(named).toEqual(next)
    const mended = named.map((word) => (word === 'ADDR' ? sandbox.user.address : word))
    expect((await run(mended, { env: env!, secrets: { apiKey: canary } })).exit).toBe(0)
  }
})

test('action resume of a sent deposit without a signer exits 20 and hints at --wallet NAME', async () => {
  const sent = await run(`${deposit} --no-wait`, engine())
  expect(sent.exit).toBe(20)
  const { id } = sent.json.error.details
  const { exit, json } = await run(['action', 'resume', id, '--json'], { env: keyed(), secrets: {} })
  expect([exit, json.error.code, json.error.details.cause]).toEqual([20, 'PENDING', 'KEY_REQUIRED'])
  expect(json.error.hint).toBe(`sluice action resume ${id} --wallet NAME`)
  expect(await run(['action', 'resume', id, '--json'], engine())).toMatchObject({ exit: 0 })
})

test('a clock 6 minutes off causes one warning, 4 minutes off none', async () => {
  const ran = await run('strategies list --all --json', { ...remote(), later: 6 * 60_000 })
  expect(ran.exit).toBe(0)
  expect(ran.err.match(/differ by \d+ minutes/g)).toHaveLength(1)
  expect((await run('strategies list --all --json', { ...remote(), later: 4 * 60_000 })).err).toBe('')
})

test('--debug on remote logs the requests to the service without query values or the API key', async () => {
  const { err } = await run(`strategies show ${slug} --debug`, remote())
  const { host } = new URL(server.url)
  expect(err).toMatch(new RegExp(`^http ${host} GET /strategies/${slug} 200 [0-9]+ ms$`, 'm'))
  const list = await run('strategies list --debug', remote())
  expect(list.err).toMatch(new RegExp(`^http ${host} GET /strategies\\?page&limit 200 [0-9]+ ms$`, 'm'))
  expect(err + list.err).not.toContain(canary)
})

test.each([
  ['engine', engine],
  ['remote', remote],
])('--debug on %s logs the hosts of the nodes without the keys in their URLs', async (_, how) => {
  const { exit, err } = await run(`${deposit} --debug`, how())
  expect(exit).toBe(0)
  expect(err).toContain('rpc 127.0.0.1:')
  expect(err).not.toContain(canary)
})
