import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { refuseUndecodable } from '../../src/app/environment-secrets-type.ts'
import { sandboxKey } from '../../src/sandbox/accounts.ts'
import { keepSealed } from '../support/keys/cheap-keystore.ts'
import { alwaysSays } from '../support/services/serve-in-process.ts'
import { useCommands } from '../support/use-commands.ts'
import { useSandbox } from '../support/use-sandbox.ts'

const sandbox = useSandbox()
const { run, home } = useCommands(sandbox)
const to = '0x8888888888888888888888888888888888888888'

test.each([
  ['deposit aave-v3-udsc-sandbox-one --amount 1 --yes', 'did you mean aave-v3-usdc-sandbox-one?'],
  ['deposit aave-usdc --amount 1 --yes', 'did you mean aave-v3-usdc-sandbox-'],
  ['strategies show aave-v3-USDC-sandbox-on', 'did you mean aave-v3-usdc-sandbox-one?'],
  ['history aave-v3-usdc-sandbox-onee', 'did you mean aave-v3-usdc-sandbox-one?'],
  ['yield recommend UDSC', 'did you mean USDC?'],
  ['yield recommend lendng', 'did you mean lending?'],
  [`transfer --network sandbox-onw --token USDC --to ${to} --amount 1 --yes`, 'did you mean sandbox-one?'],
  [`transfer --network sandbox-one --token UDSC --to ${to} --amount 1 --yes`, 'did you mean USDC?'],
  [`sandbox fund ${to} --token WTEH`, 'did you mean WETH?'],
  ['strategies list --profile sandbx', 'did you mean sandbox?'],
  ['strategies list --network sandbox-onw', 'did you mean sandbox-one?'],
  ['strategies list --category lendng', 'did you mean lending?'],
  ['strategies list --sort yield', 'allowed choices are apy, tvl, name'],
  // A known network that the profile lacks: the variable that brings it.
  ['deposit aave-v3-usdc-base --amount 1', 'set SLUICE_RPC_BASE to the URL'],
  ['withdraw aave-v3-usdc-base-sepolia --amount max', 'set SLUICE_RPC_BASE_SEPOLIA to the URL'],
  ['strategies show aave-v3-usdc-base', 'set SLUICE_RPC_BASE to the URL'],
  ['history aave-v3-usdc-base', 'set SLUICE_RPC_BASE to the URL'],
  ['strategies list --network base', 'set SLUICE_RPC_BASE to the URL'],
  ['tokens list --network 8453', 'set SLUICE_RPC_BASE to the URL'],
  ['swap quote --from base --token-in USDC --token-out WETH --amount-in 1', 'set SLUICE_RPC_BASE to the URL'],
  ['profile use sandbox1', 'did you mean sandbox?'],
  ['strategis list', 'Did you mean\n      sluice strategies list\n'],
  ['strategies lst', 'Did you mean\n      sluice strategies list\n'],
  ['deposit x --amuont 1', 'Did you mean\n      sluice deposit x --amount 1\n'],
  ['sandbox fault stopp-mining', 'did you mean stop-mining?'],
  // An amount or its symbol without its flag.
  [
    'deposit aave-v3-usdc-sandbox-one 100',
    'Did you mean\n      sluice deposit aave-v3-usdc-sandbox-one --amount 100\n',
  ],
  [
    'withdraw aave-v3-usdc-sandbox-one 50%',
    'Did you mean\n      sluice withdraw aave-v3-usdc-sandbox-one --amount 50%\n',
  ],
  [
    'deposit aave-v3-usdc-sandbox-one --amount 100 USDC',
    'Did you mean\n      sluice deposit aave-v3-usdc-sandbox-one --amount 100USDC\n',
  ],
  // Words of other programs.
  ['sandbox start', 'Did you mean\n      sluice sandbox up\n'],
  ['sandbox stop', 'Did you mean\n      sluice sandbox down\n'],
  ['sandbox restart', 'Did you mean\n      sluice sandbox reset\n'],
  ['wallet create x', 'Did you mean\n      sluice wallet new x\n'],
  ['wallet rm x', 'Did you mean\n      sluice wallet remove x\n'],
  ['wallet balance', 'Did you mean\n      sluice wallet balances\n'],
  ['profile ls', 'Did you mean\n      sluice profile list\n'],
  ['action follow x', 'Did you mean\n      sluice action watch x\n'],
  ['action retry x', 'Did you mean\n      sluice action resume x\n'],
  ['strategies list --min-apy 5', '--min-apy 5%'],
  ['strategies list --min-apy 2.5', '--min-apy 2.5%'],
])('%s prints "%s"', async (line, guess) => {
  const { exit, err } = await run(line)
  expect(err.toLowerCase()).toContain(guess.toLowerCase())
  expect([2, 4]).toContain(exit)
})

test.each([
  'deposit x --desc',
  'deposit x --yess',
  'deposit x --allow-duplicat',
  'deposit x --allow-contrat 0x',
  'deposit x --trust-first-us',
  'withdraw x --restart-cooldow',
  'transfer --mins-assurance L0',
])('%s suggests no flag that skips a question or a check', async (line) => {
  const { exit, err } = await run(line)
  expect(exit).toBe(2)
  expect(err).not.toMatch(/did you mean --(yes|allow|trust|restart|min-assurance|no-input)/i)
})

test.each(['deposit help', 'wallet show help', 'action watch help --json'])(
  '%s shows the help',
  async (line) => {
    const words = line.split(' help')[0]!
    const { exit, out } = await run(line)
    expect(exit).toBe(0)
    expect(out).toBe((await run(line.replace(/ help/, '') + ' --help')).out)
    expect(out).toContain(words)
  },
)

test.each([
  ['ops', '0x90F79bf6EB2c4f870365E785982E1f101E93b906'],
  [to, to],
])('a recipient %s is paid, by its name or its address', async (recipient, paid) => {
  keepSealed(join(home(), 'data', 'keystores'), 'ops', sandboxKey(3), 'x')
  const line = `--amount 1 --yes --json --token USDC --network sandbox-one`
  const sent = await run(`transfer --to ${recipient} ${line}`)
  expect(sent.json).toMatchObject({ status: 'SUCCESS', receiverAddress: paid })
  const swap = 'swap execute --from sandbox-one --token-in USDC --token-out WETH --amount-in 5 --yes --json'
  expect((await run(`${swap} --destination ${recipient}`)).json).toMatchObject({ receiverAddress: paid })
  const none = await run(`transfer --to opss ${line}`)
  expect(none.json.error).toMatchObject({ code: 'USAGE', hint: 'Wallets: ops' })
})

test('a transfer to a contract outside the catalogue says so, and one to an account does not', async () => {
  const line = (recipient: string) =>
    run(`transfer --to ${recipient} --amount 1 --dry-run --token USDC --network sandbox-one`)
  const { multicall3 } = sandbox.world.catalog().networks[0]!
  expect((await line(multicall3!)).err).toContain(`warning: ${multicall3} is a contract`)
  expect((await line(to)).err).not.toContain('is a contract')
})

test('history takes --wallet as other commands do', async () => {
  const [one, other] = ['--wallet', '--address'].map(
    (flag) => `history aave-v3-usdc-sandbox-one ${flag} ${to} --json`,
  )
  expect((await run(one!)).json).toEqual((await run(other!)).json)
  expect((await run(`${one} --address ${to}`)).exit).toBe(2)
})

test('a command that is refused does not warn that running it again pays again', async () => {
  const pay = (amount: number) =>
    run(`transfer --to ${to} --amount ${amount} --yes --token USDC --network sandbox-one`)
  const refused = await pay(999_999_999)
  expect({ exit: refused.exit, warns: refused.err.includes('no --idempotency-key') }).toEqual({
    exit: 10,
    warns: false,
  })
  expect((await pay(1)).err).toContain('warning: no --idempotency-key; re-running this command pays again')
})

test.each([
  ['tiny-pw', 'shorter than 12 characters'],
  ['Password123456', 'a common password'],
  ['123456789012345', 'easy to guess'],
  ['correct horse battery staple', undefined],
])('wallet new with the password "%s" warns: %s; and names the backup', async (password, why) => {
  const path = join(home(), 'pw')
  writeFileSync(path, password, { mode: 0o600 })
  const { exit, out, err } = await run(`wallet new main --password-file ${path}`)
  expect(exit).toBe(0)
  expect(out).toMatch(/backup +sluice wallet export main > main.json/)
  if (why === undefined) expect(err).not.toContain('warning')
  else expect(err).toContain(`warning: the password is ${why}`)
  expect(err).not.toContain(password)
})

test.each([
  ['SLUICE_PASSWORD', { password: 'a\ufffdb' }],
  ['SLUICE_API_KEY', { apiKey: 'key\ufffd' }],
  ['SLUICE_ZEROX_KEY', { serviceKeys: { SLUICE_ZEROX_KEY: '\ufffd' } }],
  ['SLUICE_RPC_BASE_HEADERS', { rpcHeaders: { SLUICE_RPC_BASE_HEADERS: 'a: \ufffd' } }],
])('%s with invalid bytes is refused without its value', (variable, secrets) => {
  const none = { hasPrivateKey: false, password: undefined, apiKey: undefined }
  expect(() => refuseUndecodable({ ...none, ...secrets } as never)).toThrow(
    `${variable} is not valid UTF-8 text`,
  )
  expect(() => refuseUndecodable({ ...none, password: 'p\u00e4ss' } as never)).not.toThrow()
})

test('a mistyped rule of a policy gets a suggestion, and a plan without a signer names its wallet', async () => {
  const path = join(home(), 'policy-typo.json')
  writeFileSync(path, JSON.stringify({ perTransction: {} }), { mode: 0o600 })
  const dry = `deposit aave-v3-usdc-sandbox-one --amount 1 --dry-run --json`
  const typo = await run(`${dry} --policy ${path}`)
  expect(typo.json.error.message).toContain('unknown field "perTransction"; did you mean perTransaction?')
  const plan = join(home(), 'plan.json')
  writeFileSync(plan, (await run(dry)).out, { mode: 0o600 })
  const { env } = { env: { SLUICE_RPC_SANDBOX_ONE: sandbox.chain(31337).rpcUrl } }
  const { exit, json } = await run(`action submit ${plan} --yes --json`, { env })
  expect({ exit, code: json.error.code }).toEqual({ exit: 2, code: 'KEY_REQUIRED' })
  expect(json.error.message).toContain(`The plan is for ${sandbox.user.address}`)
})

test.each([
  ['--asset USCD', 'No strategies for asset "USCD". Did you mean USDC?'],
  ['--protocol aave', 'No strategies for protocol "aave". Did you mean aave-v3?'],
  ['--protocol aave-v4', 'No strategies for protocol "aave-v4". Did you mean aave-v3?'],
  ['--network 31338 --asset USCD', 'No strategies on sandbox-two for asset "USCD". Did you mean USDC?'],
  ['--asset NOTHING', 'No strategies for asset "NOTHING".'],
  ['--asset weth --protocol aave-v3 --min-apy 90%', /^No strategies match/],
])('strategies list %s without a match prints %s', async (filter, words) => {
  const { exit, out, err } = await run(`strategies list ${filter} --quiet`)
  expect([exit, out]).toEqual([0, ''])
  if (typeof words === 'string') expect(err).toContain(words)
  else expect(err).toMatch(words)
  const json = (await run(`strategies list ${filter} --json`)).json
  expect([json.items, json.total]).toEqual([[], 0])
})

test('strategies list of a service without strategies says so, and does not hint at itself', async () => {
  const service = await alwaysSays(200, { docs: [], totalDocs: 0, page: 1, limit: 100, totalPages: 0 })
  const there = { env: { SLUICE_BASE_URL: service.url }, secrets: { apiKey: 'key-meant' } }
  for (const filter of ['', '--asset USDC']) {
    const { exit, err } = await run(`strategies list ${filter}`, there)
    expect({ exit, err }).toEqual({ exit: 0, err: expect.stringContaining('This profile has no strategies') })
    expect(err).not.toContain('sluice strategies list')
  }
  await service.close()
})

test('a mistyped network in an RPC setting gets a suggestion', async () => {
  for (const [variable, guess] of [
    ['SLUICE_RPC_BAES', 'did you mean base?'],
    ['SLUICE_RPC_BASE_SEPOLA', 'did you mean base-sepolia?'],
  ]) {
    const { exit, err } = await run('strategies list', { env: { [variable!]: 'http://127.0.0.1:9' } })
    expect([exit, err]).toEqual([2, expect.stringContaining(`does not support; ${guess}`)])
  }
})

test('a mistyped wallet gets a suggestion, and an unrelated name gets none', async () => {
  keepSealed(join(home(), 'data', 'keystores'), 'main', sandboxKey(2), 'x')
  for (const line of ['wallet export mian', 'wallet show mian', 'wallet use mian'])
    expect(await run(line)).toMatchObject({ exit: 13, err: expect.stringContaining('did you mean main?') })
  for (const line of [
    'wallet export everything',
    'strategies show nothing-like-it',
    'yield recommend DOGECOIN',
  ])
    expect((await run(line)).err).not.toMatch(/did you mean/i)
})

test('an unknown token lists the known tokens, with addresses where two share a symbol', async () => {
  const { err } = await run(`transfer --network sandbox-one --token USDV --to ${to} --amount 1 --yes`)
  const [one, other] = sandbox.world
    .catalog()
    .tokens.filter(({ chainId, symbol }) => chainId === 31337 && symbol === 'DUP')
  // USDV may be another asset, so nothing is suggested for it.
  expect(err).not.toContain('did you mean')
  expect(err).toContain('Known: ETH, ')
  for (const { address } of [one!, other!]) expect(err).toContain(`DUP (${address})`)
  expect(err).not.toMatch(/DUP,|USDC \(/)
  const far = await run(`transfer --network sandbox-one --token DOGE --to ${to} --amount 1 --yes`)
  expect(far.err).toContain('"DOGE" on sandbox-one. Known: ETH, ')
})

describe('a recipient with a network before the address', () => {
  const pay = (recipient: string) =>
    run(`transfer --network sandbox-one --token USDC ${recipient} --amount 1 --yes --json`)
  test.each([`--to sandbox-one:${to}`, `--to=31337:${to}`, `--to eip155:31337:${to}`])(
    '%s is paid on that network',
    async (recipient) => {
      expect((await pay(recipient)).json).toMatchObject({ status: 'SUCCESS' })
    },
  )

  test('on another network is refused, by transfer and by swap', async () => {
    const message = 'is an address on base, but this command sends to sandbox-one'
    const swap = `swap execute --from sandbox-one --token-in USDC --token-out WETH --amount-in 1 --destination base:${to} --yes --json`
    for (const { exit, json } of [await pay(`--to base:${to}`), await run(swap)]) {
      expect(exit).toBe(2)
      expect(json.error).toMatchObject({
        message: expect.stringContaining(message),
        hint: `If the address is right, use it alone: ${to}`,
      })
    }
  })

  test('is paid by a swap on its network', async () => {
    const line = `swap execute --from sandbox-one --token-in USDC --token-out WETH --amount-in 1 --destination sandbox-one:${to} --yes --json`
    expect((await run(line)).json).toMatchObject({ status: 'SUCCESS' })
  })
})

test.each([
  ['strategies list --asset USDV', 'No strategies for asset "USDV". Assets: '],
  ['strategies list --asset UDSC', 'No strategies for asset "UDSC". Did you mean USDC?'],
  ['strategies list --protocol nobody', 'No strategies for protocol "nobody".'],
  ['strategies list --page 9', 'Page 9 is empty'],
  ['strategies list --asset USDV --fields slug', 'No strategies for asset "USDV". Assets: '],
  ['swap list', 'No quotes. Get one: sluice swap quote --help'],
  ['action list', 'No actions'],
  ['wallet approvals list', '0x'],
])('%s is empty and says why, as JSON too', async (line, why) => {
  const { exit, json } = await run(`${line} --json`)
  expect({ exit, items: json.items }).toEqual({ exit: 0, items: [] })
  expect(json.why).toContain(why)
  expect((await run(line)).err).toContain(json.why)
})

test('strategies list takes another spelling of a symbol as the commands that sign do', async () => {
  const { json } = await run('strategies list --asset W.ETH --json')
  expect(json.items.length).toBeGreaterThan(0)
  for (const { asset } of json.items) expect(asset.symbol).toBe('WETH')
})

test('a list with rows has no reason for being empty', async () => {
  expect((await run('strategies list --asset USDC --json')).json).not.toHaveProperty('why')
})

test('every subcommand that is typed at the top level is answered with its whole command', async () => {
  const { items } = (await run('schema --json')).json
  const commands = items.map(({ command }: { command: string }) => command.split(' ')) as string[][]
  const isTop = (name: string) => commands.some(([top]) => top === name)
  const subs = commands.filter(([, sub]) => sub !== undefined && !isTop(sub))
  const groups = Map.groupBy(subs, ([, sub]) => sub!)
  const few = [...groups].filter(([, some]) => some.length <= 4)
  expect(few.length).toBeGreaterThan(30)
  for (const [name, some] of few) {
    const { exit, json } = await run(`${name} some-id --json`)
    expect({ name, exit }).toEqual({ name, exit: 2 })
    // A name with subcommands of its own is answered with its group.
    const lines = json.error.next.map(({ command }: { command: string }) => command)
    for (const words of some) expect(lines).toContain(`sluice ${words.slice(0, 2).join(' ')} some-id --json`)
  }
  // One at a wrong group.
  expect((await run('wallet explain 0xab --json')).json.error.hint).toContain('sluice action explain')
})
