import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { scripts } from '../../server/command-scripts.ts'
import { commandOf, documentation } from '../../support/matches-schema.ts'
import { type Document, useCommands, wordsOf } from '../../support/use-commands.ts'
import { useSandbox } from '../../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run, home } = useCommands(sandbox)
const documented = documentation(run)
const slug = 'aave-v3-usdc-sandbox-one'
const other = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'

/** Command lines that need no service; the others are run and checked in test/server/command-scripts.test.ts. */
const here: readonly (readonly [exit: number, line: string])[] = [
  [0, 'sandbox status --json'],
  [0, 'sandbox up --json'],
  [0, `sandbox fund ${other} --token USDC --amount 5 --json`],
  [0, 'sandbox fault --json'],
  [0, 'sandbox fault stop-mining --json'],
  [0, 'sandbox status --json'],
  [0, 'sandbox fault clear --json'],
  [0, 'sandbox warp 1h --json'],
  [0, 'sandbox pay-bitcoin bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080 0.01 --json'],
  [2, 'sandbox pay-bitcoin bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4 0.01 --json'],
  [2, 'sandbox warp never --json'],
  [0, 'init other --base-url http://127.0.0.1:9 --api-key-file - --yes --json'],
  [0, 'profile list --json'],
  [0, 'profile show --json'],
  [0, 'profile set prod --base-url https://service.example --json'],
  [0, 'profile list --json'],
  [0, 'profile use prod --json'],
  [0, 'profile use sandbox --json'],
  [0, 'profile remove prod --yes --json'],
  [2, 'profile remove prod --json'],
  [0, 'config list --json'],
  [0, 'config list --show-origin --json'],
  [0, 'completion fish --json'],
  [0, 'doctor --json'],
  [0, 'keys create --customer acme --json'],
  [0, 'keys create --customer acme'],
  [0, 'keys list --json'],
  [4, 'keys revoke nothing --yes --json'],
  [0, 'webhooks add https://example.com/hook --apy-line 3% --json'],
  [0, 'webhooks list --json'],
  [4, 'webhooks show nothing --json'],
  [4, 'webhooks remove nothing --yes --json'],
  [4, 'webhooks rotate nothing --yes --json'],
  [4, 'webhooks enable nothing --json'],
  [4, 'webhooks deliveries nothing --json'],
  [4, 'webhooks resend nothing nothing --json'],
  [4, 'webhooks replay nothing --since 2h --json'],
  [2, 'webhooks replay nothing --since never --json'],
  [0, 'webhooks trigger strategy.paused --json'],
  [0, 'webhooks listen --timeout 1s --json'],
  [2, 'webhooks listen --forward-to nothing --json'],
  [2, 'webhooks add http://example.com/hook --json'],
  [4, 'action deliver nothing --yes --json'],
  [0, 'serve --check --json'],
  [2, 'serve --host 0.0.0.0 --json'],
  [0, 'wallet new main --password-file PW --json'],
  [13, 'wallet import main --keystore nothing --json'],
  [0, 'wallet list --json'],
  [0, 'networks list --json'],
  [0, 'tokens list --json'],
  [2, 'tokens list --network nothing --json'],
  [12, 'wallet remember main --password-file PW --json'],
  [0, 'wallet forget main --json'],
  [0, 'wallet export main --json'],
  [0, 'wallet use main --json'],
  [0, 'wallet use --json'],
  [0, 'wallet remove main --yes --json'],
  [2, 'wallet approvals revoke --json'],
  [0, `decode 0xa9059cbb --to ${other} --network ethereum --json`],
  [2, 'decode 0xa9059cbb --json'],
  [0, 'schema --json'],
  [0, 'schema wallet --json'],
  [0, 'schema schema --json'],
  [0, 'schema schema'],
  [2, 'schema nothing --json'],
  [2, 'policy check - --json'],
]

/** The commands whose documents are checked elsewhere, and where. */
const elsewhere: Readonly<Record<string, string>> = {
  mcp: 'test/commands/mcp.test.ts',
  'strategies watch': 'test/commands/strategies/watch-conditions.test.ts',
  'wallet watch': 'test/commands/strategies/watch-conditions.test.ts',
  'sandbox down': 'the same document as sandbox status',
  'sandbox reset': 'the same document as sandbox status',
  'wallet import': 'the same document as wallet new',
}

test('commands that need no service print exactly the fields of their schema', async () => {
  const password = join(home(), 'pw')
  writeFileSync(password, 'a password', { mode: 0o600 })
  for (const [exit, line] of here) {
    const typed = line.replace('PW', password)
    const ran = await run(typed, { stdin: 'sk_0123456789abcdef' })
    expect({ line, exit: ran.exit }).toEqual({ line, exit })
    await documented(typed, ran)
  }
})

test('action export, action verify, policy check and action submit match their schemas', async () => {
  const keyed = (key: string) => `--yes --json --idempotency-key schema-${key}-1`
  const deposit = await run(`deposit ${slug} --amount 3 ${keyed('deposit')}`)
  const file = join(home(), 'case.json')
  for (const line of [
    `action export ${deposit.json.id} --json`,
    `action export ${deposit.json.id} --out ${file} --json`,
    `action verify ${file} --json`,
    `action export nothing --json`,
  ])
    await documented(line, await run(line))
  const policy = join(home(), 'policy.json')
  const plan = await run(`deposit ${slug} --amount 3 --dry-run --json`)
  for (const [most, ends] of [
    ['500', 0],
    ['1', 8],
  ] as const) {
    writeFileSync(policy, JSON.stringify({ perTransaction: { 'sandbox-one:USDC': most } }), { mode: 0o600 })
    const line = `policy check - --policy ${policy} --json`
    const ran = await run(line, { stdin: plan.out })
    expect(ran.exit).toBe(ends)
    await documented(line, ran)
  }
  const line = `action submit - ${keyed('submit')}`
  const submitted = await run(line, { stdin: plan.out })
  expect(submitted.exit).toBe(0)
  await documented(line, submitted)
})

test('swap execute, swap status and --watch the demo match their schemas', async () => {
  const swap = `swap execute --from sandbox-one --token-in USDC --token-out WETH --amount-in 5 --yes --json`
  const done = await run(swap)
  await documented(swap, done)
  const watch = `swap status ${done.json.id} --watch --json`
  await documented(watch, await run(watch))
  const ran = await run('demo --json')
  expect(ran.exit).toBe(0)
  await documented('demo --json', ran)
})

test('every command has a schema and a run that is checked against it', async () => {
  const { json } = await run('schema --json')
  const all = json.items.map(({ command }: Document) => command)
  expect(all.length).toBeGreaterThan(50)
  const driven = [...scripts.flatMap(([, , lines]) => lines), ...here.map(([, line]) => line)].map((line) =>
    commandOf(wordsOf(line)),
  )
  const inTests = ['action export', 'action verify', 'action submit', 'demo', ...Object.keys(elsewhere)]
  expect(
    all.filter((command: string) => ![...driven, ...inTests].includes(command)),
    'commands without a line in test/server/command-scripts.ts, or here if they need no service',
  ).toEqual([])
  expect(
    [...driven, ...inTests].filter((command) => !all.includes(command)),
    'lines here or in test/server/command-scripts.ts of commands that do not exist',
  ).toEqual([])
})

test('a schema is JSON Schema 2020-12 and refuses missing, additional and invalid fields', async () => {
  const { json } = await run('schema deposit --json')
  expect(json.output.success.$schema).toBe('https://json-schema.org/draft/2020-12/schema')
  expect(json).toMatchObject({ command: 'deposit', signs: true })
  expect((await run('schema history --json')).json).toMatchObject({ signs: false })
  const plan = (await run(`deposit ${slug} --amount 3 --dry-run --json`)).json
  const holds = new Ajv2020({ strict: false, formats: { 'date-time': true } }).compile(json.output.plan)
  const { assurance, ...less } = plan
  expect([plan, less, { ...plan, more: 1 }, { ...less, assurance: 'L9' }].map((one) => holds(one))).toEqual([
    true,
    false,
    false,
    false,
  ])
  expect(assurance).toBe('L3')
})

test('schema lists flags and arguments with types, defaults and choices, and the environment variables', async () => {
  const { flags, arguments: args, environment } = (await run('schema strategies list --json')).json
  const flag = (name: string) => flags.find((one: Document) => one.name === name)
  expect(flag('--sort')).toMatchObject({ type: 'choice', choices: ['apy', 'tvl', 'name'], default: 'apy' })
  expect(flag('--network')).toMatchObject({ type: 'network', value: 'required', required: false })
  expect(flag('--all')).toMatchObject({ type: 'boolean', value: 'none' })
  expect(flag('--timeout')).toMatchObject({ type: 'duration', group: 'Global' })
  expect(args).toEqual([])
  expect(environment.map(({ name }: Document) => name)).not.toContain('SLUICE_PRIVATE_KEY')
  const deposit = (await run('schema deposit --json')).json
  expect(deposit.arguments[0]).toMatchObject({ name: 'id', type: 'id', required: true, repeatable: false })
  expect(deposit.flags.find((one: Document) => one.name === '--nonce')).toMatchObject({ repeatable: true })
  expect(deposit.environment.map(({ name }: Document) => name)).toContain('SLUICE_PRIVATE_KEY')
  // A signing command uses every variable.
  const { rows } = (await run('help environment --json')).json
  expect(deposit.environment).toEqual(rows)
  expect(deposit.examples).toEqual([`sluice deposit ${slug} --amount 100`])
})

test('every list of action statuses has the same five: schema, --status, its help, completion and the commands document', async () => {
  const all = ['INITIAL', 'PENDING', 'SUCCESS', 'FAILED', 'REFUNDED']
  const { flags, output } = (await run('schema action list --json')).json
  expect(flags.find(({ name }: Document) => name === '--status').choices).toEqual(all)
  expect(output.success.properties.items.items.anyOf[0].properties.status.enum).toEqual(all)
  expect((await run('action list --help')).out.replace(/\s+/g, ' ')).toContain(
    `only this status: ${all.join(', ')}`,
  )
  expect((await run(['__complete', '--', 'action', 'list', '--status', ''])).out.match(/^[A-Z]+/gm)).toEqual(
    all,
  )
  expect(readFileSync('docs/commands.md', 'utf8')).toContain(`\`--status ${all.join('\\|')}\``)
  for (const status of all)
    expect([status, (await run(`action list --status ${status} --json`)).exit]).toEqual([status, 0])
})

test('schema without --json names every flag, plan field and exit code', async () => {
  const { out, exit } = await run('schema withdraw')
  const { json } = await run('schema withdraw --json')
  expect(exit).toBe(0)
  const own = json.flags.filter(({ group }: Document) => group !== 'Global')
  for (const { name } of own) expect(out).toContain(name)
  for (const { meaning } of json.exitCodes) expect(out).toContain(meaning)
  for (const field of Object.keys(json.output.plan.properties)) expect(out).toContain(field)
})
