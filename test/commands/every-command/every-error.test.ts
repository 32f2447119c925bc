import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Command } from 'commander'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildProgram } from '../../../src/app/main.ts'
import type { PrintingName } from '../../../src/domain/command-line/commands.ts'
import { errorRow, isErrorCode } from '../../../src/domain/errors.ts'
import { tryLock } from '../../../src/store/file-lock.ts'
import { inTurn } from '../../support/engine.ts'
import { checkHint } from '../../support/hints/hint-without-placeholder.ts'
import { type Listener, listener } from '../../support/services/listener.ts'
import { type Circumstances, useCommands, wordsOf } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run, home, attempts } = useCommands(sandbox)

/** A service that answers every request in one way, and a node of another chain. */
let service: Listener
let node: Listener
let answer: (response: ServerResponse) => void
const envelope =
  (status: number, code: string, headers = {}) =>
  (response: ServerResponse) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(JSON.stringify({ error: { code, message: 'The service says no' } }))
  }
/** A home whose directories are files. */
let noHome = ''
beforeAll(async () => {
  service = await listener((_, response) => answer(response))
  node = await listener((request, response) => {
    let body = ''
    request.on('data', (chunk) => (body += chunk))
    request.on('end', () => {
      const asked = JSON.parse(body)
      const said = ({ id }: { id: number }) => ({ jsonrpc: '2.0', id, result: '0x5' })
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(Array.isArray(asked) ? asked.map(said) : said(asked)))
    })
  })
  noHome = mkdtempSync(join(tmpdir(), 'sluice-no-home-'))
  for (const name of ['config', 'data', 'cache']) writeFileSync(join(noHome, name), '')
})
afterAll(async () => {
  await service?.close()
  await node?.close()
  rmSync(noHome, { recursive: true, force: true })
})

/** A new API key each time, because the process remembers the rate limit of a key. */
const remote = (): Circumstances => ({
  // Without an RPC of its chain no quote is requested.
  env: { SLUICE_BASE_URL: service.url, SLUICE_RPC_SANDBOX_ONE: sandbox.chain(31337).rpcUrl },
  secrets: { apiKey: `key-${randomUUID()}`, privateKey: sandbox.user.key },
})
type Trial = {
  more?: string
  turned?: (line: string) => string
  circumstances?: Circumstances
  before?: (line: string) => Promise<unknown>
  after?: () => void
}

/** How each kind of failure is caused, for any command. Exit 9 needs a user who declines and is tested on a terminal. */
const kinds: Record<string, { exit: number; trial: () => Trial }> = {
  usage: { exit: 2, trial: () => ({ more: '--no-such-flag' }) },
  key: {
    exit: 3,
    trial: () => {
      answer = envelope(401, 'UNAUTHORIZED')
      return { circumstances: remote() }
    },
  },
  no: {
    exit: 4,
    trial: () => {
      answer = envelope(404, 'NOT_FOUND')
      return { circumstances: remote() }
    },
  },
  limited: {
    exit: 5,
    trial: () => {
      answer = envelope(429, 'RATE_LIMITED', { 'retry-after': '3600' })
      return { circumstances: remote() }
    },
  },
  unreachable: {
    exit: 6,
    trial: () => {
      answer = (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>hello</p>')
      return { circumstances: remote() }
    },
  },
  chain: {
    exit: 7,
    trial: () => ({
      circumstances: {
        env: { SLUICE_RPC_SANDBOX_ONE: node.url },
        secrets: { privateKey: sandbox.user.key },
      },
    }),
  },
  guard: {
    exit: 8,
    trial: () => {
      mkdirSync(join(home(), 'config'), { recursive: true, mode: 0o700 })
      const policy = { perTransaction: { 'sandbox-one:USDC': '0.000001' }, strategies: ['another-one'] }
      writeFileSync(join(home(), 'config', 'policy.json'), JSON.stringify(policy), { mode: 0o600 })
      return {}
    },
  },
  fails: {
    exit: 10,
    trial: () => ({ turned: (line) => line.replace(/(--amount|--amount-in) \S+/, '$1 999999999') }),
  },
  busy: {
    exit: 11,
    trial: () => {
      const path = join(
        home(),
        'data',
        'sandbox',
        'locks',
        `31337-${sandbox.user.address.toLowerCase()}.lock`,
      )
      const held = tryLock(path)
      return { after: () => held?.release() }
    },
  },
  local: { exit: 12, trial: () => ({ circumstances: { env: { SLUICE_HOME: noHome } } }) },
  database: {
    exit: 12,
    trial: () => ({
      circumstances: { env: { SLUICE_DATABASE_URL: 'postgres://sluice@127.0.0.1:1/sluice' } },
    }),
  },
  source: {
    exit: 13,
    trial: () => {
      mkdirSync(join(home(), 'config'), { recursive: true, mode: 0o700 })
      const prod = { kind: 'remote', baseUrl: service.url }
      writeFileSync(join(home(), 'config', 'config.json'), JSON.stringify({ profiles: { prod } }), {
        mode: 0o600,
      })
      writeFileSync(join(home(), 'config', 'secrets.json'), '{}', { mode: 0o644 })
      return { more: '--profile prod', circumstances: remote() }
    },
  },
  wallet: { exit: 13, trial: () => ({ more: '--wallet nobody' }) },
  missing: { exit: 13, trial: () => ({}) },
  typed: { exit: 2, trial: () => ({}) },
  reuse: {
    exit: 14,
    trial: () => {
      const keyed = (line: string) =>
        `${line.replace(/ --idempotency-key \S+/, '')} --idempotency-key the-same-key`
      return {
        turned: keyed,
        before: (line) => run(keyed(line.replace(/(--amount|--amount-in) \S+/, '$1 2'))),
      }
    },
  },
}

const to = '0x8888888888888888888888888888888888888888'
const nobody = 'nobody-s-wallet'
const place = 'aave-v3-usdc-sandbox-one'
const swap = '--from sandbox-one --token-in USDC --token-out WETH --amount-in 1'
const id = 'nothing-of-that-id'
const deposit = `deposit ${place} --amount 5 --yes --quiet`

/** The kinds of failure that reach a command that only reads, by its sources. */
const service_ = 'key no limited unreachable'
const reads = `${service_} chain local source`
const signs = `${reads} guard fails busy wallet reuse`
const ours = 'no local source'

/** Every command, a line that works up to the failure, and the kinds that can reach it; `usage` reaches all. */
const rows: Record<PrintingName, { line: string; reach: string; first?: string }> = {
  // Its steps are commands with rows of their own.
  demo: { line: 'demo', reach: '' },
  'strategies list': { line: 'strategies list', reach: reads },
  'strategies show': { line: `strategies show ${place}`, reach: `${reads} wallet` },
  'strategies watch': { line: `strategies watch ${place} --when paused --no-wait`, reach: reads },
  'strategies analytics': { line: 'strategies analytics', reach: reads },
  'yield recommend': { line: 'yield recommend USDC', reach: reads },
  history: { line: `history ${place} --address ${to}`, reach: reads },
  deposit: { line: `deposit ${place} --amount 1 --yes --idempotency-key every-error-1`, reach: signs },
  withdraw: {
    line: `withdraw ${place} --amount 1 --yes --idempotency-key every-error-1`,
    reach: signs,
    first: deposit,
  },
  'swap quote': { line: `swap quote ${swap}`, reach: `${service_} local source` },
  'swap execute': {
    line: `swap execute ${swap} --yes --idempotency-key every-error-1`,
    reach: signs.replace('chain ', ''),
  },
  'swap status': {
    line: `swap status 0f8fad5b-d9cb-469f-a165-70867728950e`,
    reach: `${service_} local source`,
  },
  // Without a list at the service, the quotes of this machine are listed.
  'swap list': { line: 'swap list', reach: `${service_.replace('no ', '')} local source` },
  transfer: {
    line: `transfer --network sandbox-one --token USDC --to ${to} --amount 1 --yes --idempotency-key every-error-1`,
    reach: signs.replace(service_, ''),
  },
  'action list': { line: 'action list', reach: 'local source wallet' },
  'action show': { line: `action show ${id}`, reach: `${service_} local source` },
  'action watch': { line: `action watch ${id}`, reach: `${service_} local source` },
  'action explain': { line: `action explain ${id}`, reach: `${service_} local source` },
  decode: { line: `decode 0xa9059cbb --to ${to} --network ethereum`, reach: 'source' },
  'action resume': { line: `action resume ${id}`, reach: ours },
  'action speed-up': { line: `action speed-up ${id}`, reach: ours },
  'action cancel': { line: `action cancel ${id}`, reach: ours },
  'action abandon': { line: `action abandon ${id}`, reach: ours },
  'action replan': { line: `action replan ${id}`, reach: ours },
  'action revoke': { line: `action revoke ${id}`, reach: ours },
  'action deliver': { line: `action deliver ${id}`, reach: ours },
  'action export': { line: `action export ${id}`, reach: ours },
  'action submit': { line: 'action submit /nowhere/plan', reach: 'source typed' },
  'action verify': { line: 'action verify /nowhere/file', reach: 'typed' },
  'policy check': { line: 'policy check /nowhere/plan', reach: 'source typed' },
  serve: { line: 'serve --check', reach: 'source' },
  'keys create': { line: 'keys create --customer acme', reach: 'local source database' },
  'keys list': { line: 'keys list', reach: 'local source database' },
  'keys revoke': { line: `keys revoke ${id} --yes`, reach: 'local source database' },
  'fees show': { line: 'fees show', reach: `${service_} local source database` },
  'fees set': { line: 'fees set --markup-bps 5 --yes', reach: `${service_} local source` },
  'webhooks add': { line: 'webhooks add https://example.com/hook', reach: `${service_} local source` },
  'webhooks list': { line: 'webhooks list', reach: `${service_} local source database` },
  'webhooks show': { line: `webhooks show ${id}`, reach: `${service_} local source` },
  'webhooks remove': { line: `webhooks remove ${id} --yes`, reach: `${service_} local source` },
  'webhooks rotate': { line: `webhooks rotate ${id} --yes`, reach: `${service_} local source` },
  'webhooks enable': { line: `webhooks enable ${id}`, reach: `${service_} local source` },
  'webhooks deliveries': { line: `webhooks deliveries ${id}`, reach: `${service_} local source` },
  'webhooks resend': { line: `webhooks resend ${id} ${id}`, reach: `${service_} local source` },
  'webhooks replay': { line: `webhooks replay ${id} --since 2h`, reach: `${service_} local source` },
  'webhooks listen': { line: 'webhooks listen', reach: `${service_} local source` },
  'webhooks trigger': { line: 'webhooks trigger action.succeeded', reach: `${service_} local source` },
  init: { line: 'init main --from-env', reach: `${service_} chain source` },
  doctor: { line: 'doctor', reach: reads },
  'profile list': { line: 'profile list', reach: 'source' },
  'profile show': { line: 'profile show', reach: 'source' },
  'profile use': { line: 'profile use sandbox', reach: 'local' },
  'profile set': { line: 'profile set prod --base-url https://a.example', reach: 'local source' },
  'profile remove': { line: 'profile remove prod --yes', reach: 'source typed' },
  'config list': { line: 'config list', reach: 'source' },
  completion: { line: 'completion bash', reach: '' },
  'wallet watch': { line: `wallet watch ${to} --when health<1.2 --no-wait`, reach: reads },
  'wallet show': { line: `wallet show ${to}`, reach: reads },
  'wallet balances': { line: `wallet balances ${to}`, reach: 'chain local source' },
  'networks list': { line: 'networks list', reach: 'source' },
  'tokens list': { line: 'tokens list', reach: 'source' },
  'wallet list': { line: 'wallet list', reach: 'source' },
  'wallet new': { line: 'wallet new main --password-file /nowhere/password', reach: 'source missing' },
  'wallet import': { line: 'wallet import main --keystore /nowhere/keystore', reach: 'source missing' },
  'wallet export': { line: `wallet export ${nobody}`, reach: 'source missing' },
  'wallet remove': { line: `wallet remove ${nobody} --yes`, reach: 'source missing' },
  'wallet use': { line: `wallet use ${nobody}`, reach: 'source missing' },
  'wallet remember': { line: `wallet remember ${nobody}`, reach: 'source missing' },
  'wallet forget': { line: `wallet forget ${nobody}`, reach: 'local source' },
  'wallet approvals list': { line: `wallet approvals list ${to}`, reach: 'chain local source' },
  'wallet approvals revoke': { line: 'wallet approvals revoke --all --yes', reach: 'source' },
  'sandbox up': { line: 'sandbox up', reach: 'source' },
  'sandbox down': { line: 'sandbox down', reach: 'source' },
  'sandbox status': { line: 'sandbox status', reach: 'source' },
  'sandbox reset': { line: 'sandbox reset --yes', reach: 'source' },
  'sandbox fund': { line: `sandbox fund ${to}`, reach: 'source' },
  'sandbox warp': { line: 'sandbox warp 1d', reach: 'source' },
  'sandbox pay-bitcoin': { line: 'sandbox pay-bitcoin somewhere 1', reach: 'source typed' },
  'sandbox fault': { line: 'sandbox fault nothing-of-that-kind', reach: 'source typed' },
  schema: { line: 'schema deposit', reach: '' },
  // The answers of its tools are tested with a real client.
  mcp: { line: 'mcp', reach: '' },
}

test('rows has exactly the commands of the program', async () => {
  const root = await buildProgram(
    [],
    { version: '0', io: { out: { write: () => undefined } } } as never,
    true,
  )
  const found: string[] = []
  const walk = (command: Command, path: string[]): void => {
    if (command.commands.length === 0) found.push(path.join(' '))
    for (const one of command.commands) walk(one, [...path, one.name()])
  }
  walk(root, [])
  expect(Object.keys(rows).toSorted()).toEqual(found.toSorted())
  for (const { reach } of Object.values(rows))
    for (const kind of reach.split(' ').filter(Boolean)) expect(kinds).toHaveProperty(kind)
})

test.each(Object.entries(rows).map((row, turn) => [...row, turn] as const))(
  '%s reports each failure as text and as one JSON document, and signs nothing',
  async (_, { line, reach, first }, turn) => {
    if (first) expect((await run(first)).exit).toBe(0)
    for (const kind of inTurn(['usage', ...reach.split(' ').filter(Boolean)], 2, turn)) {
      const { exit, trial } = kinds[kind]!
      const { more = '', turned = (one) => one, circumstances = {}, before, after } = trial()
      await before?.(line)
      const signed = attempts()
      const typed = `${turned(line)} ${more} --timeout 3s`
      const json = await run(`${typed} --json`, circumstances)
      const words = await run(typed, circumstances)
      after?.()
      rmSync(join(home(), 'config'), { recursive: true, force: true })
      const failed = json.json.error ?? {}
      expect({ kind, exit: json.exit, code: failed.code }).toEqual({ kind, exit, code: expect.any(String) })
      expect({ kind, keys: Object.keys(json.json) }).toEqual({ kind, keys: ['error'] })
      expect(Object.keys(failed)).toEqual(['code', 'message', 'details', 'hint', 'next', 'retryable'])
      expect(isErrorCode(failed.code) && errorRow(failed.code).exit).toBe(exit)
      expect({ kind, hint: failed.hint }).toEqual({ kind, hint: expect.stringMatching(/\S/) })
      expect({ kind, exit: words.exit }).toEqual({ kind, exit })
      for (const { out, err } of [json, words]) checkHint(wordsOf(typed), out, err, exit)
      expect(words.err).toMatch(new RegExp(`error .+ \\(${failed.code}\\)\\nnext( {2}.+)?\\n( {6}.+\\n)*$`))
      expect({ kind, signed: attempts() }).toEqual({ kind, signed })
    }
  },
)
